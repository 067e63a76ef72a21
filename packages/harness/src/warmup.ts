import { WARM_UP } from "./protocol.ts";
import { timeLimit } from "./time-limit.ts";

/**
 * Mann-Kendall trend statistic z of values in order (Mann 1945, Kendall 1975), ties and continuity corrected:
 * normal without a trend, negative when values fall. 0 when all are equal.
 */
export function mannKendall(values: readonly number[]): number {
  const n = values.length;
  let s = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) s += Math.sign(values[j]! - values[i]!);
  }
  const sizes = new Map<number, number>();
  for (const value of values) sizes.set(value, (sizes.get(value) ?? 0) + 1);
  const term = (m: number): number => m * (m - 1) * (2 * m + 5);
  const ties = [...sizes.values()].reduce((sum, size) => sum + term(size), 0);
  const variance = (term(n) - ties) / 18;
  return variance > 0 ? (s - Math.sign(s)) / Math.sqrt(variance) : 0;
}

/** How a warm-up ended. */
export interface WarmUp {
  readonly runs: number;
  /** False when time ran out while a trend was still there. */
  readonly steady: boolean;
  readonly z: number;
}

/**
 * Runs `once` (which resolves to a time in any unit) for at least `leastMs` and until its last 24 values show no trend, or
 * `limitMs` have passed.
 * Bounded by time even where each run is slow: the limit is looked at after every run.
 */
export async function warmUp(
  once: () => Promise<number>,
  clock: { now(): number },
  { leastMs = 0, limitMs = WARM_UP.limitMs }: { readonly leastMs?: number; readonly limitMs?: number } = {},
): Promise<WarmUp> {
  const look = timeLimit(clock, limitMs);
  const values: number[] = [];
  for (;;) {
    values.push(await once());
    const recent = values.slice(-WARM_UP.window);
    const z = mannKendall(recent);
    const { ms, over } = look();
    const steady = recent.length === WARM_UP.window && Math.abs(z) < WARM_UP.z && ms >= leastMs;
    if (steady || over) return { runs: values.length, steady, z };
  }
}
