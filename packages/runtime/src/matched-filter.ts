import { Fault } from "@tunelab/contract";
import { operation } from "@tunelab/kernel-matched-filter";
import { type Demand, type Explanation, explain } from "@tunelab/selection";
import type { Runtime, ShippedOperation } from "./runtime.ts";

export interface MatchedFilterInput extends Demand {
  /** Complex points of a spectrum: a power of two, from 64. */
  readonly n: number;
  /** D spectra of n complex points, interleaved (re, im): D * n * 2 floats. */
  readonly data: Float32Array;
  /** T template spectra of the same form: T * n * 2 floats. */
  readonly templates: Float32Array;
  /** Pairs (data index, template index) to correlate, two words each; all D x T, data-major, unless given. */
  readonly pairs?: Uint32Array;
}

/** Counts instead of contents: what preparing and explaining need to know. */
export interface MatchedFilterShape extends Demand {
  readonly n: number;
  /** Spectra, templates and pairs to come; all `data` x `templates` pairs unless given. */
  readonly data: number;
  readonly templates: number;
  readonly pairs?: number;
}

/** One record a pair, in the order of the pairs. */
export interface MatchedFilterPeaks {
  /** Lag of the largest |z|, the lowest of equals; NO_PEAK where there is none. */
  readonly indices: Uint32Array;
  /** z at the peak, interleaved (re, im). The inverse transform is not normalised: divide by n for a mean. */
  readonly values: Float32Array;
  readonly magnitudes: Float32Array;
  readonly variant: string;
  /** Path of the table that chose the variant; absent when the operation's default ran. */
  readonly table?: string;
  readonly explanation: Explanation;
}

export { NO_PEAK } from "@tunelab/kernel-matched-filter";

/** Words of a record: index, re, im, magnitude. */
const RECORD_WORDS = 4;

const shipped: ShippedOperation = {
  operation,
  tables: async () => (await import("./generated/matched-filter.ts")).tables,
};

const demandOf = ({ maxError, scratchBytes }: Demand): Demand => ({
  ...(maxError === undefined ? {} : { maxError }),
  ...(scratchBytes === undefined ? {} : { scratchBytes }),
});

const problemOf = ({ n, data, templates, pairs = data * templates }: MatchedFilterShape) => ({
  n,
  data,
  templates,
  pairs,
});

/** Spectra in an array of interleaved complex points. Throws `Fault` usage when it does not hold a whole number. */
function spectraIn(name: string, values: Float32Array, n: number): number {
  const count = values.length / (2 * n);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Fault(
    "usage",
    `${name} has ${values.length} floats, not a positive multiple of ${2 * n} (n = ${n} complex points, re and im)`,
  );
}

function checkPairs(pairs: Uint32Array, data: number, templates: number): void {
  if (pairs.length === 0 || pairs.length % 2 !== 0) {
    throw new Fault("usage", `pairs has ${pairs.length} words: give two (data index, template index) a pair`);
  }
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at]! < data && pairs[at + 1]! < templates) continue;
    throw new Fault(
      "usage",
      `pair ${at / 2} is (${pairs[at]}, ${pairs[at + 1]}), but there are ${data} data spectra and ${templates} templates`,
    );
  }
}

function allPairs(data: number, templates: number): Uint32Array {
  const pairs = new Uint32Array(data * templates * 2);
  for (let pair = 0; pair < data * templates; pair++) {
    pairs[2 * pair] = Math.floor(pair / templates);
    pairs[2 * pair + 1] = pair % templates;
  }
  return pairs;
}

/**
 * Peak of the circular cross-correlation of each pair of data spectrum and template: z = inverse FFT of d * conj(h).
 * Runs the fastest verified variant known for the device in hand.
 * Rejects with `Fault` usage (shapes, pairs), unsupported (nothing fits), out-of-memory or device-lost.
 */
export async function matchedFilter(
  runtime: Runtime,
  input: MatchedFilterInput,
): Promise<MatchedFilterPeaks> {
  const { n } = input;
  if (!Number.isSafeInteger(n) || n < 1) throw new Fault("usage", `n is ${n}, not a positive integer`);
  const data = spectraIn("data", input.data, n);
  const templates = spectraIn("templates", input.templates, n);
  if (input.pairs) checkPairs(input.pairs, data, templates);
  const pairs = input.pairs ?? allPairs(data, templates);
  const { outputs, explanation } = await runtime.run(
    shipped,
    { n, data, templates, pairs: pairs.length / 2 },
    { data: input.data, templates: input.templates, pairs },
    demandOf(input),
  );
  const { variant, table } = explanation;
  return {
    ...unpack(outputs.records as Uint32Array),
    variant,
    ...(table === undefined ? {} : { table }),
    explanation,
  };
}

function unpack(records: Uint32Array): Pick<MatchedFilterPeaks, "indices" | "values" | "magnitudes"> {
  const count = records.length / RECORD_WORDS;
  const floats = new Float32Array(records.buffer, records.byteOffset, records.length);
  const indices = new Uint32Array(count);
  const values = new Float32Array(2 * count);
  const magnitudes = new Float32Array(count);
  for (let pair = 0; pair < count; pair++) {
    const at = pair * RECORD_WORDS;
    indices[pair] = records[at]!;
    values.set(floats.subarray(at + 1, at + 3), 2 * pair);
    magnitudes[pair] = floats[at + 3]!;
  }
  return { indices, values, magnitudes };
}

/** Compiles the variant that calls of this shape will run, ahead of the first; says which and why. */
export async function prepareMatchedFilter(
  runtime: Runtime,
  shape: MatchedFilterShape,
): Promise<Explanation> {
  return runtime.prepare(shipped, problemOf(shape), demandOf(shape));
}

/** Which variant a call of this shape would try first, why, and what was refused; compiles nothing. */
export async function explainMatchedFilter(
  runtime: Runtime,
  shape: MatchedFilterShape,
): Promise<Explanation> {
  return explain(await runtime.select(shipped, problemOf(shape), demandOf(shape)));
}
