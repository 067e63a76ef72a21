/** Hyperparameters of the surrogate: squared inverse length scales by coordinate, and the noise relative to the signal. */
export interface Kernel {
  /** 1 / l^2 of each coordinate. */
  readonly weights: Float64Array;
  /** Variance of the noise over that of the signal. */
  readonly noise: number;
}

const ROOT5 = Math.sqrt(5);

/**
 * Matern 5/2 at a squared scaled distance: twice differentiable, rough enough for the steps of real kernels (Rasmussen and
 * Williams, "Gaussian Processes for Machine Learning", 2006, equation 4.17).
 */
export function matern52(squared: number): number {
  const r = ROOT5 * Math.sqrt(squared);
  return (1 + r + (r * r) / 3) * Math.exp(-r);
}

/** Its derivative by log length scale, without the factor (difference / length)^2 of the coordinate. */
export function matern52Slope(squared: number): number {
  const r = ROOT5 * Math.sqrt(squared);
  return (5 / 3) * (1 + r) * Math.exp(-r);
}

/** Covariance of two points of `width` coordinates, at their offsets in flat arrays. */
export function covariance(
  { weights }: Kernel,
  a: Float64Array,
  fromA: number,
  b: Float64Array,
  fromB: number,
): number {
  let squared = 0;
  for (let k = 0; k < weights.length; k++) {
    const difference = a[fromA + k]! - b[fromB + k]!;
    squared += weights[k]! * difference * difference;
  }
  return matern52(squared);
}
