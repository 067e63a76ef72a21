import type { HostRun, StudyTable } from "@tunelab/contract";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { type EighProblem, STATUS } from "../../problem.ts";
import { inputsOf, symmetric } from "../inputs.ts";
import { oracleOf } from "../oracle.ts";
import { eighProblem } from "../problems.ts";
import { FORMS } from "./forms.ts";

/** Matrices that the verdict on the CPU's answers compares in full. */
const COMPARED = 16;

/** The runtime's CPU route: the library's float64 solver on each matrix scaled to 1, sorted and rounded to f32. */
function onCpu(problem: EighProblem, seed: number): HostRun {
  const { n, batch } = problem;
  const inputs = inputsOf(problem, seed);
  const outputs = {
    values: new Float32Array(batch * n),
    vectors: new Float32Array(batch * n * n),
    status: new Uint32Array(batch * 2).fill(STATUS.converged),
  };
  return {
    run: () => {
      for (let item = 0; item < batch; item++) solve(problem, inputs.matrices!, item, outputs);
    },
    verdict: () => oracleOf(problem, inputs).check(outputs, { count: COMPARED, seed }),
  };
}

function solve(
  problem: EighProblem,
  matrices: Parameters<typeof symmetric>[1],
  item: number,
  { values, vectors }: { readonly values: Float32Array; readonly vectors: Float32Array },
): void {
  const { n } = problem;
  const a = symmetric(problem, matrices, item);
  const scale = a.reduce((most, x) => Math.max(most, Math.abs(x)), 0) || 1;
  const matrix = Matrix.from1DArray(
    n,
    n,
    Array.from(a, (x) => x / scale),
  );
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(matrix, {
    assumeSymmetric: true,
  });
  const order = [...realEigenvalues.keys()].sort((x, y) => realEigenvalues[x]! - realEigenvalues[y]!);
  for (const [place, from] of order.entries()) {
    values[n * item + place] = realEigenvalues[from]! * scale;
    for (let i = 0; i < n; i++) vectors[n * (n * item + i) + place] = eigenvectorMatrix.get(i, from);
  }
}

const names: readonly string[] = FORMS.map(({ name }) => name);

/** Where the CPU answers before the GPU. */
export const crossover: StudyTable<EighProblem> = {
  id: "crossover",
  title: "CPU against GPU",
  doc: "One core of the CPU, by the library's float64 solver as the runtime calls it, against every form on the device; what a call pays beside the kernel, its round trip and the transfer of matrices, values and vectors, counts in the whole call and in the choice.",
  rows: [4, 8, 16, 32, 64, 128, 256].flatMap((n) =>
    [1, 16, 256].filter((batch) => n * batch <= 16_384).map((batch) => eighProblem(n, batch)),
  ),
  dimensions: ["n", "batch"],
  columns: [
    { name: "CPU", doc: "ml-matrix, float64, one core", host: (problem, seed) => onCpu(problem, seed) },
    ...FORMS,
  ],
  derived: [
    { kind: "call", name: "GPU best, whole call", of: names },
    { kind: "ratio", name: "CPU over GPU", of: "CPU", over: ["GPU best, whole call"] },
  ],
  chooses: {
    of: [
      { name: "cpu", columns: ["CPU"] },
      { name: "gpu", columns: names },
    ],
    parameters: [],
    ordered: false,
  },
  statistic: "median",
  budgetMs: 1_000,
};
