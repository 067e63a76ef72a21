import type { PortData } from "@tunelab/contract";
import { roots } from "@tunelab/kernel-fft/suite";
import { randomFrom } from "@tunelab/variants";
import { INVERSE, type MatchedFilterProblem } from "../problem.ts";

/** Root mean square of the noise in a bin, a part of the reference's 1. Peaks stand n against noise of about 0.5 sqrt(n). */
export const NOISE = 0.25;

/** What was planted: gains and delays of data and templates. */
export interface Plant {
  readonly dataGains: Float64Array;
  readonly templateGains: Float64Array;
  readonly dataDelays: Uint32Array;
  readonly templateDelays: Uint32Array;
}

interface Random {
  float(): number;
  integer(n: number): number;
}

function chosen(count: number, n: number, random: Random): { gains: Float64Array; delays: Uint32Array } {
  const gains = new Float64Array(count);
  const delays = new Uint32Array(count);
  for (let k = 0; k < count; k++) {
    gains[k] = 0.5 + random.float();
    delays[k] = random.integer(n);
  }
  return { gains, delays };
}

/** Gains and delays of a seed. */
export function plant({ n, data, templates }: MatchedFilterProblem, seed: number): Plant {
  const random = randomFrom(seed);
  const d = chosen(data, n, random);
  const t = chosen(templates, n, random);
  return {
    dataGains: d.gains,
    dataDelays: d.delays,
    templateGains: t.gains,
    templateDelays: t.delays,
  };
}

/**
 * Spectra that share a reference of unit magnitude and random phase, each with a gain, a delay (a phase ramp) and noise of its
 * own: so pair (i, j) peaks at lag (delay_i - delay_j) mod n with about gain_i gain_j n, whatever the pair.
 */
export function plantedInputs(problem: MatchedFilterProblem, seed: number): PortData {
  const { n, data, templates } = problem;
  const planted = plant(problem, seed);
  const random = randomFrom(seed + 0x9e3779b9);
  const table = roots(n, INVERSE);
  const phases = Uint32Array.from({ length: n }, () => random.integer(n));
  const spectra = (count: number, gains: Float64Array, delays: Uint32Array): Float32Array => {
    const words = new Float32Array(count * n * 2);
    // Uniform on [-a, a] in both parts has mean square 2 a^2 / 3 a bin.
    const amplitude = NOISE * Math.sqrt(1.5);
    for (let k = 0; k < count; k++) {
      for (let f = 0; f < n; f++) {
        const turn = (phases[f]! + n - ((f * delays[k]!) % n)) % n;
        const at = 2 * (k * n + f);
        words[at] = gains[k]! * table[2 * turn]! + amplitude * (2 * random.float() - 1);
        words[at + 1] = gains[k]! * table[2 * turn + 1]! + amplitude * (2 * random.float() - 1);
      }
    }
    return words;
  };
  return {
    data: spectra(data, planted.dataGains, planted.dataDelays),
    templates: spectra(templates, planted.templateGains, planted.templateDelays),
    pairs: pairList(problem),
  };
}

/** All pairs from the first on, templates varying fastest. */
export function pairList({ data, templates, pairs }: MatchedFilterProblem): Uint32Array {
  const list = new Uint32Array(2 * pairs);
  for (let p = 0; p < pairs; p++) {
    list[2 * p] = Math.floor(p / templates) % data;
    list[2 * p + 1] = p % templates;
  }
  return list;
}

/** Lag and magnitude that a pair must show, and the root mean square of the noise at any lag. */
export function expectation(
  planted: Plant,
  n: number,
  i: number,
  j: number,
): { lag: number; magnitude: number; noise: number } {
  const [a, b] = [planted.dataGains[i]!, planted.templateGains[j]!];
  const power = NOISE * NOISE;
  return {
    lag: (planted.dataDelays[i]! + n - planted.templateDelays[j]!) % n,
    magnitude: a * b * n,
    noise: Math.sqrt(n * power * (a * a + b * b + power)),
  };
}
