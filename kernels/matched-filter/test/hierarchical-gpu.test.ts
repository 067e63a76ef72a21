import type { Config, TrialOutcome } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MatchedFilterProblem, tileFused, twoKernel } from "../src/index.ts";

const entry = new URL("./host.ts", import.meta.url);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await chooseDevice("swiftshader"), { entry, profile: "portable" });
});
afterAll(() => bench.close());

/** 100 pairs, so that the last workgroup of any tile has fewer. */
const SPECTRA = { data: 5, templates: 20, pairs: 100 };

type Threshold = Pick<Required<MatchedFilterProblem>, "n" | "threshold">;

function measure(
  name: "two-kernel" | "tile-fused",
  { n, threshold }: Threshold,
  changed: Config = {},
  operation = "matched-filter",
): Promise<TrialOutcome> {
  const problem = { n, ...SPECTRA, threshold };
  const algorithm = name === "two-kernel" ? twoKernel : tileFused;
  const { capabilities } = bench.hello.info;
  const config = { ...algorithm.defaultConfig(problem, capabilities), ...changed } as Config;
  const request = { operation, algorithm: name, problem, config, isDefault: false };
  return bench.measure({ ...request, grade: "screened", seeds: [1, 2], oracleSample: 16 });
}

/** Share of pairs that passed the coarse pass of the last run. */
const escalating = ({ probes }: TrialOutcome): number => probes!["passed.survivors"]! / SPECTRA.pairs;

describe("hierarchical matched filters on the embedded GPU", () => {
  for (const name of ["two-kernel", "tile-fused"] as const) {
    it(`${name} misses no peak and invents none, at seven thresholds that let none to all of the pairs pass`, async () => {
      const shares: number[] = [];
      for (const threshold of [0.2, 0.6, 0.7, 0.8, 0.95, 1, 1.4]) {
        const outcome = await measure(name, { n: 256, threshold });
        expect(outcome.status, `${threshold}: ${outcome.reason}`).toBe("ok");
        expect(outcome.verdict!.matched, outcome.verdict!.detail).toBe(outcome.verdict!.total);
        expect(outcome.verdict!.maxError).toBeLessThan(1e-6);
        shares.push(escalating(outcome));
      }
      expect(shares[0]).toBe(1);
      expect(shares.at(-1)).toBe(0);
      expect(shares.filter((share) => share > 0.3 && share < 1).length).toBeGreaterThan(0);
      expect(shares).toEqual([...shares].sort((a, b) => b - a));
    });
  }
});
