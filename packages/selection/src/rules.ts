/** The numbers that decide what enters a table and what beats what; each with its reason. */

/** Two minima closer than this are the same speed: the A/A gate that kept false "changed" verdicts at 0 of 3000. */
export const RESOLVED_GATE = 0.005;

/**
 * Standard errors that a gap must exceed beside the gate. The spread of a sample is its scatter over the root of its size; two of them in quadrature, at the usual 95%.
 */
export const RESOLVED_ERRORS = 2;

/** Where the certification gate cannot be met (a shared CPU drifts about 2x), differences under 35% mean nothing. */
export const NOISY_GATE = 0.35;

/**
 * What a session cannot tell from no difference, as a fraction, however its samples agree: on a CPU that is shared, the same kernel
 * drifts by up to 35%; else the gate under which A/A runs gave no false alarm.
 */
export function floorOf({
  software,
  gateReachable,
}: {
  readonly software: boolean;
  /** What the noise probe said; absent where it did not run. */
  readonly gateReachable?: boolean | undefined;
}): number {
  return software || gateReachable === false ? NOISY_GATE : RESOLVED_GATE;
}

/** Ranked rows that a table keeps for a problem; the default configurations stay beside them. */
export const ROWS_KEPT = 16;

/** Significant digits of times and fractions: finer than the gate, coarse enough to be the same in every engine. */
export const TIME_DIGITS = 4;

/** Significant digits of errors and coefficients of variation. */
export const ERROR_DIGITS = 3;

/** The number at so many significant digits; what is ranked is what is written. */
export function round(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

/** Code-unit order: the same in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Median of a non-empty sample; the mean of the middle two of an even one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Sample standard deviation over the mean; 0 for a single value. */
export function coefficientOfVariation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2 || mean === 0) return 0;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1)) / mean;
}

/** Interquartile range of a normal distribution in standard deviations. */
const NORMAL_IQR = 1.349;

/** Value below which a part of a non-empty sorted sample lies, between neighbours linearly (type 7 of Hyndman and Fan, 1996). */
function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const low = Math.floor(at);
  return sorted[low]! + (at - low) * (sorted[Math.min(low + 1, sorted.length - 1)]! - sorted[low]!);
}

/**
 * Spread of a non-empty sample as a fraction: its coefficient of variation, or the interquartile range over the median as a standard
 * deviation where that is less, as the gate of certification takes either. One sample of 24 at ten times the others makes a CV of 140%
 * and a tie of everything: under such noise 23 of 40 simulated pairs of sessions named the same best by the CV, all 40 by this.
 */
export function scatterOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = median(sorted);
  const robust = middle > 0 ? (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / (NORMAL_IQR * middle) : 0;
  return Math.min(coefficientOfVariation(values), robust);
}

/** How far from the best the shipped portfolio may stay: what a race on an unknown device starts from. */
export const PORTFOLIO_WITHIN = 0.05;
