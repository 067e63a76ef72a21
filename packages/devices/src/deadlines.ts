import type { MeasurePhase } from "@tunelab/contract";
import type { Deadlines } from "./protocol.ts";

/**
 * Longest time a host may spend in a phase, in ms. Starting: a cold NVIDIA driver takes 5 to 10 s in a container.
 * Compiling: SwiftShader needs 2 to 9 s for an unrolled 4096-point kernel, llvmpipe minutes, which no session can
 * afford. Verifying and measuring are bounded by the harness itself at far less; past this the GPU is stuck.
 */
export const DEFAULT_DEADLINES: Deadlines = {
  start: 30_000,
  compile: 60_000,
  verify: 60_000,
  measure: 60_000,
};

/** Least compile deadline of a session, in ms: the software GPU under load takes 10 s for plain kernels. */
const LEAST_COMPILE_MS = 20_000;

/**
 * Compile deadline of a session of `budgetMs`: a tenth of it, within 20 and 60 s. One hung compiler took 60 s of a session of three
 * minutes, and its last problem ended without a certified row.
 */
export const compileDeadline = (budgetMs: number): number =>
  Math.min(DEFAULT_DEADLINES.compile, Math.max(LEAST_COMPILE_MS, budgetMs / 10));

/** How long a host may take to leave after being told to, before it is killed. */
export const LEAVE_MS = 500;

/** How long a host whose device is lost may take to answer the request in hand before it is replaced. */
export const LOST_GRACE_MS = 2_000;

/** The deadline that runs in a phase. Planning is the host's own arithmetic and shares the compile deadline. */
export function deadlineOf(phase: MeasurePhase, deadlines: Deadlines): number {
  switch (phase) {
    case "idle":
    case "plan":
    case "compile":
      return deadlines.compile;
    case "verify":
      return deadlines.verify;
    case "warm-up":
    case "measure":
      return deadlines.measure;
  }
}
