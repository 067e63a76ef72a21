import type { Experiment } from "@tunelab/experiment";

const rest = {
  radix: 16,
  workgroup: 64,
  chunk: 8,
  staging: "split",
  padding: 16,
  twiddles: "table",
  reduction: "tree",
};

const experiment: Experiment = {
  question: "What does it cost to write the correlation out and look for its peak in a second pass?",
  hypothesis:
    "The second pass reads back what the first wrote, and both together are bound by bandwidth: 1.63 times the fused kernel at n = 1024.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies: "one fused dispatch, or the transform to global memory and a reduction over it",
  operation: "matched-filter",
  problems: {
    software: { n: 1024, data: 4, templates: 8, pairs: 32 },
    hardware: { n: 1024, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: () => [
    { name: "fused", algorithm: "fused", config: { ...rest, tile: 1, hoist: false } },
    { name: "two-passes", algorithm: "corr-reduce", config: { ...rest, scan: 64 } },
  ],
  claims: [
    {
      text: "two passes take 1.63 times the fused kernel",
      figure: "time",
      of: "two-passes",
      over: "fused",
      predicted: 1.63,
      theirs: { ratio: 1.63, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
