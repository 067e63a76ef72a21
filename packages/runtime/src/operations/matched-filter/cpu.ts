import { NO_PEAK } from "@tunelab/kernel-matched-filter";
import FFT from "fft.js";
import { RECORD_WORDS } from "./input.ts";

/** Longest stretch of work in ms before others may run: a page keeps half of a 60 Hz frame. */
const SLICE_MS = 8;

/** Transforms by length: their tables take n complex float64 each, and a page uses few lengths. */
const transforms = new Map<number, FFT>();
const TRANSFORMS_KEPT = 8;

function transformOf(n: number): FFT {
  const known = transforms.get(n);
  if (known) return known;
  if (transforms.size >= TRANSFORMS_KEPT) transforms.clear();
  const made = new FFT(n);
  transforms.set(n, made);
  return made;
}

export interface CpuWork {
  readonly n: number;
  readonly data: Float32Array;
  readonly templates: Float32Array;
  readonly pairs: Uint32Array;
}

/** Lets timers and events run. A message is not used: a timer is what every runtime has. */
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * The matched filter in float64 on the CPU: records as the GPU writes them (index, then re, im and magnitude as f32 bits), peak by
 * the same rule. Yields every few milliseconds.
 */
export async function correlateOnCpu(work: CpuWork): Promise<Uint32Array> {
  const pairs = work.pairs.length / 2;
  const records = new Uint32Array(pairs * RECORD_WORDS);
  const one = correlator(work, records);
  let sliceFrom = performance.now();
  for (let pair = 0; pair < pairs; pair++) {
    one(pair);
    if (performance.now() - sliceFrom < SLICE_MS) continue;
    await breathe();
    sliceFrom = performance.now();
  }
  return records;
}

/** Computes one pair's record. */
function correlator({ n, data, templates, pairs }: CpuWork, records: Uint32Array): (pair: number) => void {
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
    records[at] = index;
    if (index === NO_PEAK) return;
    floats[at + 1] = spectrum[2 * index]!;
    floats[at + 2] = -spectrum[2 * index + 1]!;
    floats[at + 3] = Math.sqrt(best);
  };
}

/** Least time in ms to believe a reading: page clocks step by up to 1 ms. */
const READING_MS = 4;
/** Pairs after which a reading ends whatever the clock says. */
const MOST_TIMED = 4096;
const costs = new Map<number, number>();

/** Milliseconds of one pair of length n on this CPU, measured once by correlating noise for a few milliseconds. */
export function cpuPairMs(n: number): number {
  const known = costs.get(n);
  if (known !== undefined) return known;
  const data = Float32Array.from({ length: 2 * n }, (_, at) => Math.sin(at * at));
  const one = correlator(
    { n, data, templates: data, pairs: new Uint32Array(2) },
    new Uint32Array(RECORD_WORDS),
  );
  one(0); // tables, and a compiler that has seen the loop
  const start = performance.now();
  let count = 0;
  let spent = 0;
  while (spent < READING_MS && count < MOST_TIMED) {
    one(0);
    count += 1;
    spent = performance.now() - start;
  }
  const ms = spent / count;
  costs.set(n, ms);
  return ms;
}
