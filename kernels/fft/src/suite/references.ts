import type { Reference } from "@tunelab/contract";
import type { FftProblem } from "../problem.ts";

const CUFFT = { source: "cuFFT, timed in one run", device: "NVIDIA H200" } as const;

/** Microseconds of inverse transforms, medians, in the run that also timed the matched filter's peers. */
const ON_H200: readonly (readonly [n: number, batch: number, us: number])[] = [
  [1024, 32_768, 134],
  [2048, 32_768, 265],
  [4096, 32_768, 522],
  [8192, 32_768, 1_030],
  [16_384, 16_384, 1_428],
];

/** `pnpm lab experiment run one-core-transform` times it, and what the core can do. */
const CORE = { source: "fft.js in JavaScript, float64", device: "one core of an AMD EPYC" } as const;

/** Microseconds of one transform on one core, and the percentage of the core's own multiply-adds (14.9 GFLOP/s). */
const ON_ONE_CORE: readonly (readonly [n: number, us: number, percent: number])[] = [
  [256, 3.7, 19],
  [1024, 16.4, 21],
  [4096, 71.7, 23],
  [16_384, 338, 23],
  [65_536, 1_693, 21],
  [1_048_576, 47_970, 15],
];

/** Others' figures for this operation: NVIDIA's own library, and one CPU core. */
export const references: readonly Reference[] = [
  ...ON_H200.map(([n, batch, us]) => ({
    ...CUFFT,
    problem: { n, batch, direction: "inverse" } satisfies FftProblem,
    what: "transform",
    us,
  })),
  ...ON_ONE_CORE.map(([n, us, percent]) => ({
    ...CORE,
    problem: { n, batch: 1, direction: "forward" } satisfies FftProblem,
    what: `transform with conversions from and to float32, ${percent}% of the core's own ceiling`,
    us,
  })),
];
