import { type Algorithm, type Config, DEFAULT_CAPABILITIES, planHash } from "@tunelab/contract";
import { checkConfig, formatId, randomFrom, sample } from "@tunelab/variants";
import { interpretPlan } from "@tunelab/variants/interpreter";
import { describe, expect, it } from "vitest";
import { corrReduce, fused, type MatchedFilterProblem } from "../src/index.ts";
import { suite } from "../src/suite.ts";

/**
 * Parameters that change how values travel and not which sums are made: every value gives the bits of the variant without it, races
 * with nobody, and finds every planted lag.
 */

type Filter = Algorithm<MatchedFilterProblem>;
const ALGORITHMS = { fused, "corr-reduce": corrReduce } as unknown as Readonly<Record<string, Filter>>;

const problemOf = (n: number, pairs = 6): MatchedFilterProblem => ({
  n,
  data: 2,
  templates: pairs / 2,
  pairs,
});

/** A variant's records as bits, run on the CPU; every lag found, and nothing that a GPU would let pass. */
function recordsOf(algorithm: Filter, problem: MatchedFilterProblem, config: Config, least = 8): Uint32Array {
  const width = Math.max(least, Number(config.shuffle ?? 0));
  const what = `${formatId(algorithm.name, algorithm.space(problem), config)} at n = ${problem.n}, width ${width}`;
  expect(checkConfig(algorithm.space(problem), config), what).toBeUndefined();
  const inputs = suite.inputs(problem, 1);
  const run = interpretPlan(algorithm.plan(problem, config, DEFAULT_CAPABILITIES), inputs, {
    subgroupSize: width,
  });
  expect(run.faults, what).toEqual([]);
  const records = run.buffers.records as Uint32Array;
  const verdict = suite.oracle(problem, inputs).check({ records }, { count: problem.pairs, seed: 1 });
  expect(verdict.matched, `${what}: ${verdict.detail}`).toBe(problem.pairs);
  return records;
}

const BASE: Config = {
  radix: 4,
  butterfly: "merged",
  workgroup: 32,
  chunk: 8,
  staging: "whole",
  padding: 0,
  gap: 1,
  twiddles: "table",
};
/** Every parameter added later at the value that ids without it mean. */
const PLAIN: Config = { loads: "scalar", transforms: 1, index: "modulo", unroll: true, shuffle: 0 };
const OWN: Readonly<Record<string, Config>> = {
  fused: { ...BASE, reduction: "tree", tile: 1, hoist: false, ...PLAIN },
  "corr-reduce": { ...BASE, scan: 64, reduction: "tree", ...PLAIN },
};

/** What each value needs beside it to be valid. */
const PARAMETERS: readonly (readonly [name: string, values: readonly Config[string][], beside?: Config])[] = [
  ["loads", ["vector"]],
  ["loads", ["vector"], { chunk: 4, staging: "split", padding: 16, gap: 2 }],
  ["loads", ["vector"], { chunk: 1, butterfly: "split" }],
  ["loads", ["vector"], { workgroup: 8, chunk: 4, twiddles: "table-pairs" }],
  ["transforms", [2, 4, 8]],
  ["transforms", [2, 4, 8], { reduction: "subgroup", staging: "split", padding: 8 }],
  ["index", ["mask"]],
  ["index", ["mask"], { workgroup: 16, chunk: 16, radix: 8, staging: "split" }],
  ["unroll", [false]],
  ["unroll", [false], { staging: "split", padding: 8, gap: 2, twiddles: "table-pairs" }],
  ["unroll", [false], { butterfly: "split", radix: 2, twiddles: "table-walk" }],
  ["unroll", [false], { butterfly: "fused", workgroup: 16, chunk: 16, padding: 8, twiddles: "constant" }],
  ["shuffle", [4], { workgroup: 64, chunk: 4 }],
  ["shuffle", [8], { radix: 8, chunk: 4, staging: "split", padding: 16, gap: 2 }],
  ["shuffle", [16], { radix: 16, workgroup: 16, chunk: 16, transforms: 4 }],
  ["shuffle", [4], { radix: 8, workgroup: 16, chunk: 8, loads: "vector", twiddles: "table-pairs" }],
  ["twiddles", ["constant"]],
  ["twiddles", ["constant"], { butterfly: "fused", radix: 8 }],
  ["transforms", [4], { workgroup: 8, chunk: 16, loads: "vector" }],
];

for (const [name, algorithm] of Object.entries(ALGORITHMS)) {
  describe(`${name}: a parameter that changes how values travel`, () => {
    for (const [parameter, values, beside = {}] of PARAMETERS) {
      it(`${parameter}=${values.join(" ")} ${JSON.stringify(beside)}: another text, the same bits`, async () => {
        const problem = problemOf(256);
        const plain = { ...OWN[name]!, ...beside };
        const want = recordsOf(algorithm, problem, plain);
        const hash = (config: Config): Promise<string> =>
          planHash(algorithm.plan(problem, config, DEFAULT_CAPABILITIES));
        for (const value of values) {
          const config = { ...plain, [parameter]: value };
          expect(await hash(config)).not.toBe(await hash(plain));
          expect(recordsOf(algorithm, problem, config)).toEqual(want);
        }
      });
    }

    for (const n of [64, 128, 512, 1024]) {
      it(`gives the bits of its plain variant in sampled configurations at n = ${n}`, () => {
        const problem = problemOf(n, 4);
        const count = n > 256 ? 2 : 4;
        const space = algorithm.space(problem);
        const later = space.parameters.filter(({ absent }) => absent !== undefined);
        const configs = sample(space, randomFrom(n), 400)
          .filter(
            (config) =>
              later.some((one) => config[one.name] !== one.absent) &&
              n / Number(config.workgroup) <= 4 * Number(config.chunk) &&
              Number(config.tile ?? 1) <= 2,
          )
          .slice(0, count);
        expect(configs).toHaveLength(count);
        for (const [index, config] of configs.entries()) {
          const plain = { ...config, ...Object.fromEntries(later.map((one) => [one.name, one.absent!])) };
          const width = [4, 16, 32, 64][index]!;
          expect(recordsOf(algorithm, problem, config, width)).toEqual(recordsOf(algorithm, problem, plain));
        }
      }, 30_000);
    }
  });
}

describe("a transform without a barrier of its own", () => {
  for (const reduction of ["tree", "subgroup"] as const) {
    it(`leaves the ${reduction} reduction's variables of one pair alone until the next one's threads are all there`, () => {
      const problem = problemOf(256, 8);
      const config = { ...OWN.fused!, radix: 16, workgroup: 16, chunk: 16, reduction, tile: 4 };
      const shuffled = { ...config, shuffle: 16 };
      const want = recordsOf(ALGORITHMS.fused!, problem, config);
      expect(recordsOf(ALGORITHMS.fused!, problem, shuffled)).toEqual(want);
      const [module] = ALGORITHMS.fused!.plan(problem, shuffled, DEFAULT_CAPABILITIES).modules;
      expect(module!.wgsl).not.toContain("stage");
      // Two transforms in one workgroup of two subgroups: the race would show between them.
      expect(recordsOf(ALGORITHMS.fused!, problem, { ...shuffled, tile: 2, transforms: 2 })).toEqual(want);
    });
  }
});

describe("transforms side by side", () => {
  for (const reduction of ["tree", "subgroup"] as const) {
    it(`by the ${reduction} reduction keep their peaks apart at every width, in tiles that the pairs end within`, () => {
      const problem = problemOf(64, 14);
      const base = { ...OWN.fused!, workgroup: 8, reduction, radix: 8 };
      const want = recordsOf(ALGORITHMS.fused!, problem, base);
      for (const width of [4, 8, 16, 32, 64]) {
        for (const [tile, transforms] of [
          [1, 4],
          [2, 4],
          [4, 2],
          [1, 8],
        ] as const) {
          const got = recordsOf(ALGORITHMS.fused!, problem, { ...base, tile, transforms }, width);
          expect(got, `tile ${tile}, transforms ${transforms}`).toEqual(want);
        }
      }
    });
  }

  it("mix up where a wide subgroup's maximum is taken for each of its transforms", () => {
    const problem = problemOf(64, 8);
    const config = { ...OWN.fused!, workgroup: 8, reduction: "subgroup", transforms: 4 };
    const plan = ALGORITHMS.fused!.plan(problem, config, DEFAULT_CAPABILITIES);
    const [module] = plan.modules;
    const wgsl = module!.wgsl.replace(
      "let alone = subgroupMin(side) == subgroupMax(side);",
      "let alone = true;",
    );
    expect(wgsl).not.toBe(module!.wgsl);
    const inputs = suite.inputs(problem, 1);
    const matched = (subgroupSize: number): number => {
      const broken = { ...plan, modules: [{ ...module!, wgsl }] };
      const records = interpretPlan(broken, inputs, { subgroupSize }).buffers.records!;
      return suite.oracle(problem, inputs).check({ records }, { count: 0, seed: 1 }).matched;
    };
    expect(matched(8)).toBe(8);
    expect(matched(32)).toBeLessThan(8);
  });

  it("claim what they declare: memory, invocations and the batch's quantum", () => {
    const problem = problemOf(64, 8);
    const one = { ...OWN.fused!, workgroup: 8, tile: 2 };
    const four = { ...one, transforms: 4 };
    const resources = (config: Config) => ALGORITHMS.fused!.resources(problem, config);
    expect(resources(four).invocations).toBe(4 * resources(one).invocations);
    expect(resources(four).workgroupBytes).toBe(4 * resources(one).workgroupBytes);
    const { batch, steps } = ALGORITHMS.fused!.plan(problem, four, DEFAULT_CAPABILITIES);
    expect(batch.quantum).toBe(8);
    expect(steps[0]).toMatchObject({ groups: { perItem: { groups: 1, items: 8 } } });
  });
});

it("vector loads ask storage for half as many words of spectra, each for two points", () => {
  const problem = problemOf(1024);
  const config = { ...OWN.fused!, workgroup: 128 };
  const loads = (loads: string): number => {
    const [{ wgsl }] = ALGORITHMS.fused!.plan(problem, { ...config, loads }, DEFAULT_CAPABILITIES)
      .modules as [{ wgsl: string }];
    return wgsl.match(/= (?:data|templates)\[source\.[xy]\]\[/g)!.length;
  };
  expect(loads("scalar")).toBe(2 * 8);
  expect(loads("vector")).toBe(8);
});
