import { Fault } from "@tunelab/contract";
import { told } from "../../told.ts";
import { isBuffer, wordsOf } from "../typed.ts";

/** Floats of a complex point, words of a pair (data index, template index), words of a record (index, re, im, magnitude). */
const COMPLEX_FLOATS = 2;
const PAIR_WORDS = 2;
export const RECORD_WORDS = 4;

export type Counts = {
  readonly n: number;
  readonly data: number;
  readonly templates: number;
  readonly pairs: number;
  readonly threshold?: number;
};

type Spectra = Float32Array | GPUBuffer;

export interface PortsGiven {
  readonly n: number;
  readonly data: Spectra;
  readonly templates: Spectra;
  readonly pairs?: Uint32Array | GPUBuffer;
  readonly threshold?: number;
}

/**
 * The problem that the contents of a call make. Throws `Fault` usage that names the port, what it has and what it needs.
 * Pairs in a GPUBuffer cannot be looked at from here: an index out of range there reads some other spectrum.
 */
export function countsOf(given: PortsGiven): Counts {
  const { n } = given;
  if (!Number.isSafeInteger(n) || n < 1) throw new Fault("usage", `n is ${told(n)}, not a positive integer`);
  const data = spectraIn("data", given.data, n);
  const templates = spectraIn("templates", given.templates, n);
  const least = given.threshold === undefined ? {} : { threshold: given.threshold };
  if (!given.pairs) return { n, data, templates, pairs: data * templates, ...least };
  const words = wordsOf("pairs", given.pairs, "Uint32Array");
  const pairs = words / PAIR_WORDS;
  if (!Number.isInteger(pairs) || pairs < 1) {
    throw new Fault("usage", `pairs has ${words} words: give two (data index, template index) a pair`);
  }
  if (!isBuffer(given.pairs)) checkPairs(given.pairs, data, templates);
  return { n, data, templates, pairs, ...least };
}

function spectraIn(name: string, values: Spectra, n: number): number {
  const floats = wordsOf(name, values, "Float32Array");
  const count = floats / (COMPLEX_FLOATS * n);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Fault(
    "usage",
    `${name} has ${floats} floats, not a positive multiple of ${COMPLEX_FLOATS * n} (n = ${n} complex points, re and im)`,
  );
}

/** @throws Fault `usage` naming the first pair whose index has no spectrum. */
export function checkPairs(pairs: Uint32Array, data: number, templates: number): void {
  for (let at = 0; at < pairs.length; at += PAIR_WORDS) {
    if (pairs[at]! < data && pairs[at + 1]! < templates) continue;
    throw new Fault(
      "usage",
      `pair ${at / PAIR_WORDS} is (${pairs[at]}, ${pairs[at + 1]}), but there are ${data} data spectra and ${templates} templates`,
    );
  }
}

/** All pairs of data and templates, data-major. */
export function allPairs(data: number, templates: number): Uint32Array {
  const pairs = new Uint32Array(data * templates * PAIR_WORDS);
  for (let pair = 0; pair < data * templates; pair++) {
    pairs[PAIR_WORDS * pair] = Math.floor(pair / templates);
    pairs[PAIR_WORDS * pair + 1] = pair % templates;
  }
  return pairs;
}

/** One entry a pair, in the order of the pairs. */
export interface PeakArrays {
  /** Lag of the largest |z|, the lowest of equals; NO_PEAK where there is none. */
  readonly indices: Uint32Array;
  /** z at the peak, interleaved (re, im). The inverse transform is not normalised: divide by n for a mean. */
  readonly values: Float32Array;
  readonly magnitudes: Float32Array;
}

/** The arrays of packed records: index, then re, im and magnitude as f32 bits. */
export function unpackRecords(records: Uint32Array): PeakArrays {
  const count = records.length / RECORD_WORDS;
  const floats = new Float32Array(records.buffer, records.byteOffset, records.length);
  const indices = new Uint32Array(count);
  const values = new Float32Array(COMPLEX_FLOATS * count);
  const magnitudes = new Float32Array(count);
  for (let pair = 0; pair < count; pair++) {
    const at = pair * RECORD_WORDS;
    indices[pair] = records[at]!;
    values[2 * pair] = floats[at + 1]!;
    values[2 * pair + 1] = floats[at + 2]!;
    magnitudes[pair] = floats[at + 3]!;
  }
  return { indices, values, magnitudes };
}
