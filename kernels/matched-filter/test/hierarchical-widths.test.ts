import { type Config, DEFAULT_CAPABILITIES, type Plan } from "@tunelab/contract";
import { interpretPlan, type PlanReport } from "@tunelab/variants/interpreter";
import { describe, expect, it } from "vitest";
import { type MatchedFilterProblem, tileFused, twoKernel } from "../src/index.ts";
import { suite } from "../src/suite.ts";

const WIDTHS = [4, 8, 16, 32, 64] as const;
const PROBLEM: MatchedFilterProblem = { n: 256, data: 3, templates: 7, pairs: 21, threshold: 0.7 };
const inputs = suite.inputs(PROBLEM, 2);

function run(plan: Plan, subgroupSize: number): PlanReport & { matched: number; detail: string | undefined } {
  const report = interpretPlan(plan, inputs, { subgroupSize });
  const { records } = report.buffers;
  const sample = { count: PROBLEM.pairs, seed: 1 };
  const { matched, detail } = suite.oracle(PROBLEM, inputs).check({ records: records! }, sample);
  return { ...report, matched, detail };
}

function planOf(algorithm: typeof twoKernel | typeof tileFused, changed: Config = {}): Plan {
  const config = { ...algorithm.defaultConfig(PROBLEM, DEFAULT_CAPABILITIES), ...changed };
  return algorithm.plan(PROBLEM, config as never, DEFAULT_CAPABILITIES);
}

/** The plan with one of its texts changed. */
function changedIn(plan: Plan, name: string, from: string, to: string): Plan {
  const modules = plan.modules.map((one) => {
    if (one.name !== name) return one;
    expect(one.wgsl).toContain(from);
    const at = one.wgsl.lastIndexOf(from);
    return { ...one, wgsl: one.wgsl.slice(0, at) + to + one.wgsl.slice(at + from.length) };
  });
  return { ...plan, modules };
}

describe("the hierarchical texts, run on the CPU at subgroup widths 4 to 64", () => {
  for (const algorithm of [twoKernel, tileFused] as const) {
    for (const refineReduction of ["subgroup", "tree"] as const) {
      it(`${algorithm.name} with the ${refineReduction} reduction finds every peak at every width, without a race`, () => {
        const plan = planOf(algorithm, { refineReduction, coarseTile: 2 });
        for (const width of WIDTHS) {
          const { matched, faults, detail } = run(plan, width);
          expect(faults, `width ${width}`).toEqual([]);
          expect(matched, `width ${width}: ${detail}`).toBe(PROBLEM.pairs);
        }
      });
    }

    it(`${algorithm.name}: an exchange that the next pair begins before all have read the last is named a race`, () => {
      const plan = planOf(algorithm, { coarseTile: 2 });
      const module = algorithm === twoKernel ? "coarse" : "tile";
      const end = "atomicStore(&loud[mine], 1u); }\n    workgroupBarrier();";
      const { faults } = run(changedIn(plan, module, end, "atomicStore(&loud[mine], 1u); }"), 4);
      expect(faults.map(({ kind }) => kind)).toContain("race");
    });
  }

  it("two-kernel: the survivors' dispatch is as large as the worklist, and every survivor is in it once", () => {
    const { buffers } = run(planOf(twoKernel), 4);
    const [x, y, z, survivors] = buffers.counters!;
    expect([x, y, z]).toEqual([survivors, 1, 1]);
    expect(survivors).toBe(buffers.passed![0]);
    expect(survivors).toBeGreaterThan(0);
    expect(survivors).toBeLessThan(PROBLEM.pairs);
    const list = [...buffers.worklist!.subarray(0, survivors)];
    expect(new Set(list).size).toBe(survivors);
    expect(Math.max(...list)).toBeLessThan(PROBLEM.pairs);
  });

  it("two-kernel: workgroups that take survivors in turn refine every one, without a race", () => {
    for (const refineReduction of ["subgroup", "tree"]) {
      // 5 workgroups for a dozen survivors; one for 21 would be the whole worklist in one workgroup.
      for (const queue of [5, 1]) {
        const { matched, faults, detail } = run(planOf(twoKernel, { queue, refineReduction }), 8);
        expect(faults, `queue ${queue}`).toEqual([]);
        expect(matched, `queue ${queue}: ${detail}`).toBe(PROBLEM.pairs);
      }
    }
  });

  it("tile-fused: a list of survivors that not everybody sees is named a race", () => {
    const plan = planOf(tileFused);
    const { faults } = run(
      changedIn(plan, "tile", "let turns = workgroupUniformLoad(&count);", "let turns = count;"),
      4,
    );
    expect(faults.map(({ kind }) => kind)).toContain("race");
  });
});
