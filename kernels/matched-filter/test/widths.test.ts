import { type Config, DEFAULT_CAPABILITIES, type Plan } from "@tunelab/contract";
import { randomFrom, sample } from "@tunelab/variants";
import { interpretPlan, type PlanReport } from "@tunelab/variants/interpreter";
import { describe, expect, it } from "vitest";
import { corrReduce, fused, type MatchedFilterProblem } from "../src/index.ts";
import { suite } from "../src/suite.ts";

const WIDTHS = [4, 8, 16, 32, 64] as const;
/** Lags that fall into every quarter of a 64-thread workgroup, so that no subgroup is idle. */
const PROBLEM: MatchedFilterProblem = { n: 256, data: 3, templates: 4, pairs: 12 };
const inputs = suite.inputs(PROBLEM, 2);

function run(plan: Plan, subgroupSize: number): PlanReport & { matched: number } {
  const report = interpretPlan(plan, inputs, { subgroupSize });
  const records = report.buffers.records!;
  const verdict = suite.oracle(PROBLEM, inputs).check({ records }, { count: PROBLEM.pairs, seed: 1 });
  return { ...report, matched: verdict.matched };
}

const planOf = (algorithm: typeof fused | typeof corrReduce, config: Config): Plan =>
  algorithm.plan(PROBLEM, config as never, DEFAULT_CAPABILITIES);

describe("the matched filter's texts, run on the CPU at subgroup widths 4 to 64", () => {
  for (const algorithm of [fused, corrReduce]) {
    for (const reduction of ["subgroup", "tree"] as const) {
      it(`${algorithm.name} with the ${reduction} reduction finds every peak at every width, without a race`, () => {
        const space = algorithm.space(PROBLEM) as Parameters<typeof sample>[0];
        const configs = sample(space, randomFrom(5), 400)
          .filter((config) => config.reduction === reduction && Number(config.chunk) >= 4)
          // Shuffles are right only where subgroups are wide enough: `carriers.test.ts`.
          .filter((config) => config.shuffle === 0)
          .slice(0, 2);
        expect(configs).toHaveLength(2);
        for (const config of configs) {
          for (const width of WIDTHS) {
            const { matched, faults } = run(planOf(algorithm, config), width);
            const what = `${JSON.stringify(config)} at width ${width}`;
            expect(faults, what).toEqual([]);
            expect(matched, what).toBe(PROBLEM.pairs);
          }
        }
      });
    }
  }
});

describe("a reduction that takes subgroups for 32 wide", () => {
  it("is right at widths 32 and 64, wrong below, and shows in nothing else", () => {
    const config: Config = {
      ...fused.defaultConfig(PROBLEM, DEFAULT_CAPABILITIES),
      workgroup: 64,
      reduction: "subgroup",
    };
    const plan = planOf(fused, config);
    const [module] = plan.modules;
    const wgsl = module!.wgsl.replaceAll("subgroupElect()", "t % 32u == 0u");
    expect(wgsl).not.toBe(module!.wgsl);
    const broken = { ...plan, modules: [{ ...module!, wgsl }] };
    for (const width of WIDTHS) {
      const { matched, faults } = run(broken, width);
      expect(faults, `width ${width}`).toEqual([]);
      if (width >= 32) expect(matched, `width ${width}`).toBe(PROBLEM.pairs);
      else expect(matched, `width ${width}`).toBeLessThan(PROBLEM.pairs);
    }
  });
});
