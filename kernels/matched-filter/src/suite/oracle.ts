import type { Oracle, PortData, Verdict } from "@tunelab/contract";
import { roots, transform } from "@tunelab/kernel-fft/suite";
import { randomFrom } from "@tunelab/variants";
import { INVERSE, type MatchedFilterProblem } from "../problem.ts";
import { expectation, type Plant } from "./plant.ts";

/** Magnitudes closer than this (relative, float64) decide nothing: such an index is a near tie. */
const NEAR_TIE = 1e-6;
/** A planted magnitude may be off by so many times the noise: P < 1e-14 for a right answer. */
const NOISE_BAND = 8;
/** A complex value may be off by so much of the magnitude: wrong beyond, and a matter of accuracy below. */
const VALUE_TOLERANCE = 1e-2;

interface Truth {
  readonly index: number;
  readonly re: number;
  readonly im: number;
  readonly magnitude: number;
  /** |z| at a lag. */
  at(lag: number): number;
}

/**
 * Judges records: every pair against its planted lag and magnitude, a random sample in full against a float64 transform.
 * `inputs` are the buffers that the kernel read, so a sample judges the arithmetic alone.
 */
export function oracleOf(
  problem: MatchedFilterProblem,
  inputs: PortData,
  planted: Plant | undefined,
): Oracle {
  const { n, pairs } = problem;
  const table = roots(n, INVERSE);
  const truths = new Map<number, Truth>();
  const pairList = inputs.pairs!;
  const truth = (pair: number): Truth => {
    const known = truths.get(pair);
    if (known) return known;
    const made = correlate(inputs, n, pairList[2 * pair]!, pairList[2 * pair + 1]!, table);
    truths.set(pair, made);
    return made;
  };

  return {
    check(outputs, sample): Verdict {
      const words = outputs.records as Uint32Array | undefined;
      if (!words || words.length < 4 * pairs) {
        return {
          matched: 0,
          total: pairs,
          sampled: 0,
          maxError: Number.POSITIVE_INFINITY,
          nearTies: 0,
          detail: `records hold ${words?.length ?? 0} words, not ${4 * pairs}`,
        };
      }
      const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
      const sampled = samplePairs(pairs, sample.count, sample.seed);
      let [matched, nearTies, maxError] = [0, 0, 0];
      let detail: string | undefined;
      for (let pair = 0; pair < pairs; pair++) {
        const index = words[4 * pair]!;
        const [re, im, magnitude] = [floats[4 * pair + 1]!, floats[4 * pair + 2]!, floats[4 * pair + 3]!];
        const fault =
          (planted && plantedFault(planted, n, pairList, pair, index, magnitude)) ??
          (Math.abs(Math.hypot(re, im) - magnitude) <= VALUE_TOLERANCE * magnitude
            ? undefined
            : `magnitude ${magnitude} is not that of ${re} + ${im}i`);
        let wrong = fault;
        if (sampled.has(pair)) {
          const want = truth(pair);
          const near = index < n && Math.abs(want.at(index) - want.magnitude) <= NEAR_TIE * want.magnitude;
          if (index !== want.index && near) {
            nearTies++;
            wrong = undefined;
          } else if (index !== want.index) {
            wrong ??= `index ${index}, float64 gives ${want.index}`;
          } else {
            const off = Math.hypot(re - want.re, im - want.im) / want.magnitude;
            if (!(off <= VALUE_TOLERANCE))
              wrong ??= `value ${re} + ${im}i, float64 gives ${want.re} + ${want.im}i`;
          }
          const error = Math.abs(magnitude - want.magnitude) / want.magnitude;
          maxError = Math.max(maxError, Number.isNaN(error) ? Number.POSITIVE_INFINITY : error);
        }
        if (wrong === undefined) matched++;
        else detail ??= `pair ${pair}: ${wrong}`;
      }
      return {
        matched,
        total: pairs,
        sampled: sampled.size,
        maxError,
        nearTies,
        ...(detail ? { detail } : {}),
      };
    },
  };
}

function plantedFault(
  planted: Plant,
  n: number,
  list: PortData[string],
  pair: number,
  index: number,
  magnitude: number,
): string | undefined {
  const want = expectation(planted, n, list[2 * pair]!, list[2 * pair + 1]!);
  if (index !== want.lag) return `index ${index}, planted at ${want.lag}`;
  if (!(Math.abs(magnitude - want.magnitude) <= NOISE_BAND * want.noise)) {
    return `magnitude ${magnitude}, planted ${want.magnitude.toFixed(1)} +- ${want.noise.toFixed(1)}`;
  }
  return undefined;
}

/** One pair in float64, from the float32 inputs. */
function correlate(inputs: PortData, n: number, i: number, j: number, table: Float64Array): Truth {
  const [data, templates] = [inputs.data!, inputs.templates!];
  const z = new Float64Array(2 * n);
  for (let f = 0; f < n; f++) {
    const [a, b] = [2 * (i * n + f), 2 * (j * n + f)];
    z[2 * f] = data[a]! * templates[b]! + data[a + 1]! * templates[b + 1]!;
    z[2 * f + 1] = data[a + 1]! * templates[b]! - data[a]! * templates[b + 1]!;
  }
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
    at: (lag) => Math.hypot(z[2 * lag]!, z[2 * lag + 1]!),
  };
}

/** Distinct pairs to compare in full; all of them when the sample is as large. */
function samplePairs(pairs: number, count: number, seed: number): ReadonlySet<number> {
  if (count >= pairs) return new Set(Array.from({ length: pairs }, (_, pair) => pair));
  const random = randomFrom(seed);
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random.integer(pairs));
  return chosen;
}
