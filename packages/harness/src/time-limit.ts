import { STUCK_LOOKS } from "./protocol.ts";

/** What a look at the time says. */
export interface TimeSpent {
  readonly ms: number;
  /** The limit has passed, or the clock cannot tell whether it has. */
  readonly over: boolean;
}

/**
 * Bounds work by time, also on a clock that stands still, runs backwards or says NaN: each look is made after some work, and
 * when so many in a row see no progress the limit counts as passed.
 */
export function timeLimit(clock: { now(): number }, limitMs: number): () => TimeSpent {
  const start = clock.now();
  let furthest = 0;
  let looks = 0;
  return () => {
    const ms = clock.now() - start;
    looks = ms > furthest ? 0 : looks + 1;
    furthest = Math.max(furthest, ms);
    return { ms, over: !(ms < limitMs) || looks >= STUCK_LOOKS };
  };
}
