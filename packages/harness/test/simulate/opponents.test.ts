import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { CRITERION } from "../../src/simulate/criterion.ts";
import { NVBENCH_LEGACY, NVBENCH_ROBUST } from "../../src/simulate/nvbench.ts";
import { grouped, type Opponent, type Sample } from "../../src/simulate/opponent.ts";
import { MINIMUM, QUADS_PROCESSES } from "../../src/simulate/ours.ts";
import { BENCHSTAT, GOOGLE_BENCHMARK, rankSumP, rankSumProbabilities } from "../../src/simulate/rank-sum.ts";

/** What the rule says of two kernels on a device with uniform noise of this width. */
function said(opponent: Opponent, ratio: number, width: number, seed = 2) {
  const random = randomFrom(seed);
  const sample: Sample = (side) => (side === "B" ? ratio : 1) * (1 + width * random.float());
  return opponent.compare(() => sample, randomFrom(seed + 1).float);
}

describe("the rank-sum test", () => {
  it("has the exact distribution of small samples", () => {
    // All 6 orders of 2 and 2 are equally likely: U is 0, 1, 2, 2, 3, 4.
    const below = rankSumProbabilities(2, 2);
    for (const [u, chance] of [1 / 6, 2 / 6, 4 / 6, 5 / 6, 1].entries()) {
      expect(below[u]).toBeCloseTo(chance, 12);
    }
    // A printed table: critical value 23 at 0.05, two-sided, 10 against 10.
    const ten = rankSumProbabilities(10, 10);
    expect(2 * ten[23]!).toBeLessThanOrEqual(0.05);
    expect(2 * ten[24]!).toBeGreaterThan(0.05);
  });

  it("finds separated samples different, and interleaved ones not, exactly and nearly", () => {
    const low = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const high = low.map((value) => value + 20);
    const between = low.map((value) => value + 0.5);
    expect(rankSumP(low, high, true)).toBeCloseTo(2 / 184_756, 9);
    expect(rankSumP(low, high, false)).toBeLessThan(0.01);
    expect(rankSumP(low, between, true)).toBeGreaterThan(0.6);
    expect(rankSumP(low, between, false)).toBeGreaterThan(0.6);
  });

  it("takes ties into account, up to samples that are all one value", () => {
    expect(rankSumP([5, 5, 5], [5, 5, 5], true)).toBe(1);
    expect(rankSumP([1, 1, 2], [2, 3, 3], true)).toBeGreaterThan(0.05);
  });
});

describe("other harnesses' rules, on noise without memory", () => {
  const rivals = [NVBENCH_LEGACY, NVBENCH_ROBUST, CRITERION, BENCHSTAT, GOOGLE_BENCHMARK, MINIMUM];

  it.each(rivals.map((one) => [one.name, one] as const))("%s sees 10%", (_, opponent) => {
    const { verdict, ratio, samples } = said(opponent, 1.1, 0.01);
    expect(verdict).toBe("changed");
    expect(ratio).toBeCloseTo(1.1, 2);
    expect(samples).toBe(opponent.samples);
  });

  it("nvbench legacy calls a change within the smaller relative deviation the same", () => {
    // Uniform noise of width 0.1 has a relative deviation of 2.7%.
    expect(said(NVBENCH_LEGACY, 1.015, 0.1).verdict).toBe("same");
    expect(said(NVBENCH_LEGACY, 1.05, 0.1).verdict).toBe("changed");
  });

  it("nvbench robust wants a gap between [min, q3] and [min, q3], and else may not know", () => {
    expect(said(NVBENCH_ROBUST, 1.0, 0.01).verdict).toBe("same");
    expect(said(NVBENCH_ROBUST, 1.008, 0.01).verdict).toBe("unresolved");
    expect(said(NVBENCH_ROBUST, 1.02, 0.01).verdict).toBe("changed");
    expect(said(NVBENCH_ROBUST, 1.0, 0.2).verdict).toBe("unresolved");
  });

  it("criterion ignores a certain change within its noise threshold", () => {
    expect(said(CRITERION, 1.005, 0.002)).toMatchObject({ verdict: "unresolved" });
    expect(said(CRITERION, 1.005, 0.002).low).toBeCloseTo(1.005, 2);
    expect(said(CRITERION, 1.02, 0.002).verdict).toBe("changed");
  });

  it("repetitions are means of the iterations that they time together", () => {
    expect(grouped([1, 3, 5, 7, 9], 2)).toEqual([2, 6]);
  });
});

describe("quads over processes", () => {
  it("start six, and do not take one that differs for a change", () => {
    let started = 0;
    const random = randomFrom(4);
    const { verdict, samples } = QUADS_PROCESSES.compare(() => {
      started += 1;
      const offset = started === 3 ? 1.02 : 1;
      return (side) => (side === "B" ? offset : 1) * (1 + 0.002 * random.float());
    }, random.float);
    expect(started).toBe(6);
    expect(samples).toBe(360);
    expect(verdict).not.toBe("changed");
  });
});
