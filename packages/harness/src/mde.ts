import { sampleStandardDeviation } from "simple-statistics";
import { MDE } from "./protocol.ts";
import { tQuantile } from "./student.ts";

export interface MdeOptions {
  /** Two-sided chance of a false alarm; of one look where several are made. */
  readonly alpha?: number;
  /** Chance of missing an effect of this size. */
  readonly beta?: number;
}

/**
 * Minimum detectable effect, in the unit of the values (log ratios give a log ratio):
 *
 *     MDE = (t(1 - alpha / 2, n - 1) + t(1 - beta, n - 1)) * s / sqrt(n) * inflation
 *
 * with s their sample standard deviation and an inflation of 1.5 from 16 values, 2.2 under that: s of a few values is
 * itself uncertain, and noise with memory averages out more slowly than the formula thinks. In simulation
 * such an effect is seen at least nine times in ten from 16 quads under any noise, and from 8 as well except
 * where clocks switch or bursts come (85% to 88%). No smaller difference
 * may be claimed, nor its absence. Infinite with fewer than 2 values.
 */
export function minimumDetectableEffect(
  values: readonly number[],
  { alpha = MDE.alpha, beta = MDE.beta }: MdeOptions = {},
): number {
  const n = values.length;
  if (n < 2) return Number.POSITIVE_INFINITY;
  const factor = tQuantile(1 - alpha / 2, n - 1) + tQuantile(1 - beta, n - 1);
  const inflation = n >= MDE.manyValues ? MDE.inflation.many : MDE.inflation.few;
  return (factor * sampleStandardDeviation([...values]) * inflation) / Math.sqrt(n);
}
