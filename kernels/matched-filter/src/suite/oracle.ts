import type { Oracle, PortData, Verdict } from "@tunelab/contract";
import { roots } from "@tunelab/kernel-fft/suite";
import { INVERSE, type MatchedFilterProblem } from "../problem.ts";
import { expectation, type Plant } from "./plant.ts";
import { correlate, NEAR_TIE, samplePairs, type Truth, VALUE_TOLERANCE } from "./truth.ts";

/** A planted magnitude may be off by so many times the noise: P < 1e-14 for a right answer. */
const NOISE_BAND = 8;

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
    prepare({ count, seed }): void {
      for (const pair of samplePairs(pairs, count, seed)) truth(pair);
    },
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
