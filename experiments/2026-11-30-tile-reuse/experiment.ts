import type { Experiment } from "@tunelab/experiment";

const rest = {
  radix: 16,
  chunk: 16,
  staging: "split",
  padding: 0,
  twiddles: "table",
  reduction: "tree",
  hoist: false,
};

const experiment: Experiment = {
  question: "What does keeping the data spectrum in registers over several templates gain?",
  hypothesis:
    "Eight templates in a row read the data spectrum once: 0.530 ms became 0.457 ms on an H200 without padding and with direct twiddles.",
  source: "The first fused kernel on an NVIDIA H200",
  varies: "pairs of one workgroup in a row: 1 or 8",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) =>
    [1, 8].map((tile) => ({
      name: `tile-${tile}`,
      algorithm: "fused",
      config: { ...rest, tile, workgroup: Number(n) / 16 },
    })),
  claims: [
    {
      text: "one pair a workgroup takes 1.16 times eight",
      figure: "time",
      of: "tile-1",
      over: "tile-8",
      predicted: 1.16,
      theirs: { ratio: 1.16, device: "Radeon 8060S, at most" },
    },
  ],
};

export default experiment;
