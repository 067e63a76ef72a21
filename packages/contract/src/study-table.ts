import type { Capabilities } from "./capabilities.ts";
import type { DeviceInfo, ProfileName } from "./device.ts";
import type { Trip } from "./measure.ts";
import type { Config, Problem, Verdict } from "./operation.ts";
import type { Regret, Rule, RulePick } from "./rule.ts";
import type { Status } from "./trial.ts";

/** A variant that a study forces. Parameters that are not named take the algorithm's default. */
export interface StudyVariant {
  readonly algorithm: string;
  readonly config: Config;
}

/** Work of the CPU beside the GPU's: `run` is timed by the wall clock, `verdict` judges what its last call left. */
export interface HostRun {
  run(): void | Promise<void>;
  verdict(): Verdict;
}

/** One column: a setting that is forced on every row, or the same problem on the CPU. */
export interface StudyColumn<P extends Problem = Problem> {
  readonly name: string;
  readonly doc: string;
  /** What runs on a row, a rule of the device where it is one; undefined where the column has nothing for the row. */
  variant?(problem: P, capabilities: Capabilities): StudyVariant | undefined;
  /** Inputs made from the seed outside of what is timed. In place of `variant`. */
  host?(problem: P, seed: number): HostRun | Promise<HostRun>;
}

/** A column that is computed from measured ones, named by them. */
export type DerivedColumn =
  /** The fastest of some columns and how many times the next one takes: `block 1.35x`. */
  | { readonly kind: "faster"; readonly name: string; readonly of: readonly string[] }
  /** One column over the fastest of some: `1.35x`. Over the other settings, the regret of an `auto` rule. */
  | { readonly kind: "ratio"; readonly name: string; readonly of: string; readonly over: readonly string[] }
  /** The fastest of some columns with the round trip and the transfer that a call pays beside it: `one-sided 1.2 ms`. Later columns may name it. */
  | { readonly kind: "call"; readonly name: string; readonly of: readonly string[] };

/** Something to choose: what is measured in one column, or in several of which the fastest counts. */
export interface StudyOption {
  readonly name: string;
  readonly columns: readonly string[];
}

/** What a study decides for the library: which of some options a problem should take. */
export interface StudyChoice {
  readonly of: readonly StudyOption[];
  /** Parameters that an option fixes, of the algorithm that its columns share; none where the algorithm alone is chosen, or the CPU. */
  readonly parameters: readonly string[];
  /** The options are in an order in which the best one moves one way as problems grow, as numbers of threads are. */
  readonly ordered: boolean;
}

/** Figures of somebody else's document for the rows of a study: theirs, on their device, and never measured here. */
export interface StudyReference {
  /** The document, and the device it measured. */
  readonly source: string;
  readonly device: string;
  /** Microseconds by column; a text stands as it is (`--`). */
  readonly rows: readonly {
    readonly problem: Problem;
    readonly figures: Readonly<Record<string, number | string>>;
  }[];
}

/**
 * A published table with fixed rows and columns: it forces configurations instead of searching for them, and is measured again
 * on request (`pnpm tables --measure --only <operation>/<id>`). A suite lists its own.
 */
export interface StudyTable<P extends Problem = Problem> {
  /** A word, unique in its suite: `threads`. */
  readonly id: string;
  readonly title: string;
  readonly doc: string;
  readonly rows: readonly P[];
  /** Dimensions that name a row; the others are the same in all rows, or do not matter to a reader. */
  readonly dimensions: readonly string[];
  readonly columns: readonly StudyColumn<P>[];
  readonly derived: readonly DerivedColumn[];
  /** What the library learns from it; the page then has a column `auto` with what the rule would take. */
  readonly chooses?: StudyChoice;
  /** Over the samples of a cell, of one run each. */
  readonly statistic: "median" | "minimum";
  /** Longest time in ms that one run may be expected to take; a cell beyond it is not run and prints `--`. */
  readonly budgetMs: number;
  /** Milliseconds that one run should take where a cost model knows; absent, times of other rows are scaled by their work. */
  expectedMs?(problem: P, variant: StudyVariant, capabilities: Capabilities): number;
  /** A probe (`Trial.probes`) printed in parentheses behind the time: outer sweeps. */
  readonly shows?: string;
  readonly reference?: StudyReference;
}

/** What a study planned to measure on one device, as its session keeps it: all that its page needs beside the trials. */
export interface StudyPlan {
  readonly id: string;
  readonly operation: string;
  readonly title: string;
  readonly doc: string;
  readonly dimensions: readonly string[];
  readonly columns: readonly { readonly name: string; readonly doc: string }[];
  readonly derived: readonly DerivedColumn[];
  readonly chooses?: StudyChoice;
  readonly statistic: "median" | "minimum";
  readonly budgetMs: number;
  readonly shows?: string;
  /** The trial of row r and column c has sequence `r * columns + c`. */
  readonly rows: readonly {
    readonly problem: Problem;
    /** Bytes that a call sends up and reads back, where the CPU is compared. */
    readonly bytes?: number;
    /** Whole configurations; `host` for the CPU's, null where the column has nothing for the row. */
    readonly cells: readonly (StudyVariant | "host" | null)[];
  }[];
}

/** Raised when a published study's shape changes; readers refuse a newer one by name. */
export const STUDY_SCHEMA = 1;

/** A cell as it is published. Without `us` it prints `--`, and `reason` says why. */
export interface StudyCell {
  /** `unmeasured` where the session ended before it; `absent` where the column has nothing for the row. */
  readonly status: Status | "unmeasured" | "absent";
  readonly reason?: string;
  /** Canonical id, and identity of the plan that ran. */
  readonly variant?: string;
  readonly planHash?: string;
  /** The statistic over the samples, and their least and largest; microseconds of one run. */
  readonly us?: number;
  readonly leastUs?: number;
  readonly mostUs?: number;
  readonly samples?: number;
  /** What the study shows of the probes. */
  readonly shown?: number;
  readonly matched?: number;
  readonly total?: number;
  readonly maxError?: number;
}

export interface DerivedValue {
  readonly fastest?: string;
  readonly ratio?: number;
  /** The two times of the ratio are not told apart: their samples overlap, or the ratio is within the study's floor of 1. */
  readonly tied?: true;
  /** Microseconds of a whole call. */
  readonly us?: number;
}

/** A study on one device, as `tables/<device>/<profile>/studies/<operation>-<id>.json` publishes it. */
export interface StudyResult {
  readonly schema: number;
  readonly id: string;
  readonly operation: string;
  readonly title: string;
  readonly doc: string;
  readonly epoch: number;
  readonly protocol: number;
  readonly device: DeviceInfo;
  readonly deviceSlug: string;
  readonly profile: ProfileName;
  readonly session: string;
  readonly commit: string;
  /** Sessions whose rows this one took over instead of measuring them, with the rows' places, where it went on from another. */
  readonly takenOver?: readonly {
    readonly session: string;
    readonly commit: string;
    readonly rows: readonly number[];
  }[];
  readonly statistic: "median" | "minimum";
  readonly budgetMs: number;
  /** What the session could not tell from no difference, as a fraction. */
  readonly floor: number;
  readonly dimensions: readonly string[];
  readonly columns: readonly { readonly name: string; readonly doc: string }[];
  readonly derived: readonly DerivedColumn[];
  readonly shows?: string;
  readonly rows: readonly {
    readonly problem: Problem;
    readonly cells: readonly StudyCell[];
    /** One a derived column, in their order: the fastest column where it was asked for, and the ratio where there is one. */
    readonly derived: readonly DerivedValue[];
  }[];
  /** What a call on the device paid beside its kernel, where the CPU was compared: it counts in the choice and in whole calls. */
  readonly trip?: Trip;
  /** The rule that the rows give, where the study chooses something and anything was timed. */
  readonly auto?: StudyAuto;
}

/** What the rule takes on each row, in their order, and what that costs. */
export interface StudyAuto {
  readonly rule: Rule;
  /** Over the rows that made the rule. */
  readonly regret: Regret;
  /** The same with the rows of each value of the first dimension left out of the fit in turn; absent where there is one value alone. */
  readonly heldOut?: Regret;
  readonly rows: readonly RulePick[];
}
