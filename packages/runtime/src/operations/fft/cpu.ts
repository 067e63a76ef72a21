import type { Direction } from "@tunelab/kernel-fft";
import { transformOf } from "../cpu-transform.ts";
import { inSlices, timeOf } from "../slices.ts";

/** Batched transforms in float64 on the CPU, unnormalised: X[k] = sum_j x[j] exp(sign 2 pi i j k / n), rounded to f32. */
export async function transformOnCpu(
  n: number,
  input: Float32Array,
  direction: Direction,
): Promise<Float32Array> {
  const output = new Float32Array(input.length);
  const one = transformer(n, input, output, direction);
  await inSlices(input.length / (2 * n), one);
  return output;
}

/** Transforms one item of the batch. The inverse is the conjugate of the forward transform of the conjugate. */
function transformer(
  n: number,
  input: Float32Array,
  output: Float32Array,
  direction: Direction,
): (item: number) => void {
  const fft = transformOf(n);
  const points = new Float64Array(2 * n);
  const spectrum = new Float64Array(2 * n);
  const sign = direction === "inverse" ? -1 : 1;
  return (item) => {
    const from = item * 2 * n;
    for (let at = 0; at < 2 * n; at += 2) {
      points[at] = input[from + at]!;
      points[at + 1] = sign * input[from + at + 1]!;
    }
    fft.transform(spectrum, points);
    for (let at = 0; at < 2 * n; at += 2) {
      output[from + at] = spectrum[at]!;
      output[from + at + 1] = sign * spectrum[at + 1]!;
    }
  };
}

const costs = new Map<number, Promise<number>>();

/** Milliseconds of one transform of length n on this CPU, measured once. */
export function cpuTransformMs(n: number): Promise<number> {
  const known = costs.get(n);
  if (known) return known;
  const input = Float32Array.from({ length: 2 * n }, (_, at) => Math.sin(at * at));
  const one = transformer(n, input, new Float32Array(2 * n), "forward");
  const ms = timeOf(() => one(0));
  costs.set(n, ms);
  return ms;
}
