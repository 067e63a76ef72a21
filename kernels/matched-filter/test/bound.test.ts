import { roots, transform } from "@tunelab/kernel-fft/suite";
import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import {
  type CoarseGrid,
  coarseThreshold,
  groupEdges,
  MARGIN,
  weight,
  weightedNorms,
} from "../src/hierarchical/bound.ts";
import { lowBand, reference } from "../src/suite/inspiral.ts";
import { suite } from "../src/suite.ts";

const n = 256;

/** Largest |f| over the coarse lags, and largest |z| over lags `finer` times as dense as integers, in float64. */
function maxima(
  p: Float64Array,
  { band, length }: CoarseGrid,
  finer: number,
): { coarse: number; full: number } {
  const largest = (words: Float64Array): number => {
    transform(words, roots(words.length / 2, 1));
    let most = 0;
    for (let at = 0; at < words.length; at += 2)
      most = Math.max(most, Math.hypot(words[at]!, words[at + 1]!));
    return most;
  };
  const f = new Float64Array(2 * length);
  f.set(p.subarray(0, 2 * band));
  const z = new Float64Array(2 * n * finer);
  z.set(p);
  return { coarse: largest(f), full: largest(z) };
}

/** The products of two spectra, float64 from float32. */
function products(d: Float32Array, h: Float32Array): Float64Array {
  return Float64Array.from({ length: 2 * n }, (_, at) => {
    const k = at - (at % 2);
    const [a, b, x, y] = [d[k]!, d[k + 1]!, h[k]!, h[k + 1]!];
    return at % 2 ? b * x - a * y : a * x + b * y;
  });
}

const grids: CoarseGrid[] = [16, 32, 64].flatMap((band) =>
  [1, 2].flatMap((over) =>
    [0, 0.125, 0.5].map((centre) => ({ n, band, length: over * band, centre: centre * band })),
  ),
);

/** Spectra of many shapes: flat, falling, a line, two lines far apart, energy at the band's edge, silence outside the band. */
const SHAPES: readonly ((k: number, random: () => number) => number)[] = [
  () => 1,
  (k) => 1 / (1 + k),
  (k) => Number(k === 5),
  (k) => Number(k === 3 || k === 29),
  (k) => Math.exp(-((k - 31.5) ** 2) / 8),
  (k, random) => (k < 32 ? random() : 0),
  (_, random) => random() ** 8,
];

describe("the bound of the coarse pass", () => {
  it("holds for spectra of many shapes on every grid, between integer lags too", () => {
    const random = randomFrom(11);
    let tightest = Number.POSITIVE_INFINITY;
    for (const shape of SHAPES) {
      for (let round = 0; round < 6; round++) {
        const spectrum = (): Float32Array =>
          Float32Array.from({ length: 2 * n }, (_, at) => {
            const size = shape(Math.floor(at / 2), () => random.float());
            return size * (2 * random.float() - 1);
          });
        const [d, h] = [spectrum(), spectrum()];
        for (const grid of grids) {
          const { coarse, full } = maxima(products(d, h), grid, 8);
          const cut = coarseThreshold(full, weightedNorms(grid, d, 0), weightedNorms(grid, h, 0));
          expect(coarse).toBeGreaterThanOrEqual(cut);
          tightest = Math.min(tightest, (coarse - cut) / full);
        }
      }
    }
    expect(tightest).toBeLessThan(0.02);
  });

  it("is needed: a peak between coarse lags is lost without the weights of the band, one outside it without the others", () => {
    const grid: CoarseGrid = { n, band: 16, length: 16, centre: 2 };
    const words = new Float32Array(2 * n);
    // The whole band in phase halfway between two coarse lags.
    for (let k = 0; k < grid.band; k++) {
      const turn = (-2 * Math.PI * k * 8) / n;
      words.set([Math.cos(turn), Math.sin(turn)], 2 * k);
    }
    const one = Float32Array.from({ length: 2 * n }, (_, at) => 1 - (at % 2));
    const between = maxima(products(words, one), grid, 1);
    expect(between.coarse).toBeLessThan(0.8 * between.full);
    const high = new Float32Array(2 * n);
    high.set([1, 0], 2 * 200);
    expect(maxima(products(high, one), grid, 1).coarse).toBeLessThan(1e-9);
    for (const d of [words, high]) {
      const cut = coarseThreshold(1, weightedNorms(grid, d, 0), weightedNorms(grid, one, 0));
      expect(cut).toBeLessThan(0);
    }
  });

  it("weighs bins by the square of their distance to the centre, at most twofold in the band and once outside", () => {
    const grid: CoarseGrid = { n, band: 64, length: 64, centre: 8 };
    expect(weight(grid, 8)).toBeLessThan(2e-5);
    expect(weight(grid, 16)).toBeCloseTo((Math.PI / 8) ** 2 / 2, 4);
    expect(weight(grid, 63)).toBeCloseTo(2, 4);
    expect(weight(grid, 64)).toBeCloseTo(1, 4);
    expect(groupEdges(grid)).toEqual([0, 64, 128, 256, 256]);
  });

  it("takes most of the slack from bins that both sides share: a spectrum against itself has Cauchy's equality", () => {
    const grid: CoarseGrid = { n, band: 64, length: 64, centre: 8 };
    const sizes = reference(n);
    const words = Float32Array.from({ length: 2 * n }, (_, at) => (at % 2 ? 0 : sizes[at / 2]!));
    const norms = weightedNorms(grid, words, 0);
    const slack = 1 - MARGIN - coarseThreshold(1, norms, norms);
    const exact = sizes.reduce((sum, size, k) => sum + weight(grid, k) * size * size, 0);
    expect(slack).toBeCloseTo(exact, 4);
  });

  it("lets about one pair in 32 of the published workload pass, whose band it is", () => {
    const problem = { n: 4096, data: 8, templates: 64, pairs: 512, threshold: 1 };
    const inputs = suite.inputs(problem, 1);
    const band = lowBand(problem.n);
    const grid: CoarseGrid = { n: problem.n, band, length: band, centre: band / 8 };
    const [d, h] = [inputs.data as Float32Array, inputs.templates as Float32Array];
    const table = roots(band, 1);
    let passed = 0;
    for (let i = 0; i < problem.data; i++) {
      const dNorms = weightedNorms(grid, d, 2 * problem.n * i);
      for (let j = 0; j < problem.templates; j++) {
        const cut = coarseThreshold(1, dNorms, weightedNorms(grid, h, 2 * problem.n * j));
        const f = new Float64Array(2 * band);
        for (let k = 0; k < band; k++) {
          const [a, b] = [2 * (problem.n * i + k), 2 * (problem.n * j + k)];
          f[2 * k] = d[a]! * h[b]! + d[a + 1]! * h[b + 1]!;
          f[2 * k + 1] = d[a + 1]! * h[b]! - d[a]! * h[b + 1]!;
        }
        transform(f, table);
        let most = 0;
        for (let at = 0; at < 2 * band; at += 2) most = Math.max(most, Math.hypot(f[at]!, f[at + 1]!));
        if (most >= cut) passed++;
      }
    }
    expect(passed / problem.pairs).toBeGreaterThan(0.029);
    expect(passed / problem.pairs).toBeLessThan(0.036);
  });
});
