import type { Experiment } from "@tunelab/experiment";

const rest = { staging: "whole", padding: 0, twiddles: "table", reduction: "tree", tile: 1, hoist: false };

const experiment: Experiment = {
  question: "What does a 16 by 16 transform in registers gain over four radix-4 steps through memory?",
  hypothesis:
    "Two passes with one exchange between them instead of four with three: 2.25 times faster for 8192 transforms of 256 points.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies: "a 256-point transform as two radix-16 passes or as four radix-4 passes",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 256, data: 64, templates: 128, pairs: 8192 },
  },
  arms: () => [
    { name: "four-step", algorithm: "fused", config: { ...rest, radix: 16, workgroup: 16, chunk: 16 } },
    { name: "stockham", algorithm: "fused", config: { ...rest, radix: 4, workgroup: 64, chunk: 4 } },
  ],
  claims: [
    {
      text: "four radix-4 passes take 2.25 times two radix-16 passes",
      figure: "time",
      of: "stockham",
      over: "four-step",
      predicted: 2.25,
      theirs: { ratio: 2.25, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
