/**
 * What a coarse pass may conclude of a pair. With p_k = d_k conj(h_k) and z(t) = sum over k < n of p_k exp(2 pi i k t / n) for any
 * real t, the coarse pass computes f, the same sum over the band k < B alone, at the lags t_s = s n / L, s < L, L >= B.
 *
 * Claim. For every t and any real centre c:
 *
 *     |z(t)| <= max over s of |f(t_s)| + sum over k of w_k |p_k|
 *     w_k = min(2, (pi (k - c) / L)^2 / 2) for k < B, and 1 elsewhere
 *
 * Proof. Let A be the bins of the band whose w_k is the square, R the rest of the band, O the bins outside it, and f_A the sum over A.
 * |f_A| is continuous and periodic: it has its maximum M at some t0, f_A(t0) = M exp(i phi). Of
 * g(x) = Re(exp(-i phi - 2 pi i c x / n) f_A(t0 + x)) we know |g| <= M and g(0) = M, hence g'(0) = 0, and
 * |g''| <= sum over A of |p_k| (2 pi (k - c) / n)^2. Some t_s lies within |x| <= n / (2 L) of t0, and by Taylor
 * |f_A(t_s)| >= g(x) >= M - x^2 / 2 max|g''| >= M - sum over A of w_k |p_k|. Then |f(t_s)| >= |f_A(t_s)| - sum over R of |p_k| and
 * |z(t)| <= M + sum over R and O of |p_k|: adding up gives the claim.
 *
 * The sum is bounded by Cauchy and Schwarz in GROUPS groups of bins: sum of w |d| |h| <= sum over groups of
 * sqrt(sum w |d|^2) sqrt(sum w |h|^2), with equality where |d| is proportional to |h|. So each spectrum gives four numbers once, and
 * a pair costs one product of two vec4f. A pair whose coarse maximum stays under `threshold - slack` has no peak at the threshold.
 */
export interface CoarseGrid {
  /** Points of a spectrum. */
  readonly n: number;
  /** Bins of the coarse pass: B. */
  readonly band: number;
  /** Points of the coarse transform: L. */
  readonly length: number;
  /** c: where in the band the energy lies; any value is right, a good one makes the bound tight. */
  readonly centre: number;
}

/** Groups of bins: the band, its double, its fourfold, the rest. */
export const GROUPS = 4;

/**
 * Added to every weight: the float32 coarse transform errs by at most 2^-16 of sum |p_k| at any lag. A product and ten radix-2 levels
 * (L up to 1024) of a multiplication by a factor within 16 roundings and an addition each are under 2^8 roundings of 2^-24 (Higham,
 * Accuracy and Stability of Numerical Algorithms, 24.1). So the coarse pass takes factors from float64-computed tables alone.
 */
export const ROUNDING: number = 2 ** -16;

/**
 * Relative margin of the threshold and of the slack: norms, their products and the full transform (within 2e-6, the operation's
 * bound) are float32 too.
 */
export const MARGIN: number = 2 ** -16;

/** First bins of the groups, and n. Groups past n are empty. */
export const groupEdges = ({ n, band }: Pick<CoarseGrid, "n" | "band">): readonly number[] =>
  [0, band, 2 * band, 4 * band, n].map((edge) => Math.min(edge, n));

/** w_k with the rounding of the coarse transform. */
export function weight({ band, length, centre }: CoarseGrid, k: number): number {
  if (k >= band) return 1 + ROUNDING;
  const turn = (Math.PI * (k - centre)) / length;
  return Math.min(2, (turn * turn) / 2) + ROUNDING;
}

/** The four numbers of a spectrum (interleaved, its first word at `from`), in float64: what the kernels compute in float32. */
export function weightedNorms(grid: CoarseGrid, spectra: Float32Array, from: number): readonly number[] {
  const edges = groupEdges(grid);
  return Array.from({ length: GROUPS }, (_, group) => {
    let sum = 0;
    for (let k = edges[group]!; k < edges[group + 1]!; k++) {
      sum += weight(grid, k) * (spectra[from + 2 * k]! ** 2 + spectra[from + 2 * k + 1]! ** 2);
    }
    return Math.sqrt(sum);
  });
}

/** The magnitude under which a coarse maximum proves that the pair has no peak at `threshold`, from both sides' norms. */
export function coarseThreshold(
  threshold: number,
  data: readonly number[],
  template: readonly number[],
): number {
  const slack = data.reduce((sum, norm, group) => sum + norm * template[group]!, 0);
  return threshold * (1 - MARGIN) - slack * (1 + MARGIN);
}
