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
