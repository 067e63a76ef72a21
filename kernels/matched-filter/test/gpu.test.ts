import type { Config, MeasureRequest, TrialOutcome } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { randomFrom, sample } from "@tunelab/variants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { corrReduce, fused } from "../src/index.ts";

const entry = new URL("./host.ts", import.meta.url);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await chooseDevice("swiftshader"), { entry, profile: "portable" });
});
afterAll(() => bench.close());

async function measure(
  n: number,
  pairs: number,
  algorithm: "fused" | "corr-reduce",
  config: Config,
): Promise<TrialOutcome> {
  const request: MeasureRequest = {
    operation: "matched-filter",
    algorithm,
    problem: { n, data: 2, templates: pairs / 2, pairs },
    config,
    isDefault: false,
    grade: "screened",
    seeds: [1, 2],
    oracleSample: 4,
  };
  return await bench.measure(request);
}

describe("the matched filter on the embedded GPU", () => {
  for (const n of [64, 128, 256, 512, 1024]) {
    for (const algorithm of [fused, corrReduce] as const) {
      it(`${algorithm.name} finds every planted lag at n = ${n}, by default and in sampled variants`, async () => {
        const problem = { n, data: 2, templates: 8, pairs: 16 };
        const space = algorithm.space(problem) as Parameters<typeof sample>[0];
        const configs = [
          algorithm.defaultConfig(problem, bench.hello.info.capabilities) as Config,
          ...sample(space, randomFrom(n), n > 256 ? 2 : 3),
        ].filter((config) => (config.workgroup as number) <= 256);
        for (const config of configs) {
          const outcome = await measure(n, 16, algorithm.name as "fused", config);
          if (outcome.status === "refused") continue;
          const { matched, total, maxError } = outcome.verdict!;
          expect([matched, total % 16], `${outcome.variant}: ${outcome.verdict!.detail}`).toEqual([total, 0]);
          // Cosines and sines of the device are as good as the device: SwiftShader's miss the bound, and the verdict says so.
          const computed = config.twiddles === "direct" || config.twiddles === "walk";
          if (computed) expect(outcome.status, outcome.variant).toBe("inaccurate");
          else expect(maxError, outcome.variant).toBeLessThan(1e-6);
          if (!computed) expect(outcome.status, outcome.variant).toBe("ok");
        }
      }, 60_000);
    }
  }
});
