import type { Operation, Port } from "@tunelab/contract";
import { type EighProblem, MAXIMUM_N, matrixStride, SPECTRA, VECTORS } from "./problem.ts";

const NAMES = ["n", "batch", "vectors", "pad", "gap", "spectrum"];

/** A matrix's elements are addressed by u32, and so are all of a batch's. */
const MOST_ELEMENTS = 2 ** 32;

/**
 * Batched eigendecomposition of real symmetric matrices in float32: A V = V diag(w), w ascending, the columns of V orthonormal.
 * Of each matrix only the lower triangle (column <= row) is read, so that input which is not symmetric stands for the symmetric matrix
 * with that triangle. Ports: matrices f32 [batch, n (n + pad) + gap] row by row, values f32 [batch, n], vectors f32 [batch, n, n] with eigenvector k
 * in column k (only with vectors = yes), status u32 [batch, 2]: 0 converged, 1 not converged (values and vectors are the best there were), 2 the
 * matrix holds NaN or infinity (values and vectors are NaN); then the sweeps taken.
 */
export const operation: Operation<EighProblem> = {
  name: "eigh",
  doc: "Eigenvalues (ascending) and eigenvectors of a batch of real symmetric matrices",
  dimensions: [
    {
      name: "n",
      role: "shape",
      distance: { kind: "log", weight: 4 },
      doc: `order of a matrix: 1 to ${MAXIMUM_N}`,
    },
    {
      name: "batch",
      role: "extent",
      distance: { kind: "log", weight: 1 },
      doc: "matrices",
      default: 1024,
    },
    {
      name: "vectors",
      role: "shape",
      distance: { kind: "class" },
      doc: "whether eigenvectors are wanted: yes or no",
      default: "yes",
    },
    {
      name: "pad",
      role: "extent",
      distance: { kind: "nominal", weight: 0.05 },
      doc: "elements that a row is longer than n",
      default: 0,
    },
    {
      name: "gap",
      role: "extent",
      distance: { kind: "nominal", weight: 0.05 },
      doc: "elements between one matrix and the next",
      default: 0,
    },
    {
      name: "spectrum",
      role: "trait",
      distance: { kind: "nominal", weight: 0.5 },
      doc: "what the matrices are: random, or mixed (graded, clustered, repeated, rank-deficient, not finite, ...)",
      default: "random",
    },
  ],
  accuracy: {
    bound: 10,
    measure: "largest of residual, orthogonality and eigenvalue error, in n eps",
  },

  refuse(problem) {
    for (const name of Object.keys(problem)) {
      if (!NAMES.includes(name)) return `eigh has no dimension ${name}: it has ${NAMES.join(", ")}`;
    }
    for (const name of ["n", "batch"]) {
      const value = problem[name];
      if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
        return `eigh: ${name} is ${value}, not a positive integer`;
      }
    }
    for (const name of ["pad", "gap"]) {
      const value = problem[name];
      if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
        return `eigh: ${name} is ${value}, not a non-negative integer`;
      }
    }
    for (const [name, values] of [["vectors", VECTORS] as const, ["spectrum", SPECTRA] as const]) {
      if (!(values as readonly unknown[]).includes(problem[name])) {
        return `eigh: ${name} is ${problem[name]}, not one of ${values.join(", ")}`;
      }
    }
    const { n, batch, ...rest } = problem as EighProblem;
    if (n > MAXIMUM_N) return `eigh: n is ${n}, over ${MAXIMUM_N}`;
    const elements = batch * matrixStride({ n, ...rest });
    if (elements > MOST_ELEMENTS) return `eigh: the batch has ${elements} elements, over ${MOST_ELEMENTS}`;
    return undefined;
  },

  ports(problem) {
    const { n, batch, vectors } = problem;
    const wanted: Port[] =
      vectors === "yes"
        ? [
            {
              name: "vectors",
              dtype: "f32",
              shape: [batch, n, n],
              role: "out",
              doc: "eigenvector k in column k",
            },
          ]
        : [];
    return [
      {
        name: "matrices",
        dtype: "f32",
        shape: [batch, matrixStride(problem)],
        role: "in",
        doc: "matrices row by row; only the lower triangle is read",
      },
      { name: "values", dtype: "f32", shape: [batch, n], role: "out", doc: "eigenvalues, ascending" },
      ...wanted,
      {
        name: "status",
        dtype: "u32",
        shape: [batch, 2],
        role: "out",
        doc: "0 converged, 1 not converged, 2 not finite; then sweeps",
      },
    ];
  },

  algorithms: {
    scalar: async () => (await import("./algorithms/scalar/plan.ts")).scalar as never,
    "one-sided": async () => (await import("./algorithms/one-sided/plan.ts")).oneSided as never,
    block: async () => (await import("./algorithms/block/plan.ts")).block as never,
    tridiagonal: async () => (await import("./algorithms/tridiagonal/plan.ts")).tridiagonal as never,
  },
};
