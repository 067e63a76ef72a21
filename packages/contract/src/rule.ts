import type { Config } from "./operation.ts";

/**
 * What to choose for a problem by its size alone, as measurements gave it: the size is a product of powers of some dimensions, and from
 * certain sizes on another option is taken.
 */
export interface Rule {
  /** Power of each dimension in the size; size = n^1 * batch^-0.25, say. */
  readonly powers: Readonly<Record<string, number>>;
  /** All options that were timed anywhere, in the order in which they take over from one another. */
  readonly options: readonly RuleOption[];
  /** The options taken, by name: each from its size on to the next one's. Ascending; the first is from 0. */
  readonly steps: readonly { readonly option: string; readonly from: number }[];
}

/** An option and what it fixes. */
export interface RuleOption {
  readonly name: string;
  /** Absent for the CPU, and for several algorithms of which the fastest counts. */
  readonly algorithm?: string;
  /** Parameters that it fixes; the rest stay at the algorithm's default. */
  readonly config: Config;
}

/** What a rule takes on one row: the option, and its time over the row's best; each absent where nothing was timed. */
export interface RulePick {
  readonly option?: string;
  readonly ratio?: number;
}

/** What choosing costs over the best choice: factors of at least 1 over `count` rows. */
export interface Regret {
  readonly count: number;
  readonly median: number;
  readonly worst: number;
}

/**
 * What a run of an algorithm costs on one device: microseconds for the run, for each operation of one invocation, for each operation of
 * all and for each byte that they ask of global memory; the sum is the time. Fitted to what was measured there.
 */
export interface CostModel {
  readonly fixedUs: number;
  readonly serialUs: number;
  readonly flopUs: number;
  readonly byteUs: number;
  /** Runs behind it. */
  readonly runs: number;
  /** Factor between the model and the measured time, either way: median and worst over runs of shapes left out of the fit. */
  readonly medianOff: number;
  readonly worstOff: number;
  /** The most that any of them took over what the model said; at least 1. */
  readonly shortBy: number;
}
