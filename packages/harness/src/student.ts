import { bisect } from "simple-statistics";

/**
 * P(|T| <= tan(theta) sqrt(df)) of Student's t with a whole number of degrees of freedom: the finite series of
 * Abramowitz and Stegun 26.7.3 (odd df) and 26.7.4 (even df).
 */
function central(theta: number, df: number): number {
  const cos = Math.cos(theta);
  const odd = df % 2 === 1;
  let term = odd ? cos : 1;
  let sum = df === 1 ? 0 : term;
  for (let k = odd ? 3 : 2; k < df; k += 2) {
    term *= ((k - 1) / k) * cos * cos;
    sum += term;
  }
  return odd ? (2 / Math.PI) * (theta + Math.sin(theta) * sum) : Math.sin(theta) * sum;
}

/** P(T <= t) of Student's t; `df` is a whole number >= 1. */
export function tProbability(t: number, df: number): number {
  const inside = central(Math.atan(Math.abs(t) / Math.sqrt(df)), df);
  return (1 + Math.sign(t) * inside) / 2;
}

/** Two-sided p of an excess over a margin with this standard error; without any scatter it is 0 or 1. */
export function excessProbability(excess: number, error: number, df: number): number {
  if (error === 0) return excess > 0 ? 0 : 1;
  return Math.min(1, 2 * (1 - tProbability(excess / error, df)));
}

/**
 * The t with P(T <= t) = `p`, by bisection of the angle, which is bounded whatever p; `df` is a whole number >= 1.
 * Infinite at p = 0 and 1. simple-statistics has the test but not the quantile.
 */
export function tQuantile(p: number, df: number): number {
  if (p <= 0) return Number.NEGATIVE_INFINITY;
  if (p >= 1) return Number.POSITIVE_INFINITY;
  if (p < 0.5) return -tQuantile(1 - p, df);
  const inside = 2 * p - 1;
  const theta = bisect((angle) => central(angle, df) - inside, 0, Math.PI / 2, 100, 1e-15);
  return Math.tan(theta) * Math.sqrt(df);
}
