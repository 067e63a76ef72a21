import type { Operation } from "@tunelab/contract";
import { DIRECTIONS, type FftProblem, MAXIMUM_N, MINIMUM_N } from "./problem.ts";

/** A dispatch has at most 65,535 workgroups in each of two dimensions before a batch is cut for other reasons. */
const MOST_BATCH = 65_535 * 65_535;
const NAMES = ["n", "batch", "direction"];

/**
 * Batched complex Fourier transform, natural order in and out, unnormalised: X[b, k] = sum_j x[b, j] exp(sign 2 pi i j k / n), sign -1
 * forward and +1 inverse; so inverse after forward gives n times the input.
 * Ports: input f32 [batch, n, 2], output f32 [batch, n, 2]. A NaN or an infinity makes its own transform NaN and no other.
 */
export const operation: Operation<FftProblem> = {
  name: "fft",
  doc: "Batched complex-to-complex Fourier transform of power-of-two length, unnormalised",
  dimensions: [
    {
      name: "n",
      role: "shape",
      distance: { kind: "exact" },
      doc: `points of a transform: a power of two from ${MINIMUM_N} to ${MAXIMUM_N}`,
    },
    {
      name: "batch",
      role: "extent",
      distance: { kind: "log", weight: 1 },
      doc: "transforms",
      default: 8192,
    },
    {
      name: "direction",
      role: "shape",
      // The texts differ in the signs of constants only: a row of one direction serves the other.
      distance: { kind: "nominal", weight: 0.01 },
      doc: "forward (exponent -2 pi i) or inverse (+2 pi i)",
      default: "forward",
    },
  ],
  accuracy: { bound: 2e-6, measure: "relative error of a transform in the 2-norm" },

  refuse(problem) {
    const unknown = Object.keys(problem).find((name) => !NAMES.includes(name));
    if (unknown !== undefined) return `fft has no dimension ${unknown}: it has ${NAMES.join(", ")}`;
    const { n, batch, direction } = problem as FftProblem;
    if (!Number.isInteger(n) || n < MINIMUM_N || n > MAXIMUM_N || !Number.isInteger(Math.log2(n))) {
      return `fft: n is ${n}, not a power of two from ${MINIMUM_N} to ${MAXIMUM_N}`;
    }
    if (!Number.isSafeInteger(batch) || batch < 1) return `fft: batch is ${batch}, not a positive integer`;
    if (batch > MOST_BATCH) return `fft: batch is ${batch}, over ${MOST_BATCH}`;
    if (!DIRECTIONS.includes(direction)) {
      return `fft: direction is ${direction}, not one of ${DIRECTIONS.join(", ")}`;
    }
    return undefined;
  },

  ports({ n, batch }) {
    const shape = [batch, n, 2];
    return [
      { name: "input", dtype: "f32", shape, role: "in", doc: "points, interleaved complex" },
      { name: "output", dtype: "f32", shape, role: "out", doc: "their transforms, interleaved complex" },
    ];
  },

  algorithms: {
    "one-workgroup": async () => (await import("./algorithms/one-workgroup/plan.ts")).oneWorkgroup,
    "four-step": async () => (await import("./algorithms/four-step/plan.ts")).fourStep,
  },
};
