import { randomFrom, sample } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { type OneSidedConfig, oneSided } from "../src/index.ts";
import { eighProblem, KINDS } from "../src/suite.ts";
import { runOnCpu } from "./cpu.ts";

const WIDTHS = [4, 8, 16, 32, 64] as const;
const once = KINDS.length;

function expectRight(n: number, config: OneSidedConfig, width: number, rest: object = {}): void {
  const problem = eighProblem(n, once, { spectrum: "mixed", pad: n % 3, gap: n % 5, ...rest });
  const run = runOnCpu(oneSided, problem, config, width, n);
  const what = `n=${n} ${JSON.stringify(config)} at width ${width}: ${run.verdict.detail}`;
  expect(run.faults, what).toEqual([]);
  expect(run.verdict, what).toMatchObject({ matched: once, total: once });
  expect(run.verdict.maxError, what).toBeLessThan(2);
  const { unconverged, nonFinite } = {
    unconverged: run.buffers.report![1],
    nonFinite: run.buffers.report![2],
  };
  expect([unconverged, nonFinite], what).toEqual([0, 2]);
}

/** Whether a subgroup of the width holds whole matrices, as `resources` demands. */
const fits = (n: number, config: OneSidedConfig, width: number): boolean => {
  const need = oneSided.resources(eighProblem(n, 1), config).subgroup;
  return !need || (width >= need.minimum && width <= need.maximum);
};

describe("one-sided Jacobi, its text run on the CPU", () => {
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16]) {
    it(`decomposes every kind of matrix at n = ${n} without races, in sampled variants at every subgroup width that they claim`, () => {
      const configs = sample(oneSided.space(eighProblem(n, 1)), randomFrom(n), 40).filter(
        ({ workgroup }) => workgroup <= 64,
      );
      let ran = 0;
      for (const config of configs) {
        const width = WIDTHS.filter((one) => one <= config.workgroup && fits(n, config, one))[ran % 3];
        if (width === undefined || ran === 4) continue;
        expectRight(n, config, width);
        ran += 1;
      }
      expect(ran).toBeGreaterThan(1);
    });
  }

  it("writes no vectors where none are wanted, and the same values", () => {
    for (const exchange of ["subgroup", "memory"] as const) {
      expectRight(6, { workgroup: 32, split: 1, exchange, chunk: 4 }, 8, { vectors: "no" });
    }
  });

  it("gives a matrix the same bits whatever its neighbours are", () => {
    const config: OneSidedConfig = { workgroup: 32, split: 1, exchange: "subgroup", chunk: 4 };
    const problem = eighProblem(6, once, { spectrum: "mixed" });
    const all = runOnCpu(oneSided, problem, config, 32);
    // One matrix alone, with the same seed: the first of the batch, a random one, which needs fewer sweeps than the others.
    const alone = runOnCpu(oneSided, { ...problem, batch: 1 }, config, 32);
    expect(alone.buffers.values!.slice(0, 6)).toEqual(all.buffers.values!.slice(0, 6));
    expect(alone.buffers.vectors!.slice(0, 36)).toEqual(all.buffers.vectors!.slice(0, 36));
    expect(alone.buffers.status![1]).toBeLessThan(all.buffers.report![0]!);
  });

  it("refuses subgroups narrower than a matrix and wider than the workgroup", () => {
    const config: OneSidedConfig = { workgroup: 32, split: 1, exchange: "subgroup", chunk: 4 };
    expect(oneSided.resources(eighProblem(32, 1), config).subgroup).toEqual({ minimum: 16, maximum: 32 });
  });

  it("a matrix that is cut off after one sweep is flagged, and no other", () => {
    const problem = eighProblem(5, once, { spectrum: "mixed" });
    const config: OneSidedConfig = { workgroup: 32, split: 1, exchange: "subgroup", chunk: 4 };
    const short = {
      ...oneSided,
      plan: (...given: Parameters<typeof oneSided.plan>) => {
        const plan = oneSided.plan(...given);
        return {
          ...plan,
          modules: plan.modules.map(({ name, wgsl }) => ({
            name,
            wgsl: wgsl.replace("sweep < 40u", "sweep < 1u"),
          })),
        };
      },
    };
    const run = runOnCpu(short, problem, config, 16);
    const status = Array.from({ length: once }, (_, item) => run.buffers.status![2 * item]);
    const diagonal = KINDS.findIndex(({ name }) => name === "diagonal");
    expect(status[0]).toBe(1);
    expect(status[diagonal]).toBe(0);
    expect(run.buffers.report![1]).toBe(status.filter((one) => one === 1).length);
    expect(run.verdict.detail).toMatch(/^matrix 0: status 1 after 1 sweeps/);
  });
});
