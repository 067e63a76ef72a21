import type { Config, Problem } from "./operation.ts";
import type { Grade, Trial } from "./trial.ts";

/** What a study changes about a variant or its input before it is measured: such an outcome is no trial of the variant. */
export interface Alteration {
  /** Every index of the index buffer points at one slice (`Suite.collapse`): the very same kernel, hardly any traffic. */
  readonly collapsed?: true;
  /** Unused workgroup memory to add, in bytes, a multiple of 16. */
  readonly paddingBytes?: number;
}

/** One variant to verify and time. */
export interface MeasureRequest {
  readonly operation: string;
  readonly algorithm: string;
  readonly problem: Problem;
  readonly config: Config;
  readonly isDefault: boolean;
  readonly grade: Grade;
  /** Input seeds to verify with, rotated; timing runs on the last. */
  readonly seeds: readonly number[];
  /** Items compared in full with the oracle, a seed. */
  readonly oracleSample: number;
  /**
   * Longest time in ms that a certifying run may go on past its fewest samples; the protocol's own bound when absent. A session
   * short of time gives less; time never lowers the fewest samples, so what is cut short becomes noisy and nothing worse.
   */
  readonly extensionMs?: number;
  readonly altered?: Alteration;
}

/** What every call pays beside its kernel. */
export interface Trip {
  /** Submit, wait and map of a call that computes nothing, ms. */
  readonly roundTripMs: number;
  /** Each byte up to the device, ms. */
  readonly msPerByte: number;
}

/** A trial before the session gives it its id. */
export type TrialOutcome = Omit<Trial, "id" | "session" | "sequence" | "measuredAt">;

/** What a request turned out to be once planned: enough to record its trial when the host dies before it answers. */
export type MeasureSubject = Pick<Trial, "variant" | "planHash" | "epoch" | "work" | "resources">;

/** What a measuring host is doing, so that the parent knows which deadline runs and who is guilty when it passes. */
export type MeasurePhase = "idle" | "plan" | "compile" | "verify" | "warm-up" | "measure";

/** Variants of one problem that race on one device; the fastest so far first. */
export interface RaceRequest {
  readonly entries: readonly RaceEntry[];
  /** Time in ms after which the race ends with what it has. */
  readonly limitMs: number;
}

export interface RaceEntry {
  readonly request: MeasureRequest;
  /** The incumbent and the default: raced to the end, however slow. */
  readonly keep: boolean;
}

/** Two finalists in paired quads; `ratio` is the time of `against` over the champion's, with its interval. */
export interface Duel {
  /** Plan hashes. */
  readonly champion: string;
  readonly against: string;
  readonly verdict: "changed" | "same" | "unresolved";
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** Kept quads. */
  readonly quads: number;
}

/** How a race went. */
export interface RaceReport {
  /**
   * One an entry, in order: grade `certified` where its samples pass the gate, else `raced`; absent for those that did not fit in
   * memory, or never ran because the race ended first.
   */
  readonly outcomes: readonly (TrialOutcome | undefined)[];
  /** Plan hashes: the winner, then those not shown to be slower. */
  readonly leaders: readonly string[];
  readonly duels: readonly Duel[];
  readonly rounds: number;
  /** Why it ended early. */
  readonly reason?: string;
}
