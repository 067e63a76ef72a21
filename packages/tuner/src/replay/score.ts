/** How a measured space scores a search; all in the unit of its times. Methodology of the autotuning community, by evaluations. */
export interface Yardstick {
  readonly optimum: number;
  readonly median: number;
  /** Valid times, slowest first. */
  readonly descending: readonly number[];
  /** Evaluations that the score averages over: those that random search needs to come within 5% of the way from the median. */
  readonly budget: number;
}

/** Share of the way from the median to the optimum at which random search sets the budget. */
const CUTOFF = 0.95;

/** Evaluations that count at most. */
const MOST_EVALUATIONS = 500;

/** The yardstick of a space with these valid times; at least one. */
export function yardstick(times: readonly number[]): Yardstick {
  const descending = [...times].sort((a, b) => b - a);
  const count = descending.length;
  const optimum = descending[count - 1]!;
  const median = medianOf(descending);
  const target = optimum + (median - optimum) * (1 - CUTOFF);
  const index = descending.findIndex((time) => time <= target);
  const budget = Math.min(MOST_EVALUATIONS, Math.max(1, Math.ceil(index / (count + 1 - index))));
  return { optimum, median, descending, budget };
}

/** Time that random search is expected to have found after `t` evaluations: descending[round(t (N + 1) / (t + 1))]. */
export function randomBaseline({ descending }: Yardstick, t: number): number {
  const count = descending.length;
  return descending[Math.min(count - 1, Math.round((t * (count + 1)) / (t + 1)))]!;
}

/** Best time of each run after 1, 2, 3 ... evaluations; undefined before its first success. */
export type Curves = readonly (readonly (number | undefined)[])[];

/**
 * Mean over t = 1 ... budget of (baseline(t) - found(t)) / (baseline(t) - optimum), found(t) the median over runs, t left out where
 * the baseline is the optimum: 1 = optimal at once, 0 = random. Undefined when the curves are shorter than the budget.
 */
export function scoreOf(stick: Yardstick, curves: Curves): number | undefined {
  if (curves.some((curve) => curve.length < stick.budget)) return undefined;
  let sum = 0;
  let counted = 0;
  for (let t = 1; t <= stick.budget; t++) {
    const baseline = randomBaseline(stick, t);
    if (baseline === stick.optimum) continue;
    const found = medianOf(curves.map((curve) => curve[t - 1] ?? stick.median));
    sum += (baseline - found) / (baseline - stick.optimum);
    counted++;
  }
  return counted > 0 ? sum / counted : 1;
}

/** Mean over runs of optimum / best time after `t` evaluations, a run without success counted at the space's median. */
export function fractionOfOptimum(stick: Yardstick, curves: Curves, t: number): number {
  return mean(curves.map((curve) => stick.optimum / (curve[t - 1] ?? stick.median)));
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
