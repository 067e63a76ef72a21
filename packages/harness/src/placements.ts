import type { PairJudgement } from "@tunelab/contract";
import { mean, sampleVariance } from "simple-statistics";
import { MDE, PLACEMENTS } from "./protocol.ts";
import { type QuadRules, verdictOf } from "./quads.ts";
import { hodgesLehmann, type Interval } from "./signed-rank.ts";
import { excessProbability, tQuantile } from "./student.ts";

/** Whether the candidate is compiled and bound before the base in the placement of this number. */
export const swappedAt = (placement: number): boolean =>
  PLACEMENTS.swapped[placement % PLACEMENTS.swapped.length]!;

/** Kept quads' statistics of one placement. */
export interface PlacedStatistics {
  readonly swapped: boolean;
  readonly statistics: readonly number[];
}

/**
 * Judges B against A over placements of code and buffers in one process. Each gives one value, the Hodges-Lehmann estimate of its
 * quads. What coming first or second does to a side is taken out: the estimate is the mean of both orders' means, and
 *
 *     interval = estimate +- t(1 - alpha / 2, n - k) * s * sqrt(sum 1 / n_i) / k
 *
 * with s the pooled standard deviation within the k (2) orders of n_i placements. What a place is worth to a side scatters the
 * placements and so widens the interval: no number of quads in one placement averages it out. Infinite while a placement has no
 * quads, or no order has two.
 */
export function judgePlacements(
  placed: readonly PlacedStatistics[],
  rules: Pick<QuadRules, "alpha" | "gate" | "equivalence">,
): PairJudgement {
  const { alpha } = rules;
  const orders = [false, true]
    .map((order) => placed.filter(({ swapped }) => swapped === order))
    .filter(({ length }) => length > 0)
    .map((list) => list.map(({ statistics }) => hodgesLehmann(statistics)));
  const df = placed.length - orders.length;
  const centre = orders.length > 0 ? mean(orders.map((values) => mean(values))) : Number.NaN;
  const squares = orders.reduce(
    (sum, values) => sum + (values.length > 1 ? (values.length - 1) * sampleVariance(values) : 0),
    0,
  );
  const shares = orders.reduce((sum, { length }) => sum + 1 / length, 0);
  const enough = df > 0 && Number.isFinite(centre);
  const error = enough ? (Math.sqrt(squares / df) * Math.sqrt(shares)) / orders.length : 0;
  const t = enough ? tQuantile(1 - alpha / 2, df) : Number.POSITIVE_INFINITY;
  const interval: Interval = enough
    ? { low: centre - t * error, high: centre + t * error }
    : { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const effect = enough ? MDE.inflation.processes * (t + tQuantile(1 - MDE.beta, df)) * error : t;
  return {
    verdict: verdictOf(interval, rules),
    ratio: Math.exp(centre),
    low: Math.exp(interval.low),
    high: Math.exp(interval.high),
    confidence: 1 - alpha,
    p: enough ? excessProbability(Math.abs(centre) - Math.log1p(rules.gate), error, df) : 1,
    mde: Math.expm1(effect),
    count: placed.length,
  };
}

/**
 * What is told of a change that the first placement showed, once others were asked: what they say, and a change only in the
 * direction of the first. Chance and place must then both have been mistaken.
 */
export function confirmed(first: PairJudgement, others: PairJudgement): PairJudgement {
  const alike = first.ratio > 1 === others.ratio > 1;
  const verdict = others.verdict === "changed" && !alike ? "unresolved" : others.verdict;
  return { ...others, verdict, p: Math.max(first.p, others.p) };
}
