import type { Config } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MatchedFilterProblem, tileFused, twoKernel } from "../src/index.ts";
import { errorBound } from "./accuracy.ts";

const entry = new URL("./host.ts", import.meta.url);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await chooseDevice("swiftshader"), { entry, profile: "portable" });
});
afterAll(() => bench.close());

/** What the H200 is measured with, at its size or near: 16 points a thread, factors two a load. */
const WIDE: Config = {
  ...{
    coarseRadix: 16,
    coarsePoints: 16,
    coarseChunk: 16,
    coarseButterfly: "merged",
    coarseTwiddles: "table-pairs",
  },
  ...{
    refineRadix: 16,
    refineButterfly: "merged",
    refineChunk: 8,
    refineStaging: "split",
    refineTwiddles: "table",
  },
};

async function expectRight(
  algorithm: typeof twoKernel | typeof tileFused,
  problem: MatchedFilterProblem,
  changed: Config = {},
): Promise<number> {
  const { capabilities } = bench.hello.info;
  const config = { ...algorithm.defaultConfig(problem, capabilities), ...changed } as Config;
  const request = { operation: "matched-filter", algorithm: algorithm.name, problem, config };
  const outcome = await bench.measure({
    ...{ ...request, isDefault: false, grade: "screened", seeds: [1, 2], oracleSample: 64 },
  });
  expect(outcome.status, `${outcome.variant}: ${outcome.reason}`).toBe("ok");
  expect(outcome.verdict!.matched, outcome.verdict!.detail).toBe(outcome.verdict!.total);
  expect(outcome.verdict!.maxError).toBeLessThan(errorBound(config));
  return outcome.probes!["passed.survivors"]! / problem.pairs;
}

// A software GPU compiles these texts for seconds.
describe("long hierarchical filters on the embedded GPU", () => {
  for (const algorithm of [twoKernel, tileFused] as const) {
    it(`${algorithm.name} lets one pair in 32 of the published kind pass at n = 4096, and all that the threshold allows`, async () => {
      const problem = { n: 4096, data: 4, templates: 32, pairs: 128, threshold: 1 };
      for (const changed of [{}, { ...WIDE, refineWorkgroup: 256 }]) {
        expect(await expectRight(algorithm, problem, changed)).toBe(1 / 32);
      }
      expect(await expectRight(algorithm, { ...problem, threshold: 0.45 })).toBeGreaterThan(0.3);
    }, 300_000);
  }

  it("a fixed number of workgroups takes survivors in turn, few of them and all", async () => {
    for (const threshold of [1, 0.2]) {
      const problem = { n: 256, data: 12, templates: 64, pairs: 768, threshold };
      const share = await expectRight(twoKernel, problem, { queue: 512 });
      if (threshold < 1) expect(share).toBe(1);
      else expect(share).toBeLessThan(0.2);
    }
  }, 300_000);
});
