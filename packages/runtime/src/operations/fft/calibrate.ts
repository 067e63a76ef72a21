import type { PortData } from "@tunelab/contract";
import type { FftProblem } from "@tunelab/kernel-fft";
import type { Trial } from "../../calibrate/calibrate.ts";
import { spread, uniform } from "../random.ts";
import { transformOnCpu } from "./cpu.ts";

/** Transforms of a trial that are compared in full with the CPU's float64 answer, spread over the batch. */
const COMPARED = 16;

/**
 * Points uniform in [-1, 1). A variant is right when a sample of the batch agrees with the CPU: |X - X'| / |X| in the 2-norm of each
 * transform at most `bound`. NaN agrees with nothing.
 */
export async function fftTrial({ n, batch, direction }: FftProblem, bound: number): Promise<Trial> {
  const random = uniform(n + batch);
  const input = Float32Array.from({ length: 2 * n * batch }, () => 2 * random() - 1);
  const compared = spread(batch, COMPARED);
  const sample = new Float32Array(2 * n * compared.length);
  for (const [index, item] of compared.entries()) {
    sample.set(input.subarray(2 * n * item, 2 * n * (item + 1)), 2 * n * index);
  }
  const truth = await transformOnCpu(n, sample, direction);
  return { inputs: { input }, verify: (outputs) => disagreement(outputs, truth, compared, n, bound) };
}

function disagreement(
  outputs: PortData,
  truth: Float32Array,
  compared: readonly number[],
  n: number,
  bound: number,
): string | undefined {
  const output = outputs.output as Float32Array;
  for (const [index, item] of compared.entries()) {
    let [apart, whole] = [0, 0];
    for (let at = 0; at < 2 * n; at++) {
      const right = truth[2 * n * index + at]!;
      apart += (output[2 * n * item + at]! - right) ** 2;
      whole += right ** 2;
    }
    const error = Math.sqrt(apart / whole);
    if (!(error <= bound)) return `transform ${item} is ${error} from the CPU's, over ${bound}`;
  }
  return undefined;
}
