/** n points a transform; `data` spectra and `templates` spectra; `pairs` of them to correlate. */
export type MatchedFilterProblem = {
  readonly n: number;
  readonly data: number;
  readonly templates: number;
  readonly pairs: number;
};

/** Lengths that one workgroup transforms: every power of two from 64 to 16384. */
export const MINIMUM_N = 64;
export const MAXIMUM_N = 16_384;

/** Index of a record when a pair has no peak (every magnitude is NaN). */
export const NO_PEAK = 0xffffffff;

/** Bytes of an interleaved complex number, of a pair's two indexes and of a record. */
export const COMPLEX_BYTES = 8;
export const PAIR_BYTES = 8;
export const RECORD_BYTES = 16;

/** FLOPs quoted for one pair: 5 n log2 n for the transform and 6 n for the products; the scan is not counted. */
export const pairFlops = (n: number): number => 5 * n * Math.log2(n) + 6 * n;

/** The correlation is an inverse transform: the sign of its exponent. */
export const INVERSE = 1;
