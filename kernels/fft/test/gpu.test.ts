import type { Config } from "@tunelab/contract";
import { afterAll, describe, expect, it } from "vitest";
import type { Direction, FftProblem, FourStepConfig, OneWorkgroupConfig } from "../src/index.ts";
import { openGpu } from "./gpu/gpu.ts";

const gpu = await openGpu();
afterAll(() => gpu?.close());

interface Right {
  readonly algorithm: "one-workgroup" | "four-step";
  readonly problem: FftProblem;
  /** The default where none is given. */
  readonly config?: Config;
}

/** Runs a variant: every item must be right. Returns the largest error. */
async function errorOf({ algorithm, problem, config }: Right): Promise<number> {
  const outcome = await gpu!.run({ algorithm, problem, ...(config ? { config } : {}) });
  const { verdict, refused, failed } = outcome;
  const what = `${algorithm} ${JSON.stringify(config ?? "default")}: ${refused ?? failed ?? verdict?.detail}`;
  expect(verdict?.matched, what).toBe(problem.batch);
  return verdict!.maxError;
}

/** Everything that the default leaves off: fused butterflies, pairs of points, chunks, padding, walked factors, neighbours. */
const rich = (n: number): OneWorkgroupConfig => ({
  radix: 4,
  butterfly: "fused",
  workgroup: n / 8,
  chunk: 2,
  staging: "split",
  padding: 8,
  gap: 2,
  twiddles: "table-walk",
  transforms: n < 512 ? 4 : 2,
  loads: "vector",
});

const richFour = (n: number): FourStepConfig => ({
  split: n === 512 ? 16 : 64,
  radix: 8,
  butterfly: "fused",
  points: 8,
  chunk: 4,
  staging: "split",
  padding: 16,
  gap: 4,
  twiddles: "table-walk",
  side: 2,
  between: "walk",
  layout: "tiles",
});

/** Bound for factors that come from float64. */
const EXACT = 5e-7;
const opposite: Readonly<Record<Direction, Direction>> = { forward: "inverse", inverse: "forward" };

describe.runIf(gpu)("the transform on the embedded GPU", () => {
  for (const [index, n] of [64, 128, 256, 512, 1024].entries()) {
    const direction: Direction = index % 2 ? "inverse" : "forward";
    it(`one-workgroup is right to 5e-7 at n = ${n}: the default ${direction}, a variant with every other choice ${opposite[direction]}`, async () => {
      // 11 items: the last workgroup is part filled wherever transforms share one.
      const problem = { n, batch: 11, direction };
      expect(await errorOf({ algorithm: "one-workgroup", problem })).toBeLessThan(EXACT);
      const other = { ...problem, direction: opposite[direction] };
      expect(await errorOf({ algorithm: "one-workgroup", problem: other, config: rich(n) })).toBeLessThan(
        EXACT,
      );
    }, 60_000);
  }

  for (const [index, n] of [512, 4096, 32_768].entries()) {
    const direction: Direction = index % 2 ? "inverse" : "forward";
    it(`four-step is right to 5e-7 at n = ${n}: the default ${direction}, a variant with every other choice ${opposite[direction]}`, async () => {
      const problem = { n, batch: 3, direction };
      expect(await errorOf({ algorithm: "four-step", problem })).toBeLessThan(EXACT);
      const other = { ...problem, direction: opposite[direction] };
      if (n > 4096) return;
      expect(await errorOf({ algorithm: "four-step", problem: other, config: richFour(n) })).toBeLessThan(
        EXACT,
      );
    }, 60_000);
  }

  it("factors that the kernel computes are as accurate as the device's cosines: right, and over the bound here", async () => {
    const problem: FftProblem = { n: 64, batch: 3, direction: "forward" };
    for (const twiddles of ["direct", "walk"] as const) {
      const config = { ...rich(64), twiddles };
      const error = await errorOf({ algorithm: "one-workgroup", problem, config });
      expect(error).toBeGreaterThan(2e-6);
      expect(error).toBeLessThan(1e-2);
    }
    const config = { ...richFour(512), between: "direct" } as const;
    const error = await errorOf({ algorithm: "four-step", problem: { ...problem, n: 512 }, config });
    expect(error).toBeGreaterThan(2e-6);
  }, 60_000);
});
