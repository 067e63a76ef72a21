import type { PairJudgement, PerSide, ReferenceSeries } from "@tunelab/contract";
import { mean, sampleVariance } from "simple-statistics";
import { MDE } from "./protocol.ts";
import { type QuadRules, REPORT_QUADS, verdictOf } from "./quads.ts";
import { hodgesLehmann, type Interval } from "./signed-rank.ts";
import { excessProbability, tQuantile } from "./student.ts";

/**
 * ln of the work (1e9 FLOPs or bytes) that the reference kernel does in the time of one repeat, a value a sample: each is told by
 * the mean of the reference's times before and after it. Empty where the reference's samples do not fit.
 */
export function referenceLogs({ samplesNs, repeats, anchor }: ReferenceSeries): readonly number[] {
  if (!anchor?.amount || anchor.samplesNs.length !== samplesNs.length + 1) return [];
  const { amount, samplesNs: around } = anchor;
  return samplesNs.map((ns, index) =>
    Math.log((2 * ns * amount) / ((around[index]! + around[index + 1]!) * repeats * 1e9)),
  );
}

/**
 * Judges the candidate against the base where they cannot be paired: each process gives one value (the Hodges-Lehmann estimate of
 * its `referenceLogs`), and the ratio of ratios is exp(mean of the candidate's - mean of the base's). Nothing that both sides met
 * cancels, so that the variances add: Welch's interval, t(1 - alpha / 2, df) * sqrt(sB^2 / mB + sA^2 / mA), with the degrees
 * of freedom of Welch and Satterthwaite rounded down. Infinite with fewer than two processes of either side.
 */
export function judgeReferences(
  perProcess: PerSide<readonly (readonly number[])[]>,
  rules: Pick<QuadRules, "alpha" | "gate" | "equivalence"> = REPORT_QUADS,
): PairJudgement {
  const base = summary(perProcess.base);
  const candidate = summary(perProcess.candidate);
  const { alpha, gate } = rules;
  const centre = candidate.mean - base.mean;
  const error = Math.sqrt(base.share + candidate.share);
  const df = freedom(base, candidate);
  const count = Math.min(base.count, candidate.count);
  const enough = count > 1;
  const half = enough ? tQuantile(1 - alpha / 2, df) * error : Number.POSITIVE_INFINITY;
  const interval: Interval = { low: centre - half, high: centre + half };
  const effect = (tQuantile(1 - alpha / 2, df) + tQuantile(1 - MDE.beta, df)) * error;
  return {
    verdict: enough ? verdictOf(interval, rules) : "unresolved",
    ratio: Math.exp(centre),
    low: enough ? Math.exp(interval.low) : 0,
    high: enough ? Math.exp(interval.high) : Number.POSITIVE_INFINITY,
    confidence: 1 - alpha,
    p: enough ? excessProbability(Math.abs(centre) - Math.log1p(gate), error, df) : 1,
    mde: enough ? Math.expm1(MDE.inflation.processes * effect) : Number.POSITIVE_INFINITY,
    count,
  };
}

/** One side's processes: their mean, and the square of its standard error. */
interface Summary {
  readonly count: number;
  readonly mean: number;
  readonly share: number;
}

function summary(processes: readonly (readonly number[])[]): Summary {
  const centres = processes.filter((logs) => logs.length > 0).map(hodgesLehmann);
  const count = centres.length;
  return {
    count,
    mean: count > 0 ? mean(centres) : Number.NaN,
    share: count > 1 ? sampleVariance(centres) / count : 0,
  };
}

/** Welch-Satterthwaite, rounded down; at least 1. */
function freedom(a: Summary, b: Summary): number {
  const both = (a.share + b.share) ** 2;
  const parts = a.share ** 2 / (a.count - 1) + b.share ** 2 / (b.count - 1);
  return parts > 0 ? Math.max(1, Math.floor(both / parts)) : Math.max(1, Math.min(a.count, b.count) - 1);
}
