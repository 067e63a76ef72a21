import type { Sign } from "./codelets.ts";

/** Which transform: forward has the exponent -2 pi i, inverse +2 pi i. Neither is normalised. */
export const DIRECTIONS = ["forward", "inverse"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** `batch` transforms of n complex points each. */
export type FftProblem = {
  readonly n: number;
  readonly batch: number;
  readonly direction: Direction;
};

/** Lengths: every power of two from 64 to 1048576. */
export const MINIMUM_N = 64;
export const MAXIMUM_N = 1_048_576;

/** The longest that one workgroup transforms: 64 points in the registers of each of the 256 invocations that every device grants. */
export const ONE_WORKGROUP_N = 16_384;

/** The shortest that is split in two: 16 x 16. */
export const FOUR_STEP_N = 256;

/** Bytes of an interleaved complex number. */
export const COMPLEX_BYTES = 8;

export const signOf = (direction: Direction): Sign => (direction === "inverse" ? 1 : -1);

/** FLOPs quoted for one transform: 5 n log2 n, whatever a variant spends. */
export const transformFlops = (n: number): number => 5 * n * Math.log2(n);

/**
 * Items below which no piece is cut for the sake of time: 2^17 points leave most devices idle, and a software GPU still
 * transforms them within its time budget.
 */
export const leastItems = (n: number): number => Math.max(1, 2 ** 17 / n);
