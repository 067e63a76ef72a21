import type { LoopStep, Plan, RepeatStep, Step } from "@tunelab/contract";
import type { Budgets } from "./types.ts";

/**
 * - `submitMs` 100: a frame-rate hiccup, not a hang. Windows resets a GPU after 2 s, Chrome's watchdog acts after 10 s,
 *   macOS kills work that impairs interactivity without a fixed limit.
 * - `memoryBytes` 4 GiB: holds the largest published workload (32768 transforms of 4096 points, in and out, 2 GiB)
 *   and leaves a common 8 GB card usable by others.
 */
export const DEFAULT_BUDGETS: Budgets = { submitMs: 100, memoryBytes: 4 * 2 ** 30 };

/** A piece of an unknown kernel may hold this many times the items of the piece before it. */
export const GROWTH = 8;

/** Submissions in flight at most, so that command memory stays bounded while the GPU never waits for the host. */
export const MAX_IN_FLIGHT = 4;

/** Passes of a step that may be submitted together: those of a repeated one, or of a loop up to its next check. */
export const passesOf = (step: Step): number => {
  if (step.kind === "repeat") return step.count;
  return step.kind === "loop" ? Math.min(step.checkEvery, step.maximum) : 1;
};

/** Loops and repeated steps of a plan. */
export const repeatingOf = ({ steps }: Plan): readonly (LoopStep | RepeatStep)[] =>
  steps.filter((step) => step.kind === "loop" || step.kind === "repeat");
