import type { PortData } from "@tunelab/contract";
import { type Random, randomFrom } from "@tunelab/variants";
import { type FftProblem, signOf } from "../problem.ts";
import { roots } from "./fourier.ts";

/** Root mean square of the noise, a part of the tones' 1: a tone of n points stands n gain against noise of 0.25 sqrt(n). */
export const NOISE = 0.25;

/** Noise that all items of an input share a stretch of, each from an offset of its own: drawing every point would take minutes. */
const SHARED_NOISE = 4096;

/** The tone planted in each item: bin, gain and phase in turns of 1 / n. */
export interface Plant {
  readonly bins: Uint32Array;
  readonly gains: Float64Array;
  readonly phases: Uint32Array;
}

/** Tones of a seed. */
export function plant({ n, batch }: FftProblem, seed: number): Plant {
  const random = randomFrom(seed);
  const draw = (random: Random): { bin: number; gain: number; phase: number } => ({
    bin: random.integer(n),
    gain: 0.5 + random.float(),
    phase: random.integer(n),
  });
  const [bins, gains, phases] = [new Uint32Array(batch), new Float64Array(batch), new Uint32Array(batch)];
  for (let b = 0; b < batch; b++) {
    const { bin, gain, phase } = draw(random);
    bins[b] = bin;
    gains[b] = gain;
    phases[b] = phase;
  }
  return { bins, gains, phases };
}

/**
 * Items of one tone each, in noise: x[j] = gain exp(-sign 2 pi i bin j / n) exp(2 pi i phase / n) + noise, so that the transform of
 * either direction has gain n exp(2 pi i phase / n) at the bin, and about 0.25 sqrt(n) everywhere else.
 */
export function plantedInputs(problem: FftProblem, seed: number): PortData {
  const { n, batch, direction } = problem;
  const { bins, gains, phases } = plant(problem, seed);
  const random = randomFrom(seed + 0x9e3779b9);
  const table = roots(n, 1);
  const sign = signOf(direction);
  // Uniform on [-a, a] in both parts has mean square 2 a^2 / 3.
  const amplitude = NOISE * Math.sqrt(1.5);
  const noise = Float32Array.from(
    { length: 2 * (n + SHARED_NOISE) },
    () => amplitude * (2 * random.float() - 1),
  );
  const words = new Float32Array(batch * n * 2);
  for (let b = 0; b < batch; b++) {
    const from = 2 * random.integer(SHARED_NOISE);
    const step = (n - sign * bins[b]!) % n;
    const gain = gains[b]!;
    let turn = phases[b]!;
    let at = 2 * b * n;
    for (let j = 0; j < n; j++) {
      words[at] = gain * table[2 * turn]! + noise[from + 2 * j]!;
      words[at + 1] = gain * table[2 * turn + 1]! + noise[from + 2 * j + 1]!;
      at += 2;
      turn += step;
      if (turn >= n) turn -= n;
    }
  }
  return { input: words };
}
