import type { Capabilities, Problem, Suite } from "@tunelab/contract";
import type { Bounds, Pace } from "./budget.ts";
import type { Searched } from "./candidate.ts";
import type { Farm } from "./farm.ts";
import type { Objective } from "./objective.ts";
import type { Recorder } from "./recorder.ts";
import type { Strategy } from "./strategies/strategy.ts";
import type { Estimate, KnownVariants, Progress, TuneClock } from "./types.ts";

/** What a search over one problem works with. */
export interface SearchContext extends Bounds {
  readonly suite: Suite;
  readonly problem: Problem;
  readonly searched: readonly Searched[];
  readonly capabilities: Capabilities;
  readonly strategy: Strategy;
  readonly seed: number;
  readonly objective: Objective;
  readonly recorder: Recorder;
  readonly pace: Pace;
  readonly clock: TuneClock;
  readonly progress: Progress;
  readonly signal: AbortSignal | undefined;
  /** Whether it is the session's first problem, whose first trial is made whatever it costs. */
  readonly isFirst: boolean;
  /** Whether the noise probe says that variants can be certified here. */
  readonly isQuiet: boolean;
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
