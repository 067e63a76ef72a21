import type { Operation } from "@tunelab/contract";
import {
  LEAST_BANDED_N,
  MAXIMUM_N,
  type MatchedFilterProblem,
  MINIMUM_N,
  ONE_WORKGROUP_N,
} from "./problem.ts";

/** A threshold decides how many pairs pass the coarse pass, which decides between flat and hierarchical variants. */
const THRESHOLD_WEIGHT = 2;
/** Algorithms that answer problems with a threshold only. */
const HIERARCHICAL: readonly string[] = ["two-kernel", "tile-fused"];
const DIMENSIONS = ["n", "data", "templates", "pairs"];
const EXTENT_WEIGHTS = { data: 0.1, templates: 0.1, pairs: 1 } as const;
/** Indexes are u32 and a record array of more pairs could not be bound anywhere. */
const MOST_PAIRS = 65_535 * 65_535;

/** A positive number that float32 can hold; given as text it is none. */
const isMagnitude = (value: unknown): boolean =>
  typeof value === "number" && Math.fround(value) > 0 && Number.isFinite(Math.fround(value));

const extent = (name: keyof typeof EXTENT_WEIGHTS, fallback: number, doc: string) =>
  ({
    name,
    role: "extent",
    distance: { kind: "log", weight: EXTENT_WEIGHTS[name] },
    doc,
    default: fallback,
  }) as const;

/**
 * Batched matched filter. For each pair (i, j): z = inverse DFT of data[i] * conj(templates[j]), unnormalised; the result is one
 * record: the index of the largest |z| (the lowest of equals), z there, and |z|.
 * Ports: data f32 [data, n, 2], templates f32 [templates, n, 2], pairs u32 [pairs, 2], records u32 [pairs, 4] (index, then
 * re, im and magnitude as f32 bits). No peak: index 0xffffffff and zeros, as for a pair with a NaN; one with an infinity, or |z|^2
 * beyond float32, has none or an infinite magnitude; no other pair is touched. Under 1e-18 |z|^2 leaves float32 at its other end: digits, then lags are lost. With a `threshold` peaks of a magnitude under it are none:
 * the question that the hierarchical algorithms answer without a full transform of every pair.
 */
export const operation: Operation<MatchedFilterProblem> = {
  name: "matched-filter",
  doc: "Peak of the circular cross-correlation of spectra with templates, one record a pair",
  dimensions: [
    {
      name: "n",
      role: "shape",
      distance: { kind: "exact" },
      doc: `points of a spectrum: a power of two from ${MINIMUM_N} to ${MAXIMUM_N}`,
    },
    extent("data", 64, "data spectra"),
    extent("templates", 512, "template spectra"),
    extent("pairs", 32_768, "pairs (data index, template index) to correlate"),
    {
      name: "threshold",
      role: "extent",
      distance: { kind: "log", weight: THRESHOLD_WEIGHT },
      doc: "least magnitude of a peak: pairs without one report none",
      default: 0,
      optional: true,
    },
  ],
  accuracy: { bound: 2e-6, measure: "relative error of the magnitude" },

  refuse(problem) {
    for (const name of DIMENSIONS) {
      const value = problem[name];
      if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
        return `matched-filter: ${name} is ${value}, not a positive integer`;
      }
    }
    for (const name of Object.keys(problem)) {
      if (name !== "threshold" && !DIMENSIONS.includes(name)) {
        return `matched-filter has no dimension ${name}: it has ${DIMENSIONS.join(", ")} and threshold`;
      }
    }
    const { n, pairs, threshold } = problem as MatchedFilterProblem;
    if (threshold !== undefined && !isMagnitude(threshold)) {
      return `matched-filter: threshold is ${threshold}, not a positive float32 number: leave it out to have every peak`;
    }
    if (n < MINIMUM_N || n > MAXIMUM_N || !Number.isInteger(Math.log2(n))) {
      return `matched-filter: n is ${n}, not a power of two from ${MINIMUM_N} to ${MAXIMUM_N}`;
    }
    if (pairs > MOST_PAIRS) return `matched-filter: pairs is ${pairs}, over ${MOST_PAIRS}`;
    return undefined;
  },

  ports({ n, data, templates, pairs }) {
    return [
      {
        name: "data",
        dtype: "f32",
        shape: [data, n, 2],
        role: "in",
        doc: "data spectra, interleaved complex",
      },
      {
        name: "templates",
        dtype: "f32",
        shape: [templates, n, 2],
        role: "in",
        doc: "template spectra, interleaved complex",
      },
      { name: "pairs", dtype: "u32", shape: [pairs, 2], role: "in", doc: "data index, template index" },
      {
        name: "records",
        dtype: "u32",
        shape: [pairs, 4],
        role: "out",
        doc: "peak index, then re, im and magnitude as f32 bits",
      },
    ];
  },

  // Steps at the longest that one workgroup holds too: that takes the 256 invocations of WebGPU's defaults, and compatibility mode grants 128.
  answers: (algorithm, { n, threshold }) =>
    algorithm === "four-step"
      ? n >= ONE_WORKGROUP_N
      : n <= ONE_WORKGROUP_N &&
        (!HIERARCHICAL.includes(algorithm) || (threshold !== undefined && n >= LEAST_BANDED_N)),

  algorithms: {
    fused: async () => (await import("./algorithms/fused/plan.ts")).fused,
    "corr-reduce": async () => (await import("./algorithms/corr-reduce/plan.ts")).corrReduce,
    "four-step": async () => (await import("./algorithms/four-step/plan.ts")).fourStep,
    "two-kernel": async () => (await import("./algorithms/two-kernel/plan.ts")).twoKernel,
    "tile-fused": async () => (await import("./algorithms/tile-fused/plan.ts")).tileFused,
  },
};
