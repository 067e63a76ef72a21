const ROOT_TAU = Math.sqrt(2 * Math.PI);

/** Terms of the continued fraction: relative error under 1e-4 at 1, where it converges slowest here. */
const TERMS = 30;

/**
 * Logarithm of the expected improvement of a normal variable over a target `improvement` above its mean, both in its unit:
 * log(sd (phi(u) + u Phi(u))), u = improvement / sd (Jones, Schonlau and Welch, "Efficient global optimization of expensive
 * black-box functions", 1998). In logarithms, since far from the target it underflows and all candidates would tie.
 */
export function logExpectedImprovement(improvement: number, sd: number): number {
  const u = improvement / sd;
  if (u >= -1) return Math.log(sd * (density(u) + u * cumulative(u)));
  // phi(u) (1 - x R(x)) with x = -u and Mills' ratio R(x) = 1 / (x + 1 / (x + 2 / (x + ...))), without cancellation.
  const x = -u;
  let tail = x;
  for (let term = TERMS; term >= 2; term--) tail = x + term / tail;
  const rest = 1 / tail;
  return Math.log(sd / ROOT_TAU) - (u * u) / 2 + Math.log(rest / (x + rest));
}

/** Chance that a normal variable `improvement` under a bound, in its unit, stays under it. */
export const chanceUnder = (improvement: number, sd: number): number => cumulative(improvement / sd);

const density = (u: number): number => Math.exp((-u * u) / 2) / ROOT_TAU;

/** Normal distribution function, absolute error under 7.5e-8 (Abramowitz and Stegun, 26.2.17). */
function cumulative(u: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(u));
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const upper = density(u) * series;
  return u > 0 ? 1 - upper : upper;
}
