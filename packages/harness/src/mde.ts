import { sampleStandardDeviation } from "simple-statistics";
import { MDE } from "./protocol.ts";
import { outliersWithstood } from "./signed-rank.ts";
import { tQuantile } from "./student.ts";

export interface MdeOptions {
  /** Two-sided chance of a false alarm; of one look where several are made. */
  readonly alpha?: number;
  /** Chance of missing an effect of this size. */
  readonly beta?: number;
}

/**
 * Minimum detectable effect of n quads, in the unit of the values (log ratios give a log ratio):
 *
 *     MDE = (t(1 - alpha / 2, n - 1) + t(1 - beta, n - 1)) * s / sqrt(n) * inflation
 *
 * with s their sample standard deviation. The factor before the inflation would do for steady noise. Bursts and switching clocks
 * give most runs a small s and the next one an outlier: what is then seen depends on how many outliers the signed-rank interval
 * withstands, so the inflation does too: 6.5 for none (8 quads at 5%, 16 at a build's look), 2.2 for one, 1.5 for more. So
 * inflated, the effect is seen at least nine times in ten under every noise of reports/harness/error-rates.md. No smaller
 * difference may be claimed, nor its absence. Infinite where the interval is: fewer than 6 quads at 5%, 13 at a build's look.
 */
export function minimumDetectableEffect(values: readonly number[], options: MdeOptions = {}): number {
  const { alpha = MDE.alpha } = options;
  const wild = outliersWithstood(values.length, alpha);
  if (wild < 0) return Number.POSITIVE_INFINITY;
  const { quads } = MDE.inflation;
  return quads[Math.min(wild, quads.length - 1)]! * effect(values, options);
}

/** The same over the estimates of n processes, whose interval is Student's t: inflated by 2.7; infinite for fewer than 2. */
export function processesDetectableEffect(values: readonly number[], options: MdeOptions = {}): number {
  return values.length < 2 ? Number.POSITIVE_INFINITY : MDE.inflation.processes * effect(values, options);
}

function effect(values: readonly number[], { alpha = MDE.alpha, beta = MDE.beta }: MdeOptions): number {
  const n = values.length;
  const factor = tQuantile(1 - alpha / 2, n - 1) + tQuantile(1 - beta, n - 1);
  return (factor * sampleStandardDeviation([...values])) / Math.sqrt(n);
}
