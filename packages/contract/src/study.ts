import type { Config, Problem, Verdict } from "./operation.ts";
import type { Status, Timing } from "./trial.ts";

/**
 * Measurements around one variant that no table takes, because the kernel or its input was changed to learn something.
 * - `collapse`: all indices of the index buffer point at one slice: the very same kernel, almost no memory traffic.
 * - `padding`: unused workgroup memory is added in steps, so that fewer workgroups share a compute unit.
 * - `saturation`: the batch grows until the time per item stops falling.
 */
export const STUDY_KINDS = ["collapse", "padding", "saturation"] as const;
export type StudyKind = (typeof STUDY_KINDS)[number];

export interface StudyPoint {
  /** What varies: 0 plain and 1 collapsed; bytes of padding; workgroups. */
  readonly x: number;
  /** Items (pairs, matrices, tokens) of one run, and the largest dispatch of its plan. */
  readonly items: number;
  readonly workgroups: number;
  readonly status: Status;
  readonly reason?: string;
  readonly timing?: Timing;
  readonly verdict?: Verdict;
}

export interface Study {
  readonly kind: StudyKind;
  readonly operation: string;
  readonly algorithm: string;
  readonly problem: Problem;
  readonly variant: string;
  readonly config: Config;
  /** Of the unchanged variant on `problem`. */
  readonly planHash: string;
  readonly points: readonly StudyPoint[];
  /** What the points say, by name with the unit in it: `plateauWorkgroups`, `speedup`, ... */
  readonly findings: Readonly<Record<string, number>>;
}
