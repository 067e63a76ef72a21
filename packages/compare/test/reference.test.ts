import type { PairOutcome, PairRequest, ReferenceSeries, Side, SideReport } from "@tunelab/contract";
import { SIDES, UNKNOWN_PAIR } from "@tunelab/contract";
import type { PairBench } from "@tunelab/devices";
import { describe, expect, it } from "vitest";
import type { Bout } from "../src/offer.ts";
import { type ReferenceOptions, runReferences } from "../src/run-reference.ts";

const route = { ...{ variant: "v", algorithm: "v", config: {}, planHash: "1", from: "default" } };
const bout: Bout = {
  operation: "o",
  problem: { n: 1 },
  sources: { base: {}, candidate: {} },
  routes: { base: route, candidate: route },
  accuracy: { bound: 1e-6, measure: "error" },
};

/** 16 timings of `ns` beside a reference of 1 ms, with a wobble of 0.1% that is another in each process. */
function series(ns: number, process: number): ReferenceSeries {
  const wobble = 1 + 0.001 * ((process % 3) - 1);
  return {
    ...({ clock: "gpu", tickNs: 1, repeats: 1, rejected: {}, reference: "copy" } as const),
    samplesNs: new Array<number>(16).fill(ns * wobble),
    anchor: { name: "copy-f32", samplesNs: new Array<number>(17).fill(1e6), amount: 1e9 },
  };
}

/** Hosts that note what is asked of them and answer from `times`, ns by side. */
function fakes(times: Readonly<Record<Side, number>>, more: Partial<SideReport> = {}) {
  const opened: Side[] = [];
  const asked: PairRequest[] = [];
  let closed = 0;
  const host = (side: Side): PairBench => {
    opened.push(side);
    const process = opened.filter((one) => one === side).length;
    const pair = async (request: PairRequest): Promise<PairOutcome> => {
      asked.push(request);
      const report: SideReport = { status: "ok", variant: "v", planHash: "1", seeds: [1], ...more };
      const timed = report.status === "ok" ? { references: { [side]: series(times[side], process) } } : {};
      return { ...UNKNOWN_PAIR, sides: { [side]: report }, ...timed };
    };
    const close = async (): Promise<void> => {
      closed += 1;
    };
    return { pair, close } as unknown as PairBench;
  };
  const first = { base: host("base"), candidate: host("candidate") };
  const open = { base: async () => host("base"), candidate: async () => host("candidate") };
  const options: ReferenceOptions = {
    ...{ first, open, executor: "shared", requireParity: false, seeds: [1], oracleSample: 1 },
    rules: { alpha: 0.05, looks: [16], gate: 0.005, equivalence: 0.01, processes: 6 },
    progress: () => {},
    signal: new AbortController().signal,
  };
  return { opened, asked, options, closed: () => closed };
}

describe("reference ratios", () => {
  it("run each side in processes of its own that alternate, each asked for its side alone", async () => {
    const { opened, asked, options, closed } = fakes({ base: 1e6, candidate: 1e6 });
    const { rows } = await runReferences([bout], options);
    const [b, c] = SIDES;
    expect(asked.map(({ only }) => only)).toEqual([b, c, c, b, b, c, c, b, b, c, c, b]);
    expect(opened).toHaveLength(12);
    expect(closed()).toBe(12);
    expect(rows[0]).toMatchObject({ verdict: "same", judgement: { count: 6 } });
  });

  it("tell both sides by the kernel that the base's first process chose, unless one is named", async () => {
    const chosen = fakes({ base: 1e6, candidate: 1e6 });
    await runReferences([bout], chosen.options);
    const asked = chosen.asked.map(({ timing }) => timing.kind === "reference" && timing.reference);
    expect(asked).toEqual(["nearest", ...new Array<string>(11).fill("copy")]);
    const named = fakes({ base: 1e6, candidate: 1e6 });
    await runReferences([bout], { ...named.options, reference: "fma" });
    expect(named.asked[0]!.timing).toMatchObject({ reference: "fma" });
  });

  it("resolve what is slower by its own reference, and the control says same", async () => {
    const { rows, control } = await runReferences([bout], fakes({ base: 1e6, candidate: 1.1e6 }).options);
    expect(rows[0]).toMatchObject({ verdict: "slower", ns: { base: 1e6, candidate: 1.1e6 } });
    expect(rows[0]!.judgement!.ratio).toBeCloseTo(1.1, 6);
    expect(control).toMatchObject({ verdict: "same", operation: "o" });
  });

  it("ask a side that failed no second time, still time the other, and are invalid", async () => {
    const { asked, options } = fakes({ base: 1e6, candidate: 1e6 }, { status: "hung", reason: "no answer" });
    const { rows } = await runReferences([bout], options);
    expect(asked.map(({ only }) => only)).toEqual(["base", "candidate"]);
    expect(rows[0]).toMatchObject({
      verdict: "invalid",
      reason: expect.stringContaining("base hung: no answer"),
    });
  });

  it("end at once when interrupted, with the hosts closed", async () => {
    const controller = new AbortController();
    const { options, closed } = fakes({ base: 1e6, candidate: 1e6 });
    const progress: ReferenceOptions["progress"] = () => controller.abort();
    const ran = await runReferences([bout, bout], { ...options, progress, signal: controller.signal });
    expect(ran).toMatchObject({ rows: [], stopped: "interrupted" });
    expect(closed()).toBeGreaterThan(0);
  });
});
