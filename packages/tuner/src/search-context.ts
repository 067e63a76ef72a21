import type { Capabilities, Problem, Suite } from "@tunelab/contract";
import type { Pace } from "./budget.ts";
import type { Searched } from "./candidate.ts";
import type { Farm } from "./farm.ts";
import type { Recorder } from "./recorder.ts";
import type { Strategy } from "./strategies/strategy.ts";
import type { Estimate, KnownVariants, Progress, TuneClock } from "./types.ts";

/** What a search over one problem works with. */
export interface SearchContext {
  readonly suite: Suite;
  readonly problem: Problem;
  readonly searched: readonly Searched[];
  readonly capabilities: Capabilities;
  readonly strategy: Strategy;
  readonly seed: number;
  readonly recorder: Recorder;
  readonly pace: Pace;
  readonly clock: TuneClock;
  readonly progress: Progress;
  readonly signal: AbortSignal | undefined;
  /** When this problem's share ends, and when the finals it cannot do without must have begun. Ms of the clock. */
  readonly shareEnd: number;
  readonly slackEnd: number;
  /** Trials that this problem may measure at most. */
  readonly trialShare: number;
  /** Variants compiled side by side at most. */
  readonly ahead: number;
  /** Compilers that work while something is timed, where there are any. */
  readonly farm: Farm | undefined;
  /** Variants to measure before any search. */
  readonly known: KnownVariants;
  /** Time that the session expects to need, given what this problem will still take. */
  readonly estimate: (problemLeftMs: number) => Estimate;
}
