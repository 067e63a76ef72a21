import type { PairJudgement } from "@tunelab/contract";
import { mean, sampleStandardDeviation } from "simple-statistics";
import { processesDetectableEffect } from "./mde.ts";
import { QUADS } from "./protocol.ts";
import { type QuadRules, REPORT_QUADS, verdictOf } from "./quads.ts";
import { hodgesLehmann, type Interval } from "./signed-rank.ts";
import { excessProbability, tQuantile } from "./student.ts";

export interface ProcessesJudgement extends PairJudgement {
  /** Whether there are enough processes and quads in each (6 and 4) for a published claim. */
  readonly publishable: boolean;
}

/**
 * Judges B against A over fresh processes, given the kept quads' statistics of each: the Hodges-Lehmann estimate of each
 * process is one value, and mean +- t(1 - alpha / 2, m - 1) s / sqrt(m) over the m processes is the interval. A
 * process places its buffers and code anew (0.5% a side is common), which no number of quads in one process averages
 * out. One look, so the whole of alpha. Processes without a quad are left out; with fewer than two left the interval is
 * infinite.
 */
export function judgeProcesses(
  perProcess: readonly (readonly number[])[],
  rules: Pick<QuadRules, "alpha" | "gate" | "equivalence"> = REPORT_QUADS,
): ProcessesJudgement {
  const kept = perProcess.filter((statistics) => statistics.length > 0);
  const centres = kept.map(hodgesLehmann);
  const count = centres.length;
  const centre = count > 0 ? mean(centres) : Number.NaN;
  const error = count > 1 ? sampleStandardDeviation(centres) / Math.sqrt(count) : Number.POSITIVE_INFINITY;
  const half = count > 1 ? tQuantile(1 - rules.alpha / 2, count - 1) * error : Number.POSITIVE_INFINITY;
  const interval: Interval = { low: centre - half, high: centre + half };
  return {
    verdict: verdictOf(interval, rules),
    ratio: Math.exp(centre),
    low: Math.exp(interval.low),
    high: Math.exp(interval.high),
    confidence: 1 - rules.alpha,
    p: count > 1 ? excessProbability(Math.abs(centre) - Math.log1p(rules.gate), error, count - 1) : 1,
    mde: Math.expm1(processesDetectableEffect(centres, { alpha: rules.alpha })),
    count,
    publishable: count >= QUADS.processes && kept.every(({ length }) => length >= QUADS.quadsPerProcess),
  };
}
