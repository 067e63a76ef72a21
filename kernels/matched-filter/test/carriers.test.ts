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
function recordsOf(algorithm: Filter, problem: MatchedFilterProblem, config: Config, width = 8): Uint32Array {
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
const OWN: Readonly<Record<string, Config>> = {
  fused: { ...BASE, reduction: "tree", tile: 1, hoist: false, loads: "scalar" },
  "corr-reduce": { ...BASE, scan: 64, reduction: "tree", loads: "scalar" },
};

/** What each value needs beside it to be valid. */
const PARAMETERS: readonly (readonly [name: string, values: readonly Config[string][], beside?: Config])[] = [
  ["loads", ["vector"]],
  ["loads", ["vector"], { chunk: 4, staging: "split", padding: 16, gap: 2 }],
  ["loads", ["vector"], { chunk: 1, butterfly: "split" }],
  ["loads", ["vector"], { workgroup: 8, chunk: 4, twiddles: "table-pairs" }],
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
        const space = algorithm.space(problem);
        const later = space.parameters.filter(({ absent }) => absent !== undefined);
        const configs = sample(space, randomFrom(n), 400)
          .filter(
            (config) =>
              later.some((one) => config[one.name] !== one.absent) &&
              n / Number(config.workgroup) <= 4 * Number(config.chunk) &&
              Number(config.tile ?? 1) <= 2,
          )
          .slice(0, 4);
        expect(configs).toHaveLength(4);
        for (const [index, config] of configs.entries()) {
          const plain = { ...config, ...Object.fromEntries(later.map((one) => [one.name, one.absent!])) };
          const width = [4, 16, 32, 64][index]!;
          expect(recordsOf(algorithm, problem, config, width)).toEqual(recordsOf(algorithm, problem, plain));
        }
      }, 30_000);
    }
  });
}

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
