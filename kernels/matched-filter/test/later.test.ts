import type { Config, TrialOutcome } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXACT } from "./accuracy.ts";

const entry = new URL("./host.ts", import.meta.url);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await chooseDevice("swiftshader"), { entry, profile: "portable" });
});
afterAll(() => bench.close());

const measure = (algorithm: string, config: Config): Promise<TrialOutcome> =>
  bench.measure({
    operation: "matched-filter",
    algorithm,
    // 2 x 9 pairs: the last workgroup of transforms side by side is part empty.
    problem: { n: 256, data: 2, templates: 9, pairs: 18 },
    config,
    isDefault: false,
    grade: "screened",
    seeds: [1],
    oracleSample: 4,
  });

const TRANSFORM: Config = {
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
  fused: { ...TRANSFORM, reduction: "subgroup", tile: 2, hoist: false },
  "corr-reduce": { ...TRANSFORM, scan: 64, reduction: "tree" },
};

/** Requests are older than the parameters that they do not name. */
const LATER: readonly Config[] = [
  { loads: "vector" },
  { loads: "vector", chunk: 4, staging: "split", padding: 16, gap: 2 },
  { transforms: 4 },
  { transforms: 8, loads: "vector" },
  { index: "mask" },
  { twiddles: "constant" },
  { shuffle: 4, workgroup: 64, chunk: 4 },
  { shuffle: 4, radix: 8, workgroup: 16, loads: "vector", transforms: 2 },
  { unroll: false },
  { unroll: false, staging: "split", padding: 8, twiddles: "constant" },
];

describe("parameters added later, on the embedded GPU", () => {
  for (const [algorithm, own] of Object.entries(OWN)) {
    for (const config of LATER) {
      it(`${algorithm} with ${JSON.stringify(config)} finds every lag`, async () => {
        const outcome = await measure(algorithm, { ...own, ...config });
        expect(outcome.status, outcome.reason).toBe("ok");
        expect(outcome.verdict!.matched, outcome.verdict!.detail).toBe(18);
        expect(outcome.verdict!.maxError).toBeLessThan(EXACT);
      }, 30_000);
    }
  }
});
