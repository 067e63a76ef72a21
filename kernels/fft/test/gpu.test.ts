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
      if (n > 4096) return; // the default alone: its compilation takes long enough
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

  it("builds of one length agree bit for bit: whole, split, in chunks, padded, side by side, by pairs of points", async () => {
    const problem: FftProblem = { n: 256, batch: 5, direction: "forward" };
    const base = {
      ...rich(256),
      loads: "scalar",
      transforms: 1,
      padding: 0,
      staging: "whole",
      chunk: 8,
    } as const;
    const builds: OneWorkgroupConfig[] = [
      base,
      { ...base, chunk: 2 },
      { ...base, staging: "split", padding: 8 },
      { ...base, transforms: 2, loads: "vector" },
      { ...base, workgroup: 64, chunk: 4 },
    ];
    const digests = [];
    for (const config of builds) {
      const outcome = await gpu!.run({ algorithm: "one-workgroup", problem, config });
      expect(outcome.verdict?.matched, outcome.failed).toBe(5);
      digests.push(outcome.digests);
    }
    for (const one of digests) expect(one).toEqual(digests[0]);
  }, 60_000);

  it("an item with NaN and one with infinity spoil no other", async () => {
    const problem: FftProblem = { n: 64, batch: 6, direction: "inverse" };
    const one = { algorithm: "one-workgroup", problem, config: rich(64) };
    const clean = await gpu!.run(one);
    const spoil = [
      [1, Number.NaN],
      [4, Number.POSITIVE_INFINITY],
    ] as const;
    const dirty = await gpu!.run({ ...one, spoil });
    expect(clean.finite).toBe(true);
    expect(dirty.finite).toBe(false);
    for (const item of [0, 2, 3, 5]) expect(dirty.digests![item]).toBe(clean.digests![item]);
    expect(dirty.verdict!.matched).toBe(4);
  }, 60_000);

  for (const [fault, from, to] of [
    ["no barrier", "workgroupBarrier();", ""],
    ["an index off by one", "= stage[base + p0i0]", "= stage[base + p0i0 + 1u]"],
    ["no store of the last item", "if (item < extents.items)", "if (item + 1u < extents.items)"],
  ] as const) {
    it(`a text with ${fault} is called wrong`, async () => {
      const problem: FftProblem = { n: 128, batch: 5, direction: "forward" };
      const { verdict, failed } = await gpu!.run({
        algorithm: "one-workgroup",
        problem,
        config: rich(128),
        edits: [[from, to]],
      });
      expect(verdict?.matched, failed).toBeLessThan(5);
      expect(verdict!.detail).toMatch(/^item \d: /);
    }, 60_000);
  }
});
