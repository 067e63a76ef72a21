import type {
  Ceilings,
  Fault,
  MachineLoad,
  Noise,
  Problem,
  Status,
  Suite,
  Trial,
  TuningTable,
} from "@tunelab/contract";
import type { Where } from "@tunelab/variants";
import type { Compiler } from "./farm.ts";
import type { Candidate, StrategyName } from "./strategies/strategy.ts";

/** Time as the session sees it; a test injects one that it drives. */
export interface TuneClock {
  /** Milliseconds from an arbitrary origin, monotonic in a real clock. */
  now(): number;
  /** The wall clock, ISO 8601 in UTC, for records only. */
  timestamp(): string;
}

/** One operation to tune on some problems. */
export interface Workload {
  readonly suite: Suite;
  readonly problems: readonly Problem[];
  /** Names of the algorithms to search; all when absent. */
  readonly algorithms?: readonly string[];
}

export interface TuneOptions {
  readonly workloads: readonly Workload[];
  readonly strategy: StrategyName;
  /** Tables of any device and problem: their best rows are tried first, nearest first (see `startFrom`). */
  readonly tables?: readonly TuningTable[];
  /** Ids of variants that every search tries first, where its problem has them. */
  readonly start?: readonly string[];
  /** What is searched for: `time` when absent, or a metric that every suite of the session has. */
  readonly objective?: string;
  /** Values that searched variants may have; defaults and known variants are measured all the same. The whole space when absent. */
  readonly where?: Where;
  /** Wall time for everything, noise probe and ceilings included, in ms. */
  readonly budgetMs: number;
  /** When the budget began to run, in ms of the clock: opening a device takes its time too. The session's start when absent. */
  readonly since?: number;
  /**
   * Variants of a problem to measure before any search, best first: `incumbents` lead the user's table and are raced to the end;
   * `panel` won on other devices, so that devices can be compared.
   */
  readonly known?: (operation: string, problem: Problem) => KnownVariants;
  /** Most trials to measure, screened and certified; no bound when absent. */
  readonly trials?: number;
  /** Variants to compile side by side before they are timed one after another; 1 (each as it is measured) when absent. */
  readonly ahead?: number;
  /** Opens compilers that work while another times, once the device is calibrated to `ceilings`; the caller closes them. */
  readonly compilers?: (ceilings: Ceilings) => Promise<readonly Compiler[]>;
  readonly seed: number;
  /** Trials of this very device, profile and protocol that need not be measured again (see `reusable`). */
  readonly earlier?: readonly Trial[];
  /** First sequence number to give: one past the highest in a session that is resumed. */
  readonly firstSequence?: number;
  /** What else the machine did before the session; recorded with the noise. */
  readonly machine?: MachineLoad;
  /** Measure nothing where the noise probe says that no variant could be certified. */
  readonly requireQuiet?: boolean;
  readonly clock: TuneClock;
  /** Stops at once; everything measured is kept. */
  readonly signal?: AbortSignal;
}

/** Variants that are worth measuring whatever a search finds. */
export interface KnownVariants {
  readonly incumbents: readonly Candidate[];
  readonly panel: readonly Candidate[];
}

/** A variant that was tried and gave no time. */
export interface FailedVariant {
  readonly variant: string;
  readonly status: Status;
  readonly reason?: string;
}

/** A variant whose trial the budget cut short. */
export interface CutVariant {
  readonly variant: string;
  readonly reason: string;
}

/** How one problem went. */
export interface ProblemResult {
  readonly operation: string;
  readonly problem: Problem;
  /** Distinct plans screened now or earlier, the defaults among them. */
  readonly screened: number;
  readonly certified: number;
  /** Those of the screened that gave no time, in order of measuring; trials of an earlier session that stand for one too. */
  readonly failures: readonly FailedVariant[];
  /** Variants given up because the time for them was over, each with what it was doing: no trials of theirs are kept. */
  readonly cut: readonly CutVariant[];
  /** Candidates that came to a plan already measured. */
  readonly identical: number;
  /** Candidates that do not fit, by the limit that refuses them. */
  readonly refused: Readonly<Record<string, number>>;
  /** Whether the strategy ran out of candidates before the time ran out. */
  readonly complete: boolean;
}

export interface TuneResult {
  /** Trials measured now, in order; reused ones are not among them. */
  readonly trials: readonly Trial[];
  readonly reused: number;
  readonly problems: readonly ProblemResult[];
  /** Problems for which the budget left no time at all. */
  readonly unreached: readonly { readonly operation: string; readonly problem: Problem }[];
  readonly ceilings: Ceilings;
  readonly noise?: Noise;
  readonly spentMs: Readonly<Record<string, number>>;
  /** Why nothing of the session may be published: its anchors drifted. */
  readonly untrusted?: string;
  /** Why the session ended before its plan did; absent when it finished. */
  readonly stopped?: { readonly reason: string; readonly fault?: Fault };
}

/** How far a session is: elapsed and expected remaining ms. */
export interface Estimate {
  readonly elapsedMs: number;
  readonly remainingMs: number;
}

/** What a session tells while it runs; the listener prints, or does nothing. */
export type ProgressEvent =
  | { readonly kind: "calibrating"; readonly what: "noise" | "ceilings" }
  | { readonly kind: "noise"; readonly noise: Noise }
  | { readonly kind: "ceilings"; readonly ceilings: Ceilings }
  | { readonly kind: "failed-calibration"; readonly what: "noise" | "ceilings"; readonly reason: string }
  | {
      readonly kind: "problem";
      readonly operation: string;
      readonly problem: Problem;
      readonly index: number;
      readonly of: number;
      readonly candidates: number;
      readonly shareMs: number;
    }
  | { readonly kind: "compiling"; readonly variants: number; readonly estimate: Estimate }
  | { readonly kind: "racing"; readonly variants: number; readonly limitMs: number }
  | { readonly kind: "measuring"; readonly variant: string; readonly estimate: Estimate }
  | {
      readonly kind: "trial";
      readonly trial: Trial;
      readonly first: boolean;
      /** Whether it is the fastest of its problem so far. */
      readonly leads: boolean;
      readonly estimate: Estimate;
    }
  /** A proposal that the session refused, in one line. */
  | { readonly kind: "skipped"; readonly reason: string }
  | { readonly kind: "restart"; readonly reason: string; readonly variant: string }
  | { readonly kind: "unreached"; readonly operation: string; readonly problem: Problem };

export type Progress = (event: ProgressEvent) => void;
