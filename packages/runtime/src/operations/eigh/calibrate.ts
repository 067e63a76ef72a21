import type { PortData } from "@tunelab/contract";
import { type EighProblem, EPSILON, matrixStride, rowStride, STATUS } from "@tunelab/kernel-eigh";
import type { Trial } from "../../calibrate/calibrate.ts";
import { spread, uniform } from "../random.ts";
import { decomposeOnCpu } from "./cpu.ts";

/** Matrices of a trial that are compared with the CPU's float64 answer, spread over the batch. */
const COMPARED = 16;

/**
 * Symmetric matrices with elements uniform in [-1, 1). A variant is right when all converged and a sample of the batch has the CPU's
 * eigenvalues, and vectors that give the matrix back, within `bound` n eps of its Frobenius norm.
 */
export async function eighTrial(problem: EighProblem, bound: number): Promise<Trial> {
  const { n, batch } = problem;
  const [row, stride] = [rowStride(problem), matrixStride(problem)];
  const random = uniform(n + batch);
  const matrices = new Float32Array(batch * stride);
  for (let item = 0; item < batch; item++) {
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        const x = 2 * random() - 1;
        matrices[item * stride + i * row + j] = x;
        matrices[item * stride + j * row + i] = x;
      }
    }
  }
  const compared = spread(batch, COMPARED);
  const sample = new Float32Array(stride * compared.length);
  for (const [index, item] of compared.entries()) {
    sample.set(matrices.subarray(stride * item, stride * (item + 1)), stride * index);
  }
  const few = { ...problem, batch: compared.length };
  const truth = (await decomposeOnCpu({ ...few, vectors: "no" }, sample)).values as Float32Array;
  return {
    inputs: { matrices },
    verify: (outputs) => disagreement(problem, outputs, { sample, truth, compared }, bound),
  };
}

interface Sampled {
  readonly sample: Float32Array;
  readonly truth: Float32Array;
  readonly compared: readonly number[];
}

function disagreement(
  problem: EighProblem,
  outputs: PortData,
  { sample, truth, compared }: Sampled,
  bound: number,
): string | undefined {
  const { n, batch } = problem;
  const [values, status] = [outputs.values!, outputs.status!];
  for (let item = 0; item < batch; item++) {
    if (status[2 * item] !== STATUS.converged) return `matrix ${item} ended with status ${status[2 * item]}`;
  }
  const [row, stride] = [rowStride(problem), matrixStride(problem)];
  for (const [index, item] of compared.entries()) {
    const at = (i: number, j: number): number =>
      sample[index * stride + Math.max(i, j) * row + Math.min(i, j)]!;
    let [norm, apart, residual] = [0, 0, 0];
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) norm += at(i, j) ** 2;
    for (let k = 0; k < n; k++) {
      apart = Math.max(apart, Math.abs(values[n * item + k]! - truth[n * index + k]!));
      if (!outputs.vectors) continue;
      const vector = (i: number): number => outputs.vectors![n * (n * item + i) + k]!;
      for (let i = 0; i < n; i++) {
        let sum = -values[n * item + k]! * vector(i);
        for (let j = 0; j < n; j++) sum += at(i, j) * vector(j);
        residual += sum ** 2;
      }
    }
    const error = Math.max(apart, Math.sqrt(residual)) / (Math.sqrt(norm) * n * EPSILON);
    if (!(error <= bound)) return `matrix ${item} is off by ${error} n eps, over ${bound}`;
  }
  return undefined;
}
