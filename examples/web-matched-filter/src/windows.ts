import type { PeakArrays } from "@tunelab/runtime";
import FFT from "fft.js";
import { CHIRPS, type Chirp, WINDOW } from "./signals.ts";

const fft = new FFT(WINDOW);
/** Windows overlap by half: a chirp of half a window lies whole in one of them. */
const HOP = WINDOW / 2;

/** Spectrum of real samples from `start` on, zeros beyond the end, into `out` at complex point `at`. */
function spectrumInto(out: Float32Array, at: number, samples: Float64Array, start: number): void {
  const input = fft.createComplexArray();
  const output = fft.createComplexArray();
  input.fill(0);
  for (let t = 0; t < WINDOW; t++) input[2 * t] = samples[start + t] ?? 0;
  fft.transform(output, input);
  out.set(output, 2 * at);
}

/** The signal as spectra of overlapping windows, interleaved complex: what `matchedFilter` takes as data. */
export function windowSpectra(signal: Float64Array): Float32Array {
  const windows = Math.max(1, Math.ceil((signal.length - HOP) / HOP));
  const spectra = new Float32Array(windows * WINDOW * 2);
  for (let window = 0; window < windows; window++) {
    spectrumInto(spectra, window * WINDOW, signal, window * HOP);
  }
  return spectra;
}

/** The chirps as spectra: what `matchedFilter` takes as templates. */
export function chirpSpectra(chirps: readonly Chirp[] = CHIRPS): Float32Array {
  const spectra = new Float32Array(chirps.length * WINDOW * 2);
  for (const [index, { wave }] of chirps.entries()) spectrumInto(spectra, index * WINDOW, wave, 0);
  return spectra;
}

export interface Found {
  readonly start: number;
  readonly chirp: string;
  /** Peak over the median of all windows' peaks. */
  readonly over: number;
}

export interface Analysis {
  /** Largest correlation of each window, over their median. */
  readonly windows: readonly number[];
  readonly found: readonly Found[];
}

/** A peak this many times the noise's own is a find: noise alone reached 1.60 in 10,000 windows, a chirp of 0.7 sigma 1.99. */
export const THRESHOLD = 1.8;

/** From all pairs' peaks (data-major) to what was found; the same chirp in two windows counts once. */
export function analyse({ indices, magnitudes }: PeakArrays, chirps: readonly Chirp[] = CHIRPS): Analysis {
  const count = magnitudes.length / chirps.length;
  const best = Array.from({ length: count }, (_, window) => {
    const row = [...magnitudes.subarray(window * chirps.length, (window + 1) * chirps.length)];
    const chirp = row.indexOf(Math.max(...row));
    return { chirp, magnitude: row[chirp]!, lag: indices[window * chirps.length + chirp]! };
  });
  const sorted = best.map(({ magnitude }) => magnitude).sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] || 1;
  const found = new Map<string, Found>();
  for (const [window, { chirp, magnitude, lag }] of best.entries()) {
    const over = magnitude / median;
    if (over < THRESHOLD || lag > HOP) continue; // a lag beyond the hop is cut off here and whole in the next window
    const start = window * HOP + lag;
    const key = `${chirp} ${start}`;
    const known = found.get(key);
    if (!known || known.over < over) found.set(key, { start, chirp: chirps[chirp]!.name, over });
  }
  return {
    windows: best.map(({ magnitude }) => magnitude / median),
    found: [...found.values()].sort((a, b) => a.start - b.start),
  };
}
