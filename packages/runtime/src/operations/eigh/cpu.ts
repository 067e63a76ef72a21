import type { PortData } from "@tunelab/contract";
import { type EighProblem, matrixStride, rowStride, STATUS } from "@tunelab/kernel-eigh";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { inSlices, timeOf } from "../slices.ts";

/** Decompositions in float64 on the CPU, rounded to f32: the out ports as the GPU writes them, with 0 sweeps. */
export async function decomposeOnCpu(problem: EighProblem, matrices: Float32Array): Promise<PortData> {
  const { n, batch, vectors } = problem;
  const outputs = {
    values: new Float32Array(n * batch).fill(Number.NaN),
    vectors: new Float32Array(vectors === "yes" ? n * n * batch : 0).fill(Number.NaN),
    status: new Uint32Array(2 * batch),
  };
  await inSlices(batch, (item) => decompose(problem, matrices, item, outputs));
  const { vectors: found, ...rest } = outputs;
  return vectors === "yes" ? { ...rest, vectors: found } : rest;
}

function decompose(
  problem: EighProblem,
  matrices: Float32Array,
  item: number,
  outputs: { readonly values: Float32Array; readonly vectors: Float32Array; readonly status: Uint32Array },
): void {
  const { n } = problem;
  const whole = symmetric(problem, matrices, item);
  if (!whole) {
    outputs.status[2 * item] = STATUS.nonFinite;
    return;
  }
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(whole.matrix, {
    assumeSymmetric: true,
  });
  const order = [...realEigenvalues.keys()].sort((a, b) => realEigenvalues[a]! - realEigenvalues[b]!);
  for (const [place, from] of order.entries()) {
    outputs.values[n * item + place] = realEigenvalues[from]! * whole.scale;
    if (problem.vectors === "no") continue;
    for (let i = 0; i < n; i++) outputs.vectors[n * (n * item + i) + place] = eigenvectorMatrix.get(i, from);
  }
}

/** A matrix by its lower triangle, scaled to 1; undefined where it is not finite. */
function symmetric(
  problem: EighProblem,
  matrices: Float32Array,
  item: number,
): { readonly matrix: Matrix; readonly scale: number } | undefined {
  const { n } = problem;
  const [row, start] = [rowStride(problem), item * matrixStride(problem)];
  let largest = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const x = Math.abs(matrices[start + i * row + j]!);
      if (!Number.isFinite(x)) return undefined;
      largest = Math.max(largest, x);
    }
  }
  const scale = largest || 1;
  const matrix = new Matrix(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const x = matrices[start + i * row + j]! / scale;
      matrix.set(i, j, x);
      matrix.set(j, i, x);
    }
  }
  return { matrix, scale };
}

const costs = new Map<number, Promise<number>>();

/** Milliseconds of one decomposition of order n on this CPU, with vectors, measured once. */
export function cpuEighMs(n: number): Promise<number> {
  const known = costs.get(n);
  if (known) return known;
  const problem: EighProblem = { n, batch: 1, vectors: "yes", pad: 0, gap: 0, spectrum: "random" };
  const matrices = Float32Array.from({ length: n * n }, (_, at) => Math.sin(at * at));
  const outputs = {
    values: new Float32Array(n),
    vectors: new Float32Array(n * n),
    status: new Uint32Array(2),
  };
  const ms = timeOf(() => decompose(problem, matrices, 0, outputs));
  costs.set(n, ms);
  return ms;
}
