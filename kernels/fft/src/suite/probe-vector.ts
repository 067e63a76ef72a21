import { randomFrom } from "@tunelab/variants";
import { transform } from "./fourier.ts";

/**
 * A random vector r and its transform R: sum_k r[k] X[k] = sum_j R[j] x[j] for every right X (Freivalds 1977, with the DFT as the
 * matrix), so one pass over an item's output checks every one of its values.
 */
export interface ProbeVector {
  readonly values: Float64Array;
  readonly transformed: Float64Array;
}

/** Root mean square of |r[k]|: both parts are uniform on [-1, 1]. */
export const PROBE_RMS: number = Math.sqrt(2 / 3);

/** The probe vector of n points for the direction of `table`. */
export function probeVector(n: number, table: Float64Array, seed: number): ProbeVector {
  const random = randomFrom(seed);
  const values = Float64Array.from({ length: 2 * n }, () => 2 * random.float() - 1);
  const transformed = values.slice();
  transform(transformed, table);
  return { values, transformed };
}

/** What one pass over an item gives: sum of weight times value (re, im) and the energy sum |value|^2. */
export interface Sums {
  readonly re: number;
  readonly im: number;
  readonly energy: number;
}

/** Sums over the item of n points that begins at word `at`. */
export function sumsOf(words: Float32Array, at: number, weights: Float64Array): Sums {
  let [re, im, energy] = [0, 0, 0];
  for (let w = 0; w < weights.length; w += 2) {
    const [a, b] = [words[at + w]!, words[at + w + 1]!];
    const [c, d] = [weights[w]!, weights[w + 1]!];
    re += a * c - b * d;
    im += a * d + b * c;
    energy += a * a + b * b;
  }
  return { re, im, energy };
}
