import type { PortData } from "@tunelab/contract";
import { transform } from "@tunelab/kernel-fft/suite";
import { randomFrom } from "@tunelab/variants";

/** Magnitudes closer than this (relative, float64) decide nothing: such an index is a near tie. */
export const NEAR_TIE = 1e-6;
/** A complex value may be off by so much of the magnitude: wrong beyond, and a matter of accuracy below. */
export const VALUE_TOLERANCE = 1e-2;

/** A pair in float64. */
export interface Truth {
  readonly index: number;
  readonly re: number;
  readonly im: number;
  readonly magnitude: number;
  /** |z| at a lag. */
  at(lag: number): number;
}

/**
 * One pair in float64, from the float32 inputs. It keeps no correlation (16 MiB at the longest, and an oracle keeps a truth a sampled
 * pair): `at` sums the n products for its one lag.
 */
export function correlate(inputs: PortData, n: number, i: number, j: number, table: Float64Array): Truth {
  const [data, templates] = [inputs.data!, inputs.templates!];
  const product = (f: number): readonly [re: number, im: number] => {
    const [a, b] = [2 * (i * n + f), 2 * (j * n + f)];
    return [
      data[a]! * templates[b]! + data[a + 1]! * templates[b + 1]!,
      data[a + 1]! * templates[b]! - data[a]! * templates[b + 1]!,
    ];
  };
  const z = new Float64Array(2 * n);
  for (let f = 0; f < n; f++) [z[2 * f], z[2 * f + 1]] = product(f);
  transform(z, table);
  let [index, most] = [0, -1];
  for (let t = 0; t < n; t++) {
    const size = z[2 * t]! ** 2 + z[2 * t + 1]! ** 2;
    if (size > most) [index, most] = [t, size];
  }
  return {
    index,
    re: z[2 * index]!,
    im: z[2 * index + 1]!,
    magnitude: Math.sqrt(most),
    at(lag) {
      let [re, im] = [0, 0];
      for (let f = 0; f < n; f++) {
        // f lag is under 2^40: exact.
        const turn = 2 * ((f * lag) % n);
        const [x, y] = product(f);
        re += x * table[turn]! - y * table[turn + 1]!;
        im += x * table[turn + 1]! + y * table[turn]!;
      }
      return Math.hypot(re, im);
    },
  };
}

/** Distinct pairs to compare in full; all of them when the sample is as large. */
export function samplePairs(pairs: number, count: number, seed: number): ReadonlySet<number> {
  if (count >= pairs) return new Set(Array.from({ length: pairs }, (_, pair) => pair));
  const random = randomFrom(seed);
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random.integer(pairs));
  return chosen;
}
