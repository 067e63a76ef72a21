import { afterAll, describe, expect, it } from "vitest";
import type { Direction, FftProblem, OneWorkgroupConfig } from "../src/index.ts";
import { openGpu } from "./gpu/gpu.ts";

const gpu = await openGpu();
afterAll(() => gpu?.close());

// A software GPU compiles these texts for seconds.
describe.runIf(gpu)("long transforms on the embedded GPU", () => {
  for (const [index, n] of [2048, 4096, 8192, 16_384].entries()) {
    it(`builds of n = ${n} for 8, 16 and 32 KiB agree bit for bit, and are right to 5e-7`, async () => {
      const problem: FftProblem = { n, batch: 2, direction: index % 2 ? "inverse" : "forward" };
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
        const outcome = await gpu!.run({ algorithm: "one-workgroup", problem, config });
        expect(outcome.verdict?.matched, outcome.refused ?? outcome.failed ?? outcome.verdict?.detail).toBe(
          2,
        );
        expect(outcome.verdict!.maxError).toBeLessThan(5e-7);
        digests.push(outcome.digests);
      }
      for (const one of digests) expect(one).toEqual(digests[0]);
    }, 300_000);
  }

  for (const [index, n] of [65_536, 131_072, 262_144, 524_288, 1_048_576].entries()) {
    it(`four-step is right to 5e-7 at n = ${n} by default`, async () => {
      const direction: Direction = index % 2 ? "inverse" : "forward";
      const outcome = await gpu!.run({ algorithm: "four-step", problem: { n, batch: 1, direction } });
      expect(outcome.verdict?.matched, outcome.refused ?? outcome.failed ?? outcome.verdict?.detail).toBe(1);
      expect(outcome.verdict!.maxError).toBeLessThan(5e-7);
    }, 300_000);
  }
});
