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

/** cuFFT's transform alone, and the best unfused pipeline (Triton product, cuFFT, Triton arg-max); microseconds, medians. */
const CUFFT: readonly (readonly [MatchedFilterProblem, alone: number, unfused: number])[] = [
  [at(1024, 64, 512), 134, 279],
  [at(2048, 64, 512), 265, 561],
  [at(4096, 64, 512), 522, 1_089],
  [at(8192, 64, 512), 1_030, 2_170],
  [at(16_384, 32, 512), 1_428, 2_577],
];

/** Others' figures for this operation, from the documents it was made from and from NVIDIA's own library. */
export const references: readonly Reference[] = [
  { ...NOTES, problem: at(1024, 8, 64), what: "fused", us: 35 },
  { ...NOTES, problem: at(1024, 8, 64), what: "transform, then a second pass for the peak", us: 57 },
  { ...NOTES, problem: at(1024, 8, 64), what: "transform alone (rocFFT)", us: 51.7 },
  { ...NOTES, problem: at(2048, 8, 64), what: "fused", us: 94 },
  { ...NOTES, problem: at(4096, 16, 128), what: "fused, chunked exchange", us: 134 },
  { ...NOTES, problem: at(4096, 64, 256), what: "fused, chunked exchange", us: 893 },
  { ...NOTES, problem: at(4096, 64, 512), what: "fused, chunked exchange", us: 1_759 },
  { ...NOTES, problem: at(4096, 256, 1024), what: "fused, chunked exchange", us: 13_717 },
  ...CUFFT.flatMap(([problem, alone, unfused]) => [
    { ...PEERS, problem, what: "transform alone (cuFFT)", us: alone },
    { ...PEERS, problem, what: "unfused: product, cuFFT, arg-max", us: unfused },
  ]),
];
