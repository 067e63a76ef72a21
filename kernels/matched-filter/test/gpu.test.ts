import type { Config, MeasureRequest, TrialOutcome } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { randomFrom, sample } from "@tunelab/variants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { corrReduce, fused } from "../src/index.ts";
import { errorBound } from "./accuracy.ts";

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

/** More than 16 points a thread take a software GPU many seconds to compile: the long tests have them. */
const light = (space: Parameters<typeof sample>[0], n: number): Parameters<typeof sample>[0] => ({
  ...space,
  constraints: [
    ...space.constraints,
    {
      name: "light",
      doc: "n / workgroup <= 16",
      parameters: ["workgroup"],
      holds: ({ workgroup }) => n / (workgroup as number) <= 16,
    },
  ],
});

describe("the matched filter on the embedded GPU", () => {
  for (const n of [64, 128, 256, 512, 1024]) {
    for (const algorithm of [fused, corrReduce] as const) {
      it(`${algorithm.name} finds every planted lag at n = ${n}, by default and in sampled variants`, async () => {
        const problem = { n, data: 2, templates: 8, pairs: 16 };
        const space = light(algorithm.space(problem) as Parameters<typeof sample>[0], n);
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
          else expect(maxError, outcome.variant).toBeLessThan(errorBound(config));
          if (!computed) expect(outcome.status, outcome.variant).toBe("ok");
        }
      }, 60_000);
    }
  }

  for (const butterfly of ["split", "fused", "merged"] as const) {
    for (const twiddles of ["table", "table-pairs", "table-walk"] as const) {
      it(`${butterfly} butterflies with twiddles from ${twiddles}, hoisted out of a tile that the pairs end within, find every lag`, async () => {
        const chosen = { radix: 8, workgroup: 32, chunk: 8, staging: "whole", padding: 16, gap: 2 };
        for (const reduction of ["tree", "subgroup"] as const) {
          const config = { ...chosen, butterfly, twiddles, reduction, tile: 4, hoist: true };
          // 2 x 9 pairs in tiles of 4: tiles cross from one data spectrum to the next, and the last holds 2 pairs.
          const outcome = await measure(256, 18, "fused", config);
          expect(outcome.status, outcome.reason).toBe("ok");
          expect(outcome.verdict!.matched, outcome.verdict!.detail).toBe(outcome.verdict!.total);
          expect(outcome.verdict!.maxError, outcome.variant).toBeLessThan(errorBound(config));
        }
      });
    }
  }

  for (const reduction of ["tree", "subgroup"] as const) {
    it(`flat algorithms report no peak under a threshold, with the ${reduction} reduction`, async () => {
      for (const threshold of [0.6, 1]) {
        const problem = { n: 256, data: 4, templates: 32, pairs: 128, threshold };
        for (const algorithm of [fused, corrReduce] as const) {
          const { capabilities } = bench.hello.info;
          const config: Config = { ...algorithm.defaultConfig(problem, capabilities), reduction };
          const outcome = await bench.measure({
            ...{ operation: "matched-filter", algorithm: algorithm.name, problem, config },
            ...{ isDefault: false, grade: "screened", seeds: [1, 2], oracleSample: 16 },
          });
          expect(outcome.status, outcome.reason).toBe("ok");
          expect(outcome.verdict!.matched, outcome.verdict!.detail).toBe(256);
          expect(outcome.verdict!.maxError, outcome.variant).toBeLessThan(errorBound(config));
        }
      }
    });
  }

  for (const fault of ["no-barrier", "index-off-by-one", "no-last-twiddle"]) {
    it(`a text with ${fault} is called wrong, with the first pair that shows it`, async () => {
      const outcome = await bench.measure({
        operation: fault,
        algorithm: "fused",
        problem: { n: 128, data: 2, templates: 8, pairs: 16 },
        config: {
          radix: 8,
          butterfly: "fused",
          workgroup: 16,
          chunk: 8,
          staging: "whole",
          padding: 0,
          gap: 1,
          twiddles: "table",
          reduction: "tree",
          tile: 1,
          hoist: false,
        },
        isDefault: false,
        grade: "screened",
        seeds: [1],
        oracleSample: 4,
      });
      expect(outcome.status).toBe("wrong");
      expect(outcome.verdict!.matched).toBeLessThan(outcome.verdict!.total);
      expect(outcome.verdict!.detail).toMatch(/^pair \d+: /);
    });
  }
});
