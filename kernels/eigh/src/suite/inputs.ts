import type { PortData } from "@tunelab/contract";
import { type Random, randomFrom } from "@tunelab/variants";
import { type EighProblem, matrixStride, rowStride } from "../problem.ts";
import { KINDS, type Kind, matrixOf } from "./kinds.ts";

/** What the strict upper triangle of a mixed matrix holds: no kernel may read it. */
const JUNK = 7e5;

/** The kind of a batch's matrix. */
export const kindOf = ({ spectrum }: EighProblem, item: number): Kind =>
  spectrum === "random" ? KINDS[0]! : KINDS[item % KINDS.length]!;

/**
 * The batch's matrices, the same for the same seed. `random` ones are whole and symmetric; of `mixed` ones the upper triangle is junk. What
 * lies between rows and between matrices is NaN.
 */
export function inputsOf(problem: EighProblem, seed: number): PortData {
  const { n, batch, spectrum } = problem;
  const [row, stride] = [rowStride(problem), matrixStride(problem)];
  const matrices = new Float32Array(batch * stride).fill(Number.NaN);
  const random: Random = randomFrom(seed);
  for (let item = 0; item < batch; item++) {
    const a = matrixOf(kindOf(problem, item), n, random);
    const base = item * stride;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        const x = a[i * n + j]!;
        matrices[base + i * row + j] = x;
        if (j < i) matrices[base + j * row + i] = spectrum === "random" ? x : JUNK;
      }
    }
  }
  return { matrices };
}

/** A matrix as the operation defines it, in float64, from the float32 that a kernel reads: symmetric, by its lower triangle. */
export function symmetric(problem: EighProblem, matrices: PortData[string], item: number): Float64Array {
  const { n } = problem;
  const [row, base] = [rowStride(problem), item * matrixStride(problem)];
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const x = matrices[base + i * row + j]!;
      a[i * n + j] = x;
      a[j * n + i] = x;
    }
  }
  return a;
}
