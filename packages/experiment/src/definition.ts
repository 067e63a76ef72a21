import type { Config, Problem } from "@tunelab/contract";

/** Machines that differ by orders of magnitude get problems of their own. */
export type Scale = "software" | "hardware";

/** One way to run the operation. */
export interface Arm {
  /** A word that claims and tables name it by. */
  readonly name: string;
  readonly algorithm: string;
  /** A program of somebody else's that the laboratory runs on one core of the CPU; `algorithm` is `HOST_ALGORITHM` then. */
  readonly peer?: string;
  /** Parameters that matter here; the others take the algorithm's default. */
  readonly config: Config;
  /** Dimensions that differ from the experiment's problem. */
  readonly problem?: Problem;
  /** What a trial older than a parameter means without it; filled in by `completed`. */
  readonly implied?: Config;
}

/**
 * What a claim compares: `time` of one run, `time-per-item` (time over the items of the work), `share` (FLOP/s by the suite's formula
 * over the multiply-adds that the same processor was measured at), or `error` (the largest against the oracle, in the operation's
 * measure).
 */
export type Figure = "time" | "time-per-item" | "share" | "error";

/** "`of` over `over` is `predicted`": a ratio of two arms' figures, and what to expect of it. */
export interface Claim {
  readonly text: string;
  readonly figure: Figure;
  /** Names of arms. */
  readonly of: string;
  readonly over: string;
  /** Predicted ratio; 1.25 means that `of` takes a quarter longer, or errs by a quarter more. */
  readonly predicted: number;
  /** Claims equality: the ratio lies within this fraction of `predicted`. Needed where `predicted` is 1. */
  readonly within?: number;
  /** The ratio that the source's own document gives, and on which device: theirs, beside what is measured here. */
  readonly theirs?: { readonly ratio: number; readonly device: string };
}

/** One question with its hypothesis; a file `experiments/<yyyy-mm-dd>-<slug>/experiment.ts` exports it as default. */
export interface Experiment {
  readonly question: string;
  /** What is expected and why, in words; the figures are in the claims. */
  readonly hypothesis: string;
  /** Where the question comes from: a document and a device. */
  readonly source?: string;
  /** What differs between the arms, in words. */
  readonly varies: string;
  readonly operation: string;
  readonly problems: Readonly<Record<Scale, Problem>>;
  /** The arms for one problem, first the one that others are read against. */
  arms(problem: Problem, scale: Scale): readonly Arm[];
  readonly claims: readonly Claim[];
}

/** An experiment under its folder's name. */
export interface NamedExperiment {
  readonly name: string;
  readonly experiment: Experiment;
}

/** An arm with its whole problem. */
export interface ResolvedArm extends Arm {
  readonly problem: Problem;
}

/** The experiment's arms at one scale. */
export function armsAt(experiment: Experiment, scale: Scale): readonly ResolvedArm[] {
  const problem = experiment.problems[scale];
  return experiment.arms(problem, scale).map((arm) => ({ ...arm, problem: { ...problem, ...arm.problem } }));
}

/** Whether the definition compares shares of ceilings, which a run then measures first. */
export const needsCeilings = ({ claims }: Experiment): boolean =>
  claims.some(({ figure }) => figure === "share");

/** A peer's trial carries the multiply-adds of its core, FLOP/s, among its metrics. */
export const CORE_CEILING = "coreFlopsPerSecond";
