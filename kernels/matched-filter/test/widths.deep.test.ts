import type { Config } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { afterAll, describe, expect, it } from "vitest";

/** A device with subgroups of 8, where its driver is installed; the embedded one has 4. */
const wide = await chooseDevice("llvmpipe-256").catch(() => undefined);
const bench: Bench | undefined =
  wide && process.env.TUNELAB_DEEP
    ? await openBench(wide, { entry: new URL("./host.ts", import.meta.url), profile: "portable" })
    : undefined;
afterAll(() => bench?.close());

const REST: Config = { butterfly: "merged", padding: 0, gap: 1, twiddles: "table", reduction: "subgroup" };

describe.skipIf(!bench)("shuffles on a device with subgroups of 8 (llvmpipe-256, skipped without it)", () => {
  const variants: readonly (readonly [config: Config, status: "ok" | "refused"])[] = [
    [{ radix: 8, workgroup: 32, chunk: 4, staging: "split", shuffle: 8 }, "ok"],
    [{ radix: 4, workgroup: 64, chunk: 4, staging: "whole", shuffle: 4 }, "ok"],
    [
      { radix: 8, workgroup: 16, chunk: 8, staging: "whole", shuffle: 4, loads: "vector", transforms: 2 },
      "ok",
    ],
    [{ radix: 16, workgroup: 16, chunk: 16, staging: "whole", shuffle: 16 }, "refused"],
  ];
  for (const [config, status] of variants) {
    it(`${JSON.stringify(config)} is ${status}`, async () => {
      const outcome = await bench!.measure({
        operation: "matched-filter",
        algorithm: "fused",
        problem: { n: 256, data: 2, templates: 4, pairs: 8 },
        config: { ...REST, tile: 1, hoist: false, ...config },
        isDefault: false,
        grade: "screened",
        seeds: [1],
        oracleSample: 4,
      });
      expect(outcome.status, outcome.reason).toBe(status);
      if (status === "refused") {
        expect(outcome.reason).toBe("is right for subgroups of 16 to 128, the device uses 8 to 8");
      } else expect(outcome.verdict!.matched, outcome.verdict!.detail).toBe(8);
    }, 120_000);
  }
});
