import type { PortData } from "@tunelab/contract";
import { roots } from "@tunelab/kernel-fft/suite";
import { type Random, randomFrom } from "@tunelab/variants";
import { INVERSE, type MatchedFilterProblem } from "../problem.ts";
import { pairList } from "./plant.ts";

/** Part of the reference's energy that the low band holds. */
const IN_BAND = 0.988;
/** Data and templates of one family match, others share the spectrum's shape alone: one pair in so many is a match. */
const FAMILIES = 32;
/** Peaks of matching pairs spread around 1, so that a threshold of 1 finds some just over and some just under it. */
const GAINS = { least: 0.97, most: 1.07 } as const;
/** A match of unit gain over the root mean square of the noise at any lag. */
const SIGNAL_TO_NOISE = 100;
/** Exponents of an inspiral's power spectrum and of the wall of seismic noise under the knee. */
const INSPIRAL = -7 / 3;
const WALL = 8;

/** The band that holds IN_BAND of the energy: n / 16, wider where that would be under 64 bins. */
export const lowBand = (n: number): number => Math.min(n / 4, Math.max(64, n / 16));

/**
 * Magnitudes of an inspiral-like reference of unit energy: |s_k|^2 proportional to k^(-7/3) / (1 + (knee / k)^8) for 0 < k <= n / 2
 * (positive frequencies only), with the knee where `lowBand` holds IN_BAND of the energy.
 */
export function reference(n: number): Float64Array {
  let [low, high] = [1e-3, n / 8];
  while (high / low > 1 + 1e-9) {
    const knee = Math.sqrt(low * high);
    if (inBand(powers(n, knee), lowBand(n)) > IN_BAND) low = knee;
    else high = knee;
  }
  const power = powers(n, low);
  const total = power.reduce((sum, x) => sum + x, 0);
  return power.map((x) => Math.sqrt(x / total));
}

function powers(n: number, knee: number): Float64Array {
  const power = new Float64Array(n);
  for (let k = 1; k <= n / 2; k++) power[k] = k ** INSPIRAL / (1 + (knee / k) ** WALL);
  return power;
}

/** Part of a power spectrum's energy below a bin. */
export const inBand = (power: Float64Array, band: number): number =>
  power.subarray(0, band).reduce((sum, x) => sum + x, 0) / power.reduce((sum, x) => sum + x, 0);

/**
 * Data and templates for a problem with a threshold. Each belongs to a family (by its number, round and round) with phases of its own,
 * and has a gain and a delay; data carry white noise. A pair of one family peaks at about gain times gain, others where chance takes
 * them: 0.4 at n = 4096, more where fewer bins hold the energy.
 */
export function inspiralInputs(problem: MatchedFilterProblem, seed: number): PortData {
  const { n, data, templates } = problem;
  const random = randomFrom(seed);
  const magnitudes = reference(n);
  const table = roots(n, INVERSE);
  const phases = Array.from({ length: FAMILIES }, () =>
    Uint32Array.from({ length: n / 2 + 1 }, () => random.integer(n)),
  );
  // Uniform on [-a, a] in both parts has mean square 2 a^2 / 3 a bin.
  const noise = Math.sqrt(1.5) / SIGNAL_TO_NOISE;
  const spectra = (count: number, amplitude: number): Float32Array => {
    const words = new Float32Array(2 * n * count);
    for (const [index, gain] of gains(count, random).entries()) {
      const family = phases[index % FAMILIES]!;
      const delay = random.integer(n);
      for (let k = 1; k <= n / 2; k++) {
        const turn = (family[k]! + n - ((k * delay) % n)) % n;
        const at = 2 * (index * n + k);
        const size = gain * magnitudes[k]!;
        words[at] = size * table[2 * turn]! + amplitude * (2 * random.float() - 1);
        words[at + 1] = size * table[2 * turn + 1]! + amplitude * (2 * random.float() - 1);
      }
    }
    return words;
  };
  return { data: spectra(data, noise), templates: spectra(templates, 0), pairs: pairList(problem) };
}

/** Gains spread evenly, in random order: the part of pairs over a threshold hardly depends on the seed. */
function gains(count: number, random: Random): readonly number[] {
  const { least, most } = GAINS;
  const even = Array.from({ length: count }, (_, k) => least + ((most - least) * (k + 0.5)) / count);
  return random.shuffle(even);
}
