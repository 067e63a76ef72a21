import type { MeasurePhase } from "@tunelab/contract";
import type { Failure } from "./outcome.ts";

/** When the time that a caller has for a request is over. */
export interface Until {
  /** Ms that it had. */
  readonly limitMs: number;
  /** Ms that are left, 0 when it is over. */
  leftMs(): number;
}

/** The end of `limitMs` from now; `now` in ms from any origin. */
export function untilAfter(limitMs: number, now: () => number = () => performance.now()): Until {
  const end = now() + limitMs;
  return { limitMs, leftMs: () => Math.max(0, end - now()) };
}

/** Deadlines of phases, cut shorter where the caller's time is over before. */
export function within(
  phases: (phase: MeasurePhase) => number,
  until: Until | undefined,
): (phase: MeasurePhase) => number {
  return until ? (phase) => Math.min(phases(phase), until.leftMs()) : phases;
}

/** Timers may fire this much early, in ms: a request that ended within it of the caller's end ended because of that. */
const EARLY_MS = 2;

/** One line that says what was going on when the caller's time was over; undefined when that is not what failed. */
export function overdue(failure: Failure, until: Until | undefined): string | undefined {
  if (!until || failure.kind !== "deadline" || until.leftMs() > EARLY_MS) return undefined;
  const during = failure.phase === "idle" ? "before any work" : `in phase ${failure.phase}`;
  return `no answer ${during} within the ${(until.limitMs / 1_000).toPrecision(3)} s that were left`;
}
