/** n points a transform; `data` spectra and `templates` spectra; `pairs` of them to correlate; peaks under `threshold` are none. */
export type MatchedFilterProblem = {
  readonly n: number;
  readonly data: number;
  readonly templates: number;
  readonly pairs: number;
  /** Least magnitude of a peak; without it every pair has its peak. A positive float32 number. */
  readonly threshold?: number;
};

/** Lengths are the transform's: every power of two from 64 to 1048576, of which one workgroup holds up to 16384 points. */
export { MAXIMUM_N, MINIMUM_N, ONE_WORKGROUP_N } from "@tunelab/kernel-fft";

/** The shortest spectra with a low band worth a transform of its own: shorter ones have no hierarchical variants. */
export const LEAST_BANDED_N = 256;

/** Index of a record when a pair has no peak (every magnitude is NaN, or none reaches the threshold). */
export const NO_PEAK = 0xffffffff;

/** Bytes of an interleaved complex number, of a pair's two indexes and of a record. */
export const COMPLEX_BYTES = 8;
export const PAIR_BYTES = 8;
export const RECORD_BYTES = 16;

/** FLOPs quoted for one pair: 5 n log2 n for the transform and 6 n for the products; the scan is not counted. */
export const pairFlops = (n: number): number => 5 * n * Math.log2(n) + 6 * n;

/** The correlation is an inverse transform: the sign of its exponent. */
export const INVERSE = 1;

/** The plan's own extents: the threshold's bits, where the problem has one; another threshold is the same text. */
export const thresholdExtents = ({ threshold }: MatchedFilterProblem): Readonly<Record<string, number>> =>
  threshold === undefined ? {} : { threshold: new Uint32Array(Float32Array.of(threshold).buffer)[0]! };

/** The threshold in a kernel's text. */
export const THRESHOLD = "bitcast<f32>(extents.threshold)";
