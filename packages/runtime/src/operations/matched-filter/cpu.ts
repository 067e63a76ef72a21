import { NO_PEAK } from "@tunelab/kernel-matched-filter";
import { transformOf } from "../cpu-transform.ts";
import { inSlices, timeOf } from "../slices.ts";
import { RECORD_WORDS } from "./input.ts";

export interface CpuWork {
  readonly n: number;
  readonly data: Float32Array;
  readonly templates: Float32Array;
  readonly pairs: Uint32Array;
  /** Least magnitude of a peak, 0 for any. */
  readonly threshold: number;
}

/**
 * The matched filter in float64 on the CPU: records as the GPU writes them (index, then re, im and magnitude as f32 bits), peak by
 * the same rule. Yields every few milliseconds.
 */
export async function correlateOnCpu(work: CpuWork): Promise<Uint32Array> {
  const pairs = work.pairs.length / 2;
  const records = new Uint32Array(pairs * RECORD_WORDS);
  await inSlices(pairs, correlator(work, records));
  return records;
}

/** Computes one pair's record. */
function correlator(
  { n, data, templates, pairs, threshold }: CpuWork,
  records: Uint32Array,
): (pair: number) => void {
  const fft = transformOf(n);
  const product = new Float64Array(2 * n);
  const spectrum = new Float64Array(2 * n);
  const floats = new Float32Array(records.buffer);
  return (pair) => {
    const d = pairs[2 * pair]! * 2 * n;
    const h = pairs[2 * pair + 1]! * 2 * n;
    // conj(d) * h, so that the forward transform gives the conjugate of the unnormalised inverse of d * conj(h).
    for (let at = 0; at < 2 * n; at += 2) {
      const [a, b] = [data[d + at]!, data[d + at + 1]!];
      const [x, y] = [templates[h + at]!, templates[h + at + 1]!];
      product[at] = a * x + b * y;
      product[at + 1] = a * y - b * x;
    }
    fft.transform(spectrum, product);
    let best = -1;
    let index = NO_PEAK;
    for (let lag = 0; lag < n; lag++) {
      const [re, im] = [spectrum[2 * lag]!, spectrum[2 * lag + 1]!];
      const power = re * re + im * im;
      if (power > best) [best, index] = [power, lag]; // NaN is never greater
    }
    const at = pair * RECORD_WORDS;
    // Judged as it is told, in float32.
    if (Math.fround(Math.sqrt(best)) < Math.fround(threshold)) index = NO_PEAK;
    records[at] = index;
    if (index === NO_PEAK) return;
    floats[at + 1] = spectrum[2 * index]!;
    floats[at + 2] = -spectrum[2 * index + 1]!;
    floats[at + 3] = Math.sqrt(best);
  };
}

const costs = new Map<number, Promise<number>>();

/** Milliseconds of one pair of length n on this CPU, measured once by correlating noise for a few milliseconds. */
export function cpuPairMs(n: number): Promise<number> {
  const known = costs.get(n);
  if (known) return known;
  const data = Float32Array.from({ length: 2 * n }, (_, at) => Math.sin(at * at));
  const one = correlator(
    { n, data, templates: data, pairs: new Uint32Array(2), threshold: 0 },
    new Uint32Array(RECORD_WORDS),
  );
  const ms = timeOf(() => one(0));
  costs.set(n, ms);
  return ms;
}
