import type { Problem } from "./operation.ts";

/** A figure that somebody else measured: shown beside our own, as theirs, and never ranked or folded. */
export interface Reference {
  /** The document or program, and the device it ran on. */
  readonly source: string;
  readonly device: string;
  readonly problem: Problem;
  /** What was timed, in words: `fused`, `transform alone (rocFFT)`. */
  readonly what: string;
  /** Microseconds of one run. */
  readonly us: number;
}
