import { type Config, DEFAULT_CAPABILITIES, planHash } from "@tunelab/contract";
import { checkConfig, formatId, randomFrom, sample } from "@tunelab/variants";
import { interpretPlan } from "@tunelab/variants/interpreter";
import { describe, expect, it } from "vitest";
import { type MatchedFilterProblem, tileFused, twoKernel } from "../src/index.ts";
import { suite } from "../src/suite.ts";

/**
 * Parameters of either half that change how values travel and not which sums are made: every value gives the bits of the variant without
 * it, races with nobody, and finds every peak.
 */
const PROBLEM: MatchedFilterProblem = { n: 256, data: 2, templates: 5, pairs: 10, threshold: 0.7 };
/** Every pair passes the coarse pass: workgroups refine several pairs, one after the other. */
const LOUD: MatchedFilterProblem = { ...PROBLEM, threshold: 0.2 };

const ALGORITHMS = [twoKernel, tileFused] as const;
type Filter = (typeof ALGORITHMS)[number];

const configOf = (algorithm: Filter, changed: Config): Config => ({
  ...algorithm.defaultConfig(PROBLEM, DEFAULT_CAPABILITIES),
  ...changed,
});

const WIDTHS = [4, 8, 16, 32, 64];

/** The narrowest subgroups that a configuration's shuffles are right at; 0 without any. */
const lanesOf = ({ coarseShuffle, refineShuffle }: Config): number =>
  Math.max(0, Number(coarseShuffle ?? 0), Number(refineShuffle ?? 0));

function recordsOf(algorithm: Filter, config: Config, width: number, problem = PROBLEM): Uint32Array {
  const space = algorithm.space(problem) as Parameters<typeof formatId>[1];
  const what = `${formatId(algorithm.name, space, config)} at width ${width}`;
  expect(checkConfig(space, config), what).toBeUndefined();
  const inputs = suite.inputs(problem, 2);
  const plan = algorithm.plan(problem, config as never, DEFAULT_CAPABILITIES);
  const run = interpretPlan(plan, inputs, { subgroupSize: width });
  expect(run.faults, what).toEqual([]);
  const records = run.buffers.records as Uint32Array;
  const verdict = suite.oracle(problem, inputs).check({ records }, { count: problem.pairs, seed: 1 });
  expect(verdict.matched, `${what}: ${verdict.detail}`).toBe(problem.pairs);
  return records;
}

/** Both halves read by pairs, the refining one with two butterflies a thread. */
const VECTORS: Config = {
  ...{ coarseLoads: "vector", refineLoads: "vector" },
  ...{ refineWorkgroup: 16, refineChunk: 16 },
};

/** A parameter's values, and what they need beside them to be valid. */
const VALUES: readonly (readonly [values: Config, beside?: Config])[] = [
  [{ coarseIndex: "mask" }],
  [
    { coarseIndex: "mask", coarseUnroll: true },
    { coarseStaging: "split", coarseTile: 2, coarseHoist: true },
  ],
  [{ coarseUnroll: false }],
  [{ coarseUnroll: false }, { coarseStaging: "split", coarsePadding: 8, coarseTwiddles: "table-pairs" }],
  [{ coarseTwiddles: "constant" }],
  [{ coarseTwiddles: "constant" }, { coarseTile: 2, coarseHoist: true, coarseButterfly: "fused" }],
  [{ coarseShuffle: 4 }],
  [{ coarseShuffle: 4 }, { ...VECTORS, coarsePoints: 16, coarseRadix: 8, coarseChunk: 8 }],
  [{ coarseShuffle: 8 }, { coarsePoints: 8, coarseRadix: 8, coarseChunk: 8, coarseTile: 2 }],
  [{ refineIndex: "mask" }],
  [{ refineUnroll: false }, { refinePadding: 16, refineGap: 2 }],
  [{ refineTwiddles: "constant" }, { refineReduction: "subgroup" }],
  [{ refineShuffle: 4 }],
  [{ refineShuffle: 8 }, { refineRadix: 8, refineWorkgroup: 32, refineChunk: 4, refineStaging: "split" }],
  [
    { refineShuffle: 16 },
    { refineRadix: 16, refineWorkgroup: 16, refineChunk: 16, refineReduction: "subgroup" },
  ],
  [
    { coarseShuffle: 4, coarseTwiddles: "constant", refineShuffle: 4, refineTwiddles: "constant" },
    { coarseStaging: "split" },
  ],
];

for (const algorithm of ALGORITHMS) {
  describe(`${algorithm.name}: a parameter that changes how values travel`, () => {
    for (const [values, beside = {}] of VALUES) {
      it(`${JSON.stringify(values)} beside ${JSON.stringify(beside)}: another text, the same bits`, async () => {
        const base = configOf(algorithm, beside);
        const config = { ...base, ...values };
        const hash = (one: Config): Promise<string> =>
          planHash(algorithm.plan(PROBLEM, one as never, DEFAULT_CAPABILITIES));
        expect(await hash(config)).not.toBe(await hash(base));
        const want = recordsOf(algorithm, base, 8);
        // Without shuffles a width decides nothing that the reductions' own tests have not seen.
        const widths = lanesOf(config) > 0 ? WIDTHS : [8];
        for (const width of widths.filter((one) => one >= lanesOf(config)))
          expect(recordsOf(algorithm, config, width), `width ${width}`).toEqual(want);
      });
    }

    it("gives the bits of its plain variant in sampled configurations", () => {
      const space = algorithm.space(PROBLEM) as Parameters<typeof sample>[0];
      const later = space.parameters.filter(({ name, absent }) => absent !== undefined && name !== "queue");
      const configs = sample(space, randomFrom(9), 300)
        .filter((config) =>
          later.some(({ name, absent }) => /Shuffle|Unroll/.test(name) && config[name] !== absent),
        )
        .filter((config) => Number(config.coarseTile) <= 2 && Number(config.refineWorkgroup) <= 64)
        .slice(0, 4);
      expect(configs).toHaveLength(4);
      for (const [index, config] of configs.entries()) {
        const plain = { ...config, ...Object.fromEntries(later.map(({ name, absent }) => [name, absent!])) };
        if (config.coarseLoads === "vector") plain.coarseLoads = plain.refineLoads = "scalar";
        const width = Math.max([4, 16, 32, 64][index]!, lanesOf(config));
        expect(recordsOf(algorithm, config, width)).toEqual(recordsOf(algorithm, plain, width));
      }
    }, 30_000);
  });
}

/** Both halves exchange through shuffles alone. */
const SHUFFLED: Config = {
  ...{ coarseRadix: 8, coarsePoints: 8, coarseChunk: 8, coarseTile: 2, coarseShuffle: 8 },
  ...{ refineRadix: 16, refineWorkgroup: 16, refineChunk: 16, refineShuffle: 16 },
};

describe("halves without a barrier of their own", () => {
  for (const algorithm of ALGORITHMS) {
    for (const refineReduction of ["tree", "subgroup"]) {
      it(`${algorithm.name} leaves flags and the ${refineReduction} reduction alone until all are through with them`, () => {
        const queue: Config = algorithm === twoKernel ? { queue: 512, coarseSides: 4 } : {};
        const config = configOf(algorithm, { ...SHUFFLED, ...queue, refineReduction });
        const plain = { ...config, coarseShuffle: 0, refineShuffle: 0 };
        const { modules } = algorithm.plan(LOUD, config as never, DEFAULT_CAPABILITIES);
        for (const { name, wgsl } of modules) {
          expect(wgsl, name).not.toMatch(/stage/i);
          // Atomics race with nobody: that flags are cleared before the first is set no run on the CPU shows.
          if (/loud/.test(wgsl))
            expect(wgsl).toContain("atomicStore(&loud[lane], 0u); }\n  workgroupBarrier();");
        }
        const want = recordsOf(algorithm, plain, 16, LOUD);
        for (const width of [16, 64]) expect(recordsOf(algorithm, config, width, LOUD)).toEqual(want);
      });
    }
  }

  /** The text of a module without one of its lines, run on the CPU. */
  function faultsWithout(
    algorithm: Filter,
    changed: Config,
    module: string,
    from: string,
    to: string,
  ): readonly string[] {
    const plan = algorithm.plan(LOUD, configOf(algorithm, changed) as never, DEFAULT_CAPABILITIES);
    const modules = plan.modules.map((one) => {
      if (one.name !== module) return one;
      expect(one.wgsl).toContain(from);
      return { ...one, wgsl: one.wgsl.replace(from, to) };
    });
    const run = interpretPlan({ ...plan, modules }, suite.inputs(LOUD, 2), { subgroupSize: 16 });
    return run.faults.map(({ kind }) => kind);
  }

  it("a survivor that begins before all have read the last one's peak is named a race", () => {
    const config = { ...SHUFFLED, refineReduction: "tree" };
    const from = "    workgroupBarrier();\n    let m0 = ";
    expect(faultsWithout(tileFused, config, "tile", from, "    let m0 = ")).toContain("race");
    // One workgroup takes all survivors.
    const queued = { ...config, queue: 1 };
    expect(faultsWithout(twoKernel, queued, "refine", from, "    let m0 = ")).toContain("race");
  });
});
