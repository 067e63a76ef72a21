import type { Config, TrialOutcome } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fourStep, type MatchedFilterProblem } from "../src/index.ts";

const entry = new URL("./host.ts", import.meta.url);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await chooseDevice("swiftshader"), { entry, profile: "portable" });
});
afterAll(() => bench.close());

const measure = (problem: MatchedFilterProblem, config?: Config): Promise<TrialOutcome> =>
  bench.measure({
    ...{ operation: "matched-filter", algorithm: "four-step", problem, isDefault: config === undefined },
    config: config ?? fourStep.defaultConfig(problem, bench.hello.info.capabilities),
    ...{ grade: "screened", seeds: [1, 2], oracleSample: 6 },
  });

function expectRight(outcome: TrialOutcome): void {
  const { verdict, status, reason, variant } = outcome;
  expect(status, `${variant}: ${reason ?? verdict?.detail}`).toBe("ok");
  expect(verdict!.matched, `${variant}: ${verdict!.detail}`).toBe(verdict!.total);
  expect(verdict!.maxError, variant).toBeLessThan(5e-7);
}

/** Everything that the default leaves off. */
const RICH: Config = {
  ...{ split: 16, radix: 8, butterfly: "merged", points: 8, chunk: 4, staging: "split", padding: 16, gap: 2 },
  ...{ twiddles: "constant", side: 2, between: "table", rows: 4, reduction: "subgroup", loads: "scalar" },
};

describe("four-step on the embedded GPU", () => {
  for (const n of [256, 512, 2048]) {
    it(`finds every planted lag to 5e-7 at n = ${n}: the default, and a variant with every other choice`, async () => {
      const problem = { n, data: 2, templates: 5, pairs: 10 };
      expectRight(await measure(problem));
      expectRight(await measure(problem, { ...RICH, split: n === 256 ? 16 : 32 }));
    }, 60_000);
  }

  it("finds them by pairs of points: neighbouring butterflies of radix 4 and 2, both reductions", async () => {
    for (const [n, split] of [
      [1024, 32],
      [512, 16],
    ] as const) {
      const problem = { n, data: 1, templates: 3, pairs: 3 };
      for (const reduction of ["tree", "subgroup"]) {
        const config = { ...RICH, split, radix: 4, twiddles: "table-pairs", loads: "vector", reduction };
        expectRight(await measure(problem, config));
      }
    }
  }, 60_000);

  it("finds them at n = 32768, beyond what one workgroup holds", async () => {
    expectRight(await measure({ n: 32_768, data: 1, templates: 2, pairs: 2 }));
  }, 120_000);

  it("tells no peak under a threshold, and every peak over it", async () => {
    for (const reduction of ["tree", "subgroup"]) {
      const problem = { n: 1024, data: 4, templates: 32, pairs: 128, threshold: 1 };
      expectRight(await measure(problem, { ...RICH, split: 32, reduction }));
    }
  }, 60_000);
});
