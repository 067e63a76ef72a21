import { type Experiment, HOST_ALGORITHM } from "@tunelab/experiment";

const common = { butterfly: "merged", tile: 1, hoist: false };

/** What won at these lengths: on an H200 (factors by sine and cosine), and on a software GPU, whose sine and cosine are too coarse. */
const BEST = {
  hardware: {
    ...{ radix: 16, workgroup: 128, chunk: 16, staging: "split", padding: 32, gap: 2 },
    ...{ twiddles: "direct", reduction: "subgroup" },
  },
  software: {
    ...{ radix: 16, workgroup: 16, chunk: 8, staging: "split", padding: 16, gap: 1 },
    ...{ twiddles: "table", reduction: "tree" },
  },
} as const;

/** Five milliseconds of a core: a call's own 0.2 ms are little beside them. */
const ON_CORE = {
  hardware: { data: 6, templates: 8, pairs: 48 },
  software: { data: 4, templates: 256, pairs: 1024 },
} as const;

const experiment: Experiment = {
  question: "Is the filter as well fitted to the GPU as to one core of a CPU?",
  hypothesis:
    "Each is held against its own ceiling of multiply-adds. On the Radeon a core reached 31.7% of its and the GPU 18.5% of its, so the core's program was the better fitted by 1.7 times; and the GPU did the work of 49 cores.",
  source:
    "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units); its core ran vector instructions, ours runs JavaScript in float64, and its ceiling is JavaScript's",
  varies:
    "where the same pairs are correlated: the GPU's best variant of the length, or fft.js on one core of the same machine",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }, scale) => [
    { name: "gpu", algorithm: "fused", config: { ...common, ...BEST[scale] } },
    {
      name: "core",
      algorithm: HOST_ALGORITHM,
      peer: "fft.js",
      config: {},
      problem: { n: n!, ...ON_CORE[scale] },
    },
  ],
  claims: [
    {
      text: "the GPU's share of its ceiling is 0.58 of the core's of its",
      figure: "share",
      of: "gpu",
      over: "core",
      predicted: 0.58,
      theirs: { ratio: 0.58, device: "Radeon 8060S, 18.5% against 31.7%" },
    },
    {
      text: "a pair takes 49 times as long on the core",
      figure: "time-per-item",
      of: "core",
      over: "gpu",
      predicted: 49,
      theirs: { ratio: 49, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
