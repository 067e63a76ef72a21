import { DEFAULT_CAPABILITIES, DEFAULT_LIMITS } from "@tunelab/contract";
import { cutBatch, DEFAULT_BUDGETS } from "@tunelab/executor";
import { describe, expect, it } from "vitest";
import { type FftProblem, fourStep, oneWorkgroup, operation } from "../src/index.ts";

const GOOD: FftProblem = { n: 64, batch: 3, direction: "forward" };

describe("a transform that is none is refused in one line that gives the number", () => {
  const cases: readonly (readonly [what: string, change: Record<string, unknown>, why: RegExp])[] = [
    ["no points", { n: 0 }, /n is 0, not a power of two from 64 to 1048576/],
    ["one point", { n: 1 }, /n is 1, not a power of two/],
    ["fewer points than the least", { n: 32 }, /n is 32, not a power of two/],
    ["a length between two powers", { n: 96 }, /n is 96, not a power of two/],
    ["more points than the most", { n: 2_097_152 }, /n is 2097152, not a power of two from 64 to 1048576/],
    ["fewer than no points", { n: -64 }, /n is -64/],
    ["a fraction of a point", { n: 64.5 }, /n is 64.5/],
    ["a length that is no number", { n: Number.NaN }, /n is NaN/],
    ["a length given as text", { n: "64" }, /n is 64, not a power of two/],
    ["no length", { n: undefined }, /n is undefined/],
    ["no transforms", { batch: 0 }, /batch is 0, not a positive integer/],
    ["fewer than no transforms", { batch: -1 }, /batch is -1/],
    ["half a transform", { batch: 0.5 }, /batch is 0.5/],
    ["transforms without end", { batch: Number.POSITIVE_INFINITY }, /batch is Infinity/],
    [
      "more transforms than two dimensions of groups",
      { batch: 65_535 * 65_535 + 1 },
      /batch is 4294836226, over 4294836225/,
    ],
    ["another direction", { direction: "sideways" }, /direction is sideways, not one of forward, inverse/],
    ["a dimension that there is not", { pairs: 4 }, /no dimension pairs: it has n, batch, direction/],
  ];
  for (const [what, change, why] of cases) {
    it(what, () => {
      const refusal = operation.refuse({ ...GOOD, ...change } as never);
      expect(refusal).toMatch(why);
      expect(refusal).not.toContain("\n");
    });
  }

  it("and as many transforms as two dimensions of groups hold are none of these", () => {
    expect(operation.refuse({ ...GOOD, batch: 65_535 * 65_535 })).toBeUndefined();
  });
});

describe("batches over a device's limits, here WebGPU's defaults", () => {
  for (const algorithm of [oneWorkgroup, fourStep]) {
    const cut = (problem: FftProblem) =>
      cutBatch({
        plan: algorithm.plan(
          problem,
          algorithm.defaultConfig(problem, DEFAULT_CAPABILITIES) as never,
          DEFAULT_CAPABILITIES,
        ),
        limits: DEFAULT_LIMITS,
        budgets: DEFAULT_BUDGETS,
      });

    it(`${algorithm.name}: points over the binding limit run in pieces that keep to it, every transform once`, () => {
      const [n, batch] = [16_384, 1500];
      const most = DEFAULT_LIMITS.maxStorageBufferBindingSize;
      expect(8 * n * batch).toBeGreaterThan(most);
      const { pieces } = cut({ n, batch, direction: "inverse" });
      expect(pieces.length).toBeGreaterThan(1);
      for (const { items } of pieces) expect(8 * n * items).toBeLessThanOrEqual(most);
      expect(pieces.reduce((sum, { items }) => sum + items, 0)).toBe(batch);
    });

    it(`${algorithm.name}: points that no buffer holds are refused with both numbers`, () => {
      expect(() => cut({ n: 16_384, batch: 2049, direction: "forward" })).toThrow(
        /buffer \w+ needs 268566528 bytes, over maxBufferSize = 268435456/,
      );
    });
  }
});
