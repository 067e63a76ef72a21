import type { Config } from "@tunelab/contract";
import { afterAll, describe, expect, it } from "vitest";
import type { Direction, FftProblem, FourStepConfig, OneWorkgroupConfig } from "../src/index.ts";
import { openGpu } from "./gpu/gpu.ts";

const gpu = await openGpu();
afterAll(() => gpu?.close());

/** Eight points a thread: a software GPU compiles them in a fraction of the default's time. */
const EIGHT: Omit<FourStepConfig, "split" | "side"> = {
  radix: 8,
  butterfly: "split",
  points: 8,
  chunk: 8,
  staging: "split",
  padding: 0,
  gap: 1,
  twiddles: "table",
  between: "two-level",
  layout: "rows",
};

/** Runs a variant, the default unless given, on every item in full; gives the digests of its outputs. */
async function expectRight(
  algorithm: string,
  problem: FftProblem,
  config?: Config,
): Promise<readonly string[]> {
  const outcome = await gpu!.run({ algorithm, problem, ...(config ? { config } : {}) });
  const what = `${problem.direction}: ${outcome.refused ?? outcome.failed ?? outcome.verdict?.detail}`;
  expect(outcome.verdict?.matched, what).toBe(problem.batch);
  expect(outcome.verdict!.maxError).toBeLessThan(5e-7);
  return outcome.digests!;
}

const DIRECTIONS: readonly (readonly [Direction, Direction])[] = [
  ["forward", "inverse"],
  ["inverse", "forward"],
];

// A software GPU compiles these texts for seconds.
describe.runIf(gpu)("long transforms on the embedded GPU", () => {
  for (const [index, n] of [2048, 4096, 8192, 16_384].entries()) {
    const [direction, opposite] = DIRECTIONS[index % 2]!;
    it(`builds of n = ${n} for 8, 16 and 32 KiB agree bit for bit, ${direction}, and are right to 5e-7; so is the default, ${opposite}`, async () => {
      const workgroup = Math.min(256, n / 16);
      const digests = [];
      for (const kibibytes of [8, 16, 32]) {
        const config: OneWorkgroupConfig = {
          radix: 16,
          butterfly: "fused",
          workgroup,
          chunk: Math.min(n / workgroup, (kibibytes * 1024) / 8 / workgroup),
          staging: "whole",
          padding: 0,
          gap: 1,
          twiddles: "table",
          transforms: 1,
          loads: "scalar",
        };
        digests.push(await expectRight("one-workgroup", { n, batch: 2, direction }, config));
      }
      for (const one of digests) expect(one).toEqual(digests[0]);
      await expectRight("one-workgroup", { n, batch: 2, direction: opposite });
    }, 300_000);
  }

  for (const [index, n] of [32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576].entries()) {
    const [direction, opposite] = DIRECTIONS[index % 2]!;
    it(`four-step is right to 5e-7 at n = ${n}: the default ${direction}, eight points a thread ${opposite}`, async () => {
      // The quick tests have the default at 32768.
      if (n > 32_768) await expectRight("four-step", { n, batch: 1, direction });
      const split = 2 ** Math.ceil(Math.log2(n) / 2);
      const config: FourStepConfig = { ...EIGHT, split, side: 2048 / split };
      await expectRight("four-step", { n, batch: 1, direction: n > 32_768 ? opposite : "inverse" }, config);
    }, 300_000);
  }
});
