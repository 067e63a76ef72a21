import { factor, solveLower, solveUpper } from "./cholesky.ts";
import type { Encoding } from "./encode.ts";
import { type Kernel, matern52, matern52Slope } from "./kernel.ts";

/** Free parameters: log length scales, then log noise. */
export type Theta = Float64Array;

/**
 * Prior of log length scales: normal around 0 with deviation 1. Coordinates run over a unit cube, so that a parameter's effect is
 * expected to change over about its range; a tenth of it and ten times it are both within reach of a few dozen observations.
 */
const LENGTH_MEAN = 0;
const LENGTH_DEVIATION = 1;

/** Log length scale that fitting starts from: half the range of a parameter, short enough for every gradient to be alive. */
const LENGTH_START = Math.log(0.5);

/**
 * Prior of the log of relative noise: normal around -4 with deviation 1, a standard deviation of about an eighth of the
 * signal's: it also takes up what no smooth function explains (BoTorch has the same default).
 */
const NOISE_MEAN = -4;
const NOISE_DEVIATION = 1;

/** Prior of the signal's variance over the targets', inverse gamma: worth two observations at variance 1. */
const SIGNAL_SHAPE = 1;

/** Bounds of log length scales and log noise: beyond them the covariance no longer changes. */
const LENGTH_BOUNDS = [Math.log(0.05), Math.log(100)] as const;
const NOISE_BOUNDS = [Math.log(1e-5), Math.log(1)] as const;

/** Resilient propagation (Igel and Huesken's iRprop-, 2003): first step, least and greatest step, growth and shrinking. */
const STEP = { first: 0.2, least: 1e-3, most: 1, grow: 1.2, shrink: 0.5 } as const;

export function priorTheta({ scales }: Encoding): Theta {
  const theta = new Float64Array(scales + 1).fill(LENGTH_START);
  theta[scales] = NOISE_MEAN;
  return theta;
}

export function kernelOf({ groups, scales }: Encoding, theta: Theta): Kernel {
  return {
    weights: Float64Array.from(groups, (group) => Math.exp(-2 * theta[group]!)),
    noise: Math.exp(theta[scales]!),
  };
}

/**
 * Maximises the posterior of the hyperparameters given targets of mean 0 and variance 1, the signal's variance integrated
 * out, by `steps` steps from `from`. `x` holds n points in rows of the encoding's width. O(steps n^3).
 */
export function fitTheta(
  encoding: Encoding,
  x: Float64Array,
  y: Float64Array,
  from: Theta,
  steps: number,
): Theta {
  const theta = Float64Array.from(from);
  const pairs = squaredDifferences(encoding, x, y.length);
  const step = new Float64Array(theta.length).fill(STEP.first);
  const last = new Float64Array(theta.length);
  let best = Float64Array.from(theta);
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn <= steps; turn++) {
    const found = objective(encoding, pairs, y, theta);
    if (found.value < least) {
      least = found.value;
      best = Float64Array.from(theta);
    }
    if (turn === steps || !Number.isFinite(found.value)) break;
    for (let k = 0; k < theta.length; k++) {
      const slope = found.gradient[k]!;
      const agreed = slope * last[k]!;
      if (agreed > 0) step[k] = Math.min(STEP.most, step[k]! * STEP.grow);
      else if (agreed < 0) step[k] = Math.max(STEP.least, step[k]! * STEP.shrink);
      last[k] = agreed < 0 ? 0 : slope;
      const [low, high] = k < encoding.scales ? LENGTH_BOUNDS : NOISE_BOUNDS;
      if (agreed >= 0) theta[k] = Math.min(high, Math.max(low, theta[k]! - Math.sign(slope) * step[k]!));
    }
  }
  return best;
}

/** Negative log posterior of hyperparameters, up to a constant, and its gradient. */
export function negativeLogPosterior(
  encoding: Encoding,
  x: Float64Array,
  y: Float64Array,
  theta: Theta,
): Evaluated {
  return objective(encoding, squaredDifferences(encoding, x, y.length), y, theta);
}

interface Evaluated {
  readonly value: number;
  readonly gradient: Float64Array;
}

/** Squared differences of every pair i > j, summed over the coordinates of each length scale: pair-major. */
function squaredDifferences({ width, groups, scales }: Encoding, x: Float64Array, n: number): Float64Array {
  const out = new Float64Array(((n * (n - 1)) / 2) * scales);
  let at = 0;
  for (let i = 1; i < n; i++) {
    for (let j = 0; j < i; j++, at += scales) {
      for (let k = 0; k < width; k++) {
        const difference = x[i * width + k]! - x[j * width + k]!;
        out[at + groups[k]!]! += difference * difference;
      }
    }
  }
  return out;
}

function objective({ scales }: Encoding, pairs: Float64Array, y: Float64Array, theta: Theta): Evaluated {
  const n = y.length;
  const weights = Float64Array.from({ length: scales }, (_, k) => Math.exp(-2 * theta[k]!));
  const noise = Math.exp(theta[scales]!);
  const c = new Float64Array(n * n);
  const slopes = new Float64Array((n * (n - 1)) / 2);
  for (let i = 0, pair = 0; i < n; i++) {
    for (let j = 0; j < i; j++, pair++) {
      let squared = 0;
      for (let k = 0; k < scales; k++) squared += weights[k]! * pairs[pair * scales + k]!;
      c[i * n + j] = matern52(squared);
      slopes[pair] = matern52Slope(squared);
    }
    c[i * n + i] = 1 + noise;
  }
  const gradient = new Float64Array(scales + 1);
  if (!factor(c, n, n)) return { value: Number.POSITIVE_INFINITY, gradient };
  const alpha = Float64Array.from(y);
  solveLower(c, n, n, alpha);
  let fit = 0;
  let logDeterminant = 0;
  for (let i = 0; i < n; i++) {
    fit += alpha[i]! ** 2;
    logDeterminant += 2 * Math.log(c[i * n + i]!);
  }
  solveUpper(c, n, n, alpha);
  const inverse = inverseOf(c, n);
  const shape = n / 2 + SIGNAL_SHAPE;
  const scale = fit / 2 + SIGNAL_SHAPE;
  for (let i = 0, pair = 0; i < n; i++) {
    for (let j = 0; j < i; j++, pair++) {
      // Both halves of the symmetric matrix: twice the half's trace over two.
      const factorOf = inverse[i * n + j]! - (shape / scale) * alpha[i]! * alpha[j]!;
      const common = factorOf * slopes[pair]!;
      for (let k = 0; k < scales; k++) gradient[k]! += common * weights[k]! * pairs[pair * scales + k]!;
    }
    gradient[scales]! += 0.5 * noise * (inverse[i * n + i]! - (shape / scale) * alpha[i]! ** 2);
  }
  let value = shape * Math.log(scale) + logDeterminant / 2;
  for (let k = 0; k <= scales; k++) {
    const [mean, deviation] = k < scales ? [LENGTH_MEAN, LENGTH_DEVIATION] : [NOISE_MEAN, NOISE_DEVIATION];
    const distance = (theta[k]! - mean) / deviation;
    value += distance ** 2 / 2;
    gradient[k]! += distance / deviation;
  }
  return { value, gradient };
}

/** Lower half of the inverse of L Lᵀ. */
function inverseOf(l: Float64Array, n: number): Float64Array {
  // Rows of `half` are columns of L^-1, so that the products below run along rows.
  const half = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    half[j * n + j] = 1 / l[j * n + j]!;
    for (let i = j + 1; i < n; i++) {
      let sum = 0;
      for (let k = j; k < i; k++) sum -= l[i * n + k]! * half[j * n + k]!;
      half[j * n + i] = sum / l[i * n + i]!;
    }
  }
  const inverse = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = i; k < n; k++) sum += half[i * n + k]! * half[j * n + k]!;
      inverse[i * n + j] = sum;
    }
  }
  return inverse;
}
