import type { Oracle, PortData, Verdict } from "@tunelab/contract";
import { roots, transform } from "@tunelab/kernel-fft/suite";
import { type CoarseGrid, coarseThreshold, weightedNorms } from "../hierarchical/bound.ts";
import { operation } from "../operation.ts";
import { INVERSE, type MatchedFilterProblem, NO_PEAK } from "../problem.ts";
import { lowBand } from "./inspiral.ts";
import { correlate, NEAR_TIE, samplePairs, type Truth, VALUE_TOLERANCE } from "./truth.ts";

/** A pair's peak in float64, without its other lags: a published workload has a thousand. */
type Peak = Pick<Truth, "index" | "re" | "im" | "magnitude">;

/** Magnitudes this near (relative) to the threshold may be reported or not: what a variant may err by. */
const EDGE = operation.accuracy.bound;

/**
 * Judges records of a problem with a threshold, every pair of them: a coarse transform in float64 (of the low band, twice
 * oversampled) proves by `hierarchical/bound.ts` that most pairs have no peak; the others, and a random sample of all that does not
 * lean on that proof, are transformed in full.
 */
export function thresholdOracle(
  problem: MatchedFilterProblem & { readonly threshold: number },
  inputs: PortData,
): Oracle {
  const { n, pairs } = problem;
  const threshold = Math.fround(problem.threshold);
  const list = inputs.pairs!;
  const table = roots(n, INVERSE);
  const full = (pair: number): Truth => correlate(inputs, n, list[2 * pair]!, list[2 * pair + 1]!, table);
  const peaks = new Map<number, Peak>();
  const peak = (pair: number): Peak => {
    const known = peaks.get(pair);
    if (known) return known;
    const { index, re, im, magnitude } = full(pair);
    const made = { index, re, im, magnitude };
    peaks.set(pair, made);
    return made;
  };
  let open: readonly number[] | undefined;
  const inFullFor = (sample: { readonly count: number; readonly seed: number }): ReadonlySet<number> => {
    open ??= undecided(problem, inputs, threshold);
    return new Set([...open, ...samplePairs(pairs, sample.count, sample.seed)]);
  };

  return {
    prepare(sample): void {
      for (const pair of inFullFor(sample)) peak(pair);
    },
    check(outputs, sample): Verdict {
      const words = outputs.records as Uint32Array | undefined;
      if (!words || words.length < 4 * pairs) return missing(pairs, words?.length ?? 0);
      const inFull = inFullFor(sample);
      const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
      let [matched, nearTies, maxError] = [0, 0, 0];
      let detail: string | undefined;
      for (let pair = 0; pair < pairs; pair++) {
        const record = {
          words: words.subarray(4 * pair, 4 * pair + 4),
          floats: floats.subarray(4 * pair, 4 * pair + 4),
        };
        const silent = record.words.every((word, at) => word === (at === 0 ? NO_PEAK : 0));
        if (silent && !inFull.has(pair)) {
          matched++;
          continue;
        }
        const judged = judge(record, silent, peak(pair), { n, threshold }, () => full(pair));
        if (judged.wrong === undefined) matched++;
        else detail ??= `pair ${pair}: ${judged.wrong}`;
        if (judged.near) nearTies++;
        if (judged.error !== undefined) maxError = Math.max(maxError, judged.error);
      }
      const sampled = inFull.size;
      return { matched, total: pairs, sampled, maxError, nearTies, ...(detail ? { detail } : {}) };
    },
  };
}

const missing = (pairs: number, have: number): Verdict => ({
  matched: 0,
  total: pairs,
  sampled: 0,
  maxError: Number.POSITIVE_INFINITY,
  nearTies: 0,
  detail: `records hold ${have} words, not ${4 * pairs}`,
});

interface Judged {
  readonly wrong?: string;
  readonly near?: true;
  /** Relative error of the magnitude, where a peak is right to be there. */
  readonly error?: number;
}

function judge(
  { words, floats }: { readonly words: Uint32Array; readonly floats: Float32Array },
  silent: boolean,
  want: Peak,
  { n, threshold }: { readonly n: number; readonly threshold: number },
  full: () => Truth,
): Judged {
  const edge = Math.abs(want.magnitude - threshold) <= EDGE * threshold;
  const due = want.magnitude >= threshold;
  const told = `float64 has ${want.magnitude} at ${want.index}, threshold ${threshold}`;
  if (silent) {
    if (edge) return { near: true };
    return due ? { wrong: `no peak, ${told}` } : {};
  }
  const [index, re, im, magnitude] = [words[0]!, floats[1]!, floats[2]!, floats[3]!];
  if (index === NO_PEAK) return { wrong: "no peak, but a value" };
  if (!due && !edge) return { wrong: `a peak of ${magnitude} at ${index}, ${told}` };
  const error = Math.abs(magnitude - want.magnitude) / want.magnitude;
  const known = {
    error: Number.isNaN(error) ? Number.POSITIVE_INFINITY : error,
    ...(edge ? { near: true as const } : {}),
  };
  if (!(Math.abs(Math.hypot(re, im) - magnitude) <= VALUE_TOLERANCE * magnitude))
    return { ...known, wrong: `magnitude ${magnitude} is not that of ${re} + ${im}i` };
  if (index === want.index) {
    const off = Math.hypot(re - want.re, im - want.im) / want.magnitude;
    return off <= VALUE_TOLERANCE
      ? known
      : { ...known, wrong: `value ${re} + ${im}i, float64 gives ${want.re} + ${want.im}i` };
  }
  const tied = index < n && want.magnitude - full().at(index) <= NEAR_TIE * want.magnitude;
  return tied ? { ...known, near: true } : { ...known, wrong: `index ${index}, ${told}` };
}

/** Pairs that the coarse transform cannot prove quiet. */
function undecided(problem: MatchedFilterProblem, inputs: PortData, threshold: number): readonly number[] {
  const { n, data, templates, pairs } = problem;
  const band = lowBand(n);
  const grid: CoarseGrid = { n, band, length: 2 * band, centre: band / 8 };
  const norms = (spectra: Float32Array, count: number) =>
    Array.from({ length: count }, (_, index) => weightedNorms(grid, spectra, 2 * n * index));
  const [d, h] = [inputs.data as Float32Array, inputs.templates as Float32Array];
  const [dNorms, hNorms] = [norms(d, data), norms(h, templates)];
  const table = roots(grid.length, INVERSE);
  const list = inputs.pairs!;
  const found: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const [i, j] = [list[2 * pair]!, list[2 * pair + 1]!];
    const least = coarseThreshold(threshold, dNorms[i]!, hNorms[j]!);
    if (!(least > 0 && coarseMaximum(d, h, 2 * n * i, 2 * n * j, grid, table) < least)) found.push(pair);
  }
  return found;
}

function coarseMaximum(
  d: Float32Array,
  h: Float32Array,
  from: number,
  by: number,
  { band, length }: CoarseGrid,
  table: Float64Array,
): number {
  const z = new Float64Array(2 * length);
  for (let at = 0; at < 2 * band; at += 2) {
    const [a, b, x, y] = [d[from + at]!, d[from + at + 1]!, h[by + at]!, h[by + at + 1]!];
    z[at] = a * x + b * y;
    z[at + 1] = b * x - a * y;
  }
  transform(z, table);
  let most = 0;
  for (let at = 0; at < 2 * length; at += 2) most = Math.max(most, z[at]! ** 2 + z[at + 1]! ** 2);
  return Math.sqrt(most);
}
