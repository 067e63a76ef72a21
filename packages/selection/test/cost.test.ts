import { describe, expect, it } from "vitest";
import {
  boundUs,
  expectedUs,
  expectingOf,
  fitCost,
  fitCosts,
  type RuleSet,
  type TimedLoad,
} from "../src/index.ts";
import { ask, variant } from "./asking.ts";
import { BIG, H200, scale, session } from "./made.ts";

/** A device that takes 20 us for a run, 2 ns for an operation of one thread, 3 ps for one of all, and 1 ps a byte. */
const truth = { fixedUs: 20, serialUs: 2e-3, flopUs: 3e-6, byteUs: 1e-6 };
const run = (n: number, batch: number, threads: number, wrong = 1): TimedLoad => {
  const flops = 50 * n ** 3 * batch;
  const load = { flops, requestedBytes: 8 * n ** 2 * batch, invocations: threads * batch };
  const us =
    truth.fixedUs +
    truth.serialUs * (flops / load.invocations) +
    truth.flopUs * flops +
    truth.byteUs * load.requestedBytes;
  return { ...load, us: us * wrong, group: n };
};
const grid = (wrong: (index: number) => number = () => 1): TimedLoad[] =>
  [8, 16, 32, 64, 128].flatMap((n, at) =>
    [1, 16, 256].flatMap((batch, row) =>
      [32, 128, 512].map((threads, column) => run(n, batch, threads, wrong(at * 9 + row * 3 + column))),
    ),
  );

describe("the cost model of an algorithm", () => {
  it("finds what a run, an operation of one thread, one of all and a byte cost", () => {
    const model = fitCost(grid())!;
    expect(model.fixedUs / truth.fixedUs).toBeCloseTo(1, 2);
    expect(model.serialUs / truth.serialUs).toBeCloseTo(1, 2);
    expect(model.flopUs / truth.flopUs).toBeCloseTo(1, 1);
    expect(model.shortBy).toBeLessThan(1.02);
    expect(model.worstOff).toBeLessThan(1.05);
  });

  it("knows threads, n and batch: sizes that nobody measured come out right", () => {
    const model = fitCost(grid())!;
    for (const asked of [run(48, 64, 256), run(100, 4, 64), run(12, 1000, 32)]) {
      expect(expectedUs(model, asked) / asked.us).toBeCloseTo(1, 1);
    }
  });

  it("says by how much it was short of sizes that it had not seen, so that its bound holds on all of them", () => {
    const noisy = grid((index) => 1 + 0.3 * Math.sin(7 * index));
    const model = fitCost(noisy)!;
    expect(model.shortBy).toBeGreaterThan(1.1);
    expect(model.worstOff).toBeGreaterThan(model.medianOff);
    // The fit of all has seen every size; the factor is of fits that had not.
    for (const one of noisy) expect(1.05 * boundUs(model, one)).toBeGreaterThan(one.us);
  });

  it("never charges less for more work: no coefficient is negative, whatever the noise", () => {
    for (let seed = 1; seed < 40; seed++) {
      const model = fitCost(grid((index) => Math.exp(Math.sin(seed * (index + 1)))))!;
      for (const name of ["fixedUs", "serialUs", "flopUs", "byteUs"] as const) {
        expect(model[name]).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it("is none from a handful of runs", () => {
    expect(fitCost(grid().slice(0, 7))).toBe(undefined);
  });
});

describe("cost models from published evidence", () => {
  const times = [32, 64, 128, 256].flatMap((workgroup) =>
    [256, 4096, 65536].map((n) => ({
      ...variant(workgroup, 5 + n / 1000, n),
      workgroups: n / workgroup,
    })),
  );

  it("stand by device and algorithm, with its compute units, without what was retracted or failed", async () => {
    const ceilings = {
      kind: "ceilings",
      at: "2026-11-30T05:00:00Z",
      ceilings: { computeUnits: { value: 132, source: "estimated" } },
    } as const;
    const sessions = [
      session("a", times, {}, [ceilings]),
      session("b", times.slice(0, 3), { profile: "native" }),
    ];
    const found = await fitCosts(sessions, [], scale);
    expect([...found.keys()]).toEqual(["nvidia-h200/tint-vulkan.portable"]);
    const one = found.get("nvidia-h200/tint-vulkan.portable")!;
    expect(one.computeUnits).toBe(132);
    expect(one.costs.plain).toMatchObject({ runs: 12 });
    expect(await fitCosts(sessions, [{ session: "a", reason: "wrong" }], scale)).toEqual(new Map());
  });

  it("count a run once that later sessions of a study took over, whether or not the first is there", async () => {
    const first = session("a", times);
    const cells = first.trials.map(({ sequence, id }) => ({ sequence, from: id }));
    const taken = {
      kind: "taken-over",
      at: "2026-11-30T06:00:00Z",
      session: "a",
      commit: "c",
      cells,
    } as const;
    const later = ["b", "c"].map((id) => session(id, first.trials, {}, [taken]));
    for (const sessions of [[first, ...later], later]) {
      const found = await fitCosts(sessions, [], scale);
      expect(found.get("nvidia-h200/tint-vulkan.portable")!.costs.plain).toMatchObject({ runs: 12 });
    }
  });

  it("tell what a run should take on their own device, and nothing on another", async () => {
    const [[, one]] = [...(await fitCosts([session("a", times)], [], scale))] as [[string, never]];
    const sets: RuleSet[] = [{ operation: "scale", rules: [], ...(one as object) } as never];
    const algorithm = await scale.algorithms.plain!();
    const problem = { n: 4096 };
    const config = { workgroup: 128 };
    const of = { algorithm, config, problem, plan: algorithm.plan(problem, config, BIG) };
    const { capabilities, identity } = ask();
    const expecting = expectingOf(sets);
    const { ms, bound } = expecting({ capabilities, identity, profile: "portable" }, of)!;
    expect(ms).toBeGreaterThan(0.005);
    expect(ms).toBeLessThan(0.1);
    expect(4096 * bound.expectedMsPerItem).toBeGreaterThanOrEqual(ms);
    const other = { ...H200, device: "nvidia-a10", description: "NVIDIA A10" };
    expect(expecting({ capabilities, identity: other, profile: "portable" }, of)).toBe(undefined);
    expect(expecting({ capabilities, identity, profile: "native" }, of)).toBe(undefined);
  });
});
