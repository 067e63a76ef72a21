/** Points of a window: a power of two. Chirps are half as long, so that each lies whole in some window. */
export const WINDOW = 1024;
export const CHIRP: number = WINDOW / 2;

/** Numbers in [0, 1), the same ones every run (a linear congruential generator). */
function uniformSource(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Normally distributed numbers (Box-Muller). */
function noiseSource(seed: number): () => number {
  const uniform = uniformSource(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

export interface Chirp {
  readonly name: string;
  readonly wave: Float64Array;
}

/** A sweep between two frequencies (cycles a point) under a smooth envelope. */
function chirp(from: number, to: number): Chirp {
  const wave = Float64Array.from({ length: CHIRP }, (_, t) => {
    const cycles = from * t + ((to - from) * t * t) / (2 * CHIRP);
    return Math.sin((Math.PI * (t + 0.5)) / CHIRP) * Math.cos(2 * Math.PI * cycles);
  });
  return { name: `${from} to ${to}`, wave };
}

export const CHIRPS: readonly Chirp[] = [
  chirp(0.02, 0.12),
  chirp(0.12, 0.02),
  chirp(0.05, 0.25),
  chirp(0.25, 0.05),
  chirp(0.1, 0.4),
  chirp(0.4, 0.1),
];

export interface Planted {
  readonly chirp: number;
  readonly start: number;
  readonly amplitude: number;
}

export interface Sample {
  readonly name: string;
  readonly planted: readonly Planted[];
  samples(): Float64Array;
}

const LENGTH = 64 * WINDOW;

const sample = (name: string, planted: readonly Planted[]): Sample => ({
  name,
  planted,
  samples() {
    const noise = noiseSource(11);
    const signal = Float64Array.from({ length: LENGTH }, noise);
    for (const { chirp: which, start, amplitude } of planted) {
      for (const [t, value] of CHIRPS[which]!.wave.entries()) signal[start + t]! += amplitude * value;
    }
    return signal;
  },
});

/** Signals to try without a file of one's own. */
export const SAMPLES: readonly Sample[] = [
  sample("three chirps in noise", [
    { chirp: 0, start: 5_000, amplitude: 1 },
    { chirp: 3, start: 30_333, amplitude: 1 },
    { chirp: 4, start: 51_207, amplitude: 1 },
  ]),
  sample("one faint chirp", [{ chirp: 2, start: 40_100, amplitude: 0.7 }]),
  sample("noise alone", []),
];

/** Numbers of a text, separated by commas, spaces or lines. Throws when a piece is no number. */
export function parseNumbers(text: string): Float64Array {
  const pieces = text.split(/[\s,;]+/).filter(Boolean);
  const values = Float64Array.from(pieces, Number);
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0)
    throw new Error(`"${pieces[bad]}" (number ${bad + 1}) is no number: give one sample after the other`);
  if (values.length < WINDOW)
    throw new Error(`${values.length} samples are fewer than a window of ${WINDOW}`);
  return values;
}
