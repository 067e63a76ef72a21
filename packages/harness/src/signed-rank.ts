import { medianSorted } from "simple-statistics";

/** An interval of log ratios; infinite ends say that there are too few values for the level. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Walsh averages (x_i + x_j) / 2 over i <= j, ascending: n (n + 1) / 2 of them. The signed-rank statistic at a shift is
 * the number of them above it, which is why estimate, interval and test below all read from this one list. Own code:
 * simple-statistics has the rank-sum test of two independent samples only, and quads are paired.
 */
export function walshAverages(values: readonly number[]): Float64Array {
  const averages = new Float64Array((values.length * (values.length + 1)) / 2);
  let at = 0;
  for (let i = 0; i < values.length; i += 1) {
    for (let j = i; j < values.length; j += 1) averages[at++] = (values[i]! + values[j]!) / 2;
  }
  return averages.sort();
}

/**
 * Hodges-Lehmann estimate: the median of the Walsh averages (Hodges and Lehmann 1963). 29% of the values may be
 * outliers before it breaks, at 95% of the mean's efficiency under Gaussian noise. NaN without a value.
 */
export function hodgesLehmann(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : medianOf(walshAverages(values));
}

/** Median of what is sorted already. */
export const medianOf = (sorted: Float64Array): number => medianSorted(sorted as unknown as number[]);

/** P(W <= k) by sample size, filled when first asked for. */
const known = new Map<number, Float64Array>();

/**
 * Exact null distribution of the signed-rank statistic W of n values (Wilcoxon 1945): P(W <= k) for k = 0 to
 * n (n + 1) / 2, by convolving n fair choices between 0 and i.
 */
export function signedRankProbabilities(n: number): Float64Array {
  const found = known.get(n);
  if (found) return found;
  const most = (n * (n + 1)) / 2;
  const chances = new Float64Array(most + 1);
  chances[0] = 1;
  for (let i = 1; i <= n; i += 1) {
    for (let k = (i * (i + 1)) / 2; k >= 0; k -= 1) {
      chances[k] = (chances[k]! + (k >= i ? chances[k - i]! : 0)) / 2;
    }
  }
  for (let k = 1; k <= most; k += 1) chances[k] = chances[k]! + chances[k - 1]!;
  known.set(n, chances);
  return chances;
}

/** The largest k for which P(W <= k - 1) <= alpha / 2: how many Walsh averages lie outside either end; 0 where n is too small. */
function signedRankDepth(n: number, alpha: number): number {
  const below = signedRankProbabilities(n);
  let k = 0;
  while (k < below.length && below[k]! <= alpha / 2) k += 1;
  return k;
}

/**
 * Wild values on one side that leave the interval's end there alone; -1 where n is too small for the level. A wild value drags
 * the n averages it takes part in (the second one n - 1 more), and the end moves with it once they outnumber those outside.
 */
export function outliersWithstood(n: number, alpha: number): number {
  let left = signedRankDepth(n, alpha);
  if (left === 0) return -1;
  let wild = 0;
  while (left > n - wild) {
    left -= n - wild;
    wild += 1;
  }
  return wild;
}

/**
 * Wilcoxon signed-rank interval for the centre of symmetry: [W_(k), W_(M + 1 - k)] of the M ascending Walsh averages, with
 * the largest k for which P(W <= k - 1) <= alpha / 2. Exact, so its coverage is at least 1 - alpha for any
 * symmetric noise; infinite where n is too small for the level (alpha 0.0125 needs 8 values, 0.00033 needs 13).
 */
export function signedRankInterval(averages: Float64Array, n: number, alpha: number): Interval {
  const k = signedRankDepth(n, alpha);
  if (k === 0) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  return { low: averages[k - 1]!, high: averages[averages.length - k]! };
}

/**
 * Two-sided p of the null hypothesis that the centre lies within +-`margin`: twice the smaller one-sided exact p of "not
 * above +margin" and "not below -margin", ties counted for the null hypothesis. The dual of the interval: p <= alpha
 * exactly when the interval at alpha lies wholly beyond the margin. 1 without a value.
 */
export function signedRankP(averages: Float64Array, n: number, margin: number): number {
  if (n === 0) return 1;
  const above = averages.reduce((count, average) => count + (average > margin ? 1 : 0), 0);
  const beneath = averages.reduce((count, average) => count + (average < -margin ? 1 : 0), 0);
  const below = signedRankProbabilities(n);
  // P(W >= w) = P(W <= M - w), by symmetry.
  return Math.min(1, 2 * below[averages.length - Math.max(above, beneath)]!);
}
