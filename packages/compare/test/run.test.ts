import type { PairedSeries, PairOutcome, PairRequest, Route } from "@tunelab/contract";
import { UNKNOWN_PAIR } from "@tunelab/contract";
import type { PairBench } from "@tunelab/devices";
import { judgeQuads, QUADS, quadStatistic, REPORT_QUADS } from "@tunelab/harness";
import { describe, expect, it } from "vitest";
import type { Bout, Meeting } from "../src/offer.ts";
import { type RunOptions, routeBouts, runBouts } from "../src/run.ts";

const route = { ...{ variant: "v", algorithm: "v", config: {}, planHash: "1", from: "default" } };
const meeting = (n: number): Meeting => ({
  ...{ operation: "o", problem: { n }, sources: { base: {}, candidate: {} } },
  accuracy: { bound: 1e-6, measure: "error" },
});
const bout = (n: number): Bout => ({
  ...meeting(n),
  routes: { base: route, candidate: { ...route, planHash: "2" } },
});

/** Nine quads of a process that favours the candidate by `offset` whatever it runs: placement of its buffers. */
function series(ratio: number, offset: number): PairedSeries {
  const quads = Array.from({ length: 9 }, (_, index) => {
    const b = 1_000 * ratio * (1 + offset) * (1 + 0.0002 * ((index % 5) - 2));
    return { first: "A", slotsNs: [1_000, b, b, 1_000] } as const;
  });
  const judgement = judgeQuads(quads.slice(1).map(quadStatistic), REPORT_QUADS);
  const repeats = { base: 1, candidate: 1 };
  return {
    ...({ clock: "gpu", tickNs: 1, mode: "interleaved", rejected: {} } as const),
    repeats,
    ...judgement,
    quads,
  };
}

/** Processes of a published comparison with offsets of their own; `ratios` is the truth, bout by bout. */
function published(ratios: Readonly<Record<number, number>>) {
  const asked: { readonly process: number; readonly request: PairRequest }[] = [];
  let processes = 0;
  const open = (): PairBench => {
    const process = processes;
    processes += 1;
    const offset = 0.004 * Math.sin(7 * process);
    const pair = async (request: PairRequest): Promise<PairOutcome> => {
      asked.push({ process, request });
      const report = { ...({ status: "ok", variant: "v", planHash: "1" } as const), seeds: [1] };
      return {
        ...UNKNOWN_PAIR,
        sides: { base: report, candidate: report },
        total: series(ratios[Number(request.problem.n)]!, offset),
        ...(request.control ? { control: series(1, offset) } : {}),
      };
    };
    return { pair, close: async () => {} } as unknown as PairBench;
  };
  const options: RunOptions = {
    ...{ first: open(), open: async () => open(), executor: "shared", force: false, untimed: false },
    ...{ straddle: true, requireParity: false, seeds: [1], oracleSample: 1 },
    rules: { alpha: 0.05, looks: [8], gate: 0.005, equivalence: 0.01, processes: QUADS.processes },
    progress: () => {},
    signal: new AbortController().signal,
  };
  return { asked, options };
}

describe("a published comparison", () => {
  it("pairs every row in each of six fresh processes, with a fixed number of quads and a control in each", async () => {
    const { asked, options } = published({ 1: 1, 2: 1 });
    const { rows, control } = await runBouts([bout(1), bout(2)], options);
    expect(asked.map(({ process }) => process)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    expect(new Set(asked.map(({ request }) => JSON.stringify(request.timing)))).toEqual(
      new Set([JSON.stringify({ kind: "fixed", quads: 8 })]),
    );
    expect(asked.filter(({ request }) => request.control).map(({ request }) => request.problem.n)).toEqual(
      new Array(6).fill(1),
    );
    expect(rows.map(({ judgement }) => judgement!.count)).toEqual([6, 6]);
    expect(control).toMatchObject({ count: 6, operation: "o", problem: { n: 1 } });
  });

  it("looks at shapes around limits once, and times identical plans no more often than asked", async () => {
    const { asked, options } = published({ 1: 1 });
    await runBouts([bout(1)], options);
    expect(asked.map(({ request }) => request.straddle)).toEqual([true, false, false, false, false, false]);
    const none = published({ 1: 1 });
    await runBouts([bout(1)], { ...none.options, straddle: false });
    expect(none.asked.some(({ request }) => request.straddle)).toBe(false);
  });

  it("places code and buffers of each process in another way, for a fresh process alone would repeat the last", async () => {
    const { asked, options } = published({ 1: 1, 2: 1 });
    await runBouts([bout(1), bout(2)], options);
    expect(asked.map(({ request }) => request.placement)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  });

  it("takes a process's offset for no change, and still sees 3%", async () => {
    const { options } = published({ 1: 1, 2: 1.03 });
    const { rows } = await runBouts([bout(1), bout(2)], options);
    expect(rows.map(({ verdict }) => verdict)).toEqual(["same", "slower"]);
    // Within one process the offset alone would have been believed.
    expect(rows[0]!.outcomes.some(({ total }) => total!.low > 1.002 || total!.high < 0.998)).toBe(true);
  });
});

describe("drawn variants", () => {
  it("are asked of the base, as evenly over the problems as they go, and pinned on both sides", async () => {
    const asked: unknown[] = [];
    const routes: PairBench["routes"] = async ({ problem, wanted }) => {
      asked.push([problem.n, wanted]);
      const count = wanted.kind === "drawn" ? wanted.count : 1;
      return Array.from({ length: count }, (_, index): Route => {
        const variant = wanted.kind === "pinned" ? wanted.variant : `v/n=${problem.n},i=${index}`;
        return { ...route, variant };
      });
    };
    const bench = { routes };
    const wanted = { kind: "drawn", count: 5, seed: 9 } as const;
    const bouts = await routeBouts(
      { base: bench, candidate: bench },
      [meeting(1), meeting(2), meeting(3)],
      wanted,
    );
    expect(bouts.map(({ problem }) => problem.n)).toEqual([1, 1, 2, 2, 3]);
    expect(new Set(bouts.map(({ routes: { base } }) => "variant" in base && base.variant)).size).toBe(5);
    expect(asked.filter((one) => JSON.stringify(one).includes("drawn"))).toEqual([
      [1, { ...wanted, count: 2 }],
      [2, { ...wanted, count: 2 }],
      [3, { ...wanted, count: 1 }],
    ]);
    for (const { routes: both } of bouts) expect(both.base).toEqual(both.candidate);
  });
});
