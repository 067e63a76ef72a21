import type { Reference } from "@tunelab/contract";
import type { MatchedFilterProblem } from "../problem.ts";

const at = (n: number, data: number, templates: number): MatchedFilterProblem => ({
  n,
  data,
  templates,
  pairs: data * templates,
});

const NOTES = { source: "the working notes of a GPU matched filter", device: "Radeon 8060S" } as const;
const PEERS = { source: "cuFFT and Triton, timed in one run", device: "NVIDIA H200" } as const;

/** `pnpm lab experiment run one-core` times it, and what the core can do: the rate is a fifth of that. */
const CORE = { source: "fft.js in JavaScript, float64", device: "one core of an AMD EPYC" } as const;

/** Microseconds of one pair on one core, and the percentage of the core's own multiply-adds (12.2 GFLOP/s). */
const ON_ONE_CORE: readonly (readonly [n: number, us: number, percent: number])[] = [
  [256, 5.6, 17],
  [1024, 24.6, 19],
  [4096, 105.3, 21],
  [16_384, 472.4, 22],
];

/** cuFFT's transform alone, and the best unfused pipeline (Triton product, cuFFT, Triton arg-max); microseconds, medians. */
const CUFFT: readonly (readonly [MatchedFilterProblem, alone: number, unfused: number])[] = [
  [at(1024, 64, 512), 134, 279],
  [at(2048, 64, 512), 265, 561],
  [at(4096, 64, 512), 522, 1_089],
  [at(8192, 64, 512), 1_030, 2_170],
  [at(16_384, 32, 512), 1_428, 2_577],
];

/** Others' figures for this operation: from the documents it was made from, from NVIDIA's own library, and from one CPU core. */
export const references: readonly Reference[] = [
  { ...NOTES, problem: at(1024, 8, 64), what: "fused", us: 35 },
  { ...NOTES, problem: at(1024, 8, 64), what: "transform, then a second pass for the peak", us: 57 },
  { ...NOTES, problem: at(1024, 8, 64), what: "transform alone (rocFFT)", us: 51.7 },
  { ...NOTES, problem: at(2048, 8, 64), what: "fused", us: 94 },
  { ...NOTES, problem: at(4096, 16, 128), what: "fused, chunked exchange", us: 134 },
  { ...NOTES, problem: at(4096, 64, 256), what: "fused, chunked exchange", us: 893 },
  { ...NOTES, problem: at(4096, 64, 512), what: "fused, chunked exchange", us: 1_759 },
  { ...NOTES, problem: at(4096, 256, 1024), what: "fused, chunked exchange", us: 13_717 },
  ...ON_ONE_CORE.map(([n, us, percent]) => ({
    ...CORE,
    problem: at(n, 1, 1),
    what: `product, transform and peak of a pair, ${percent}% of the core's own ceiling`,
    us,
  })),
  ...CUFFT.flatMap(([problem, alone, unfused]) => [
    { ...PEERS, problem, what: "transform alone (cuFFT)", us: alone },
    { ...PEERS, problem, what: "unfused: product, cuFFT, arg-max", us: unfused },
  ]),
];
