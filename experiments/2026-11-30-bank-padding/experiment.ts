import type { Experiment } from "@tunelab/experiment";

const rest = {
  radix: 16,
  chunk: 16,
  staging: "split",
  twiddles: "table",
  reduction: "tree",
  tile: 1,
  hoist: false,
};

const experiment: Experiment = {
  question: "What does padding against bank conflicts gain?",
  hypothesis:
    "Strides of powers of two meet in few banks; an unused word after every sixteen spreads them: 0.530 ms became 0.503 ms with a power walk of twiddles on an H200.",
  source: "The first fused kernel on an NVIDIA H200",
  varies: "unused words: none, or one after every 8, 16 or 32",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) =>
    [0, 8, 16, 32].map((padding) => ({
      name: `padding-${padding}`,
      algorithm: "fused",
      config: { ...rest, padding, workgroup: Number(n) / 16 },
    })),
  claims: [
    {
      text: "no padding takes 1.05 times padding 16",
      figure: "time",
      of: "padding-0",
      over: "padding-16",
      predicted: 1.05,
    },
  ],
};

export default experiment;
