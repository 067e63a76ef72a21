import { type Experiment, HOST_ALGORITHM } from "@tunelab/experiment";

const common = { radix: 16, chunk: 16, staging: "split", twiddles: "table" };

/** Plain tables of factors on both; what the length asks of threads and of padding. */
const GPU = {
  hardware: { ...common, butterfly: "merged", workgroup: 128, padding: 32, gap: 2 },
  software: { ...common, butterfly: "split", workgroup: 16, padding: 16, gap: 1 },
} as const;

/** Five milliseconds of a core. */
const ON_CORE = { hardware: 64, software: 1024 } as const;

const experiment: Experiment = {
  question: "Is the transform alone as well fitted to the GPU as to one core of a CPU?",
  hypothesis:
    "A transform alone reads and writes every point and is bound by memory where the filter is not: 8 n bytes each way for 5 n log2 n FLOPs leave an H200 at 4.3 TB/s 25% of its multiply-adds at n = 4096, and a core keeps a transform in its caches. So the GPU's share is about the core's of a fifth, and no more.",
  source:
    "The same comparison for the whole filter, on a Radeon 8060S; cuFFT took 0.265 ms for this batch on an H200",
  varies:
    "where the same transforms are computed: in one workgroup each, or by fft.js on one core of the same machine",
  operation: "fft",
  problems: {
    software: { n: 256, batch: 1024, direction: "forward" },
    hardware: { n: 4096, batch: 16_384, direction: "forward" },
  },
  arms: ({ n, direction }, scale) => [
    { name: "gpu", algorithm: "one-workgroup", config: GPU[scale] },
    {
      name: "core",
      algorithm: HOST_ALGORITHM,
      peer: "fft.js",
      config: {},
      problem: { n: n!, direction: direction!, batch: ON_CORE[scale] },
    },
  ],
  claims: [
    {
      text: "the GPU's share of its ceiling is the core's of its, within a half",
      figure: "share",
      of: "gpu",
      over: "core",
      predicted: 1,
      within: 0.5,
    },
  ],
};

export default experiment;
