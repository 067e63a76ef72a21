import type { Experiment } from "@tunelab/experiment";

const rest = {
  chunk: 8,
  staging: "split",
  padding: 16,
  twiddles: "table",
  reduction: "tree",
  tile: 1,
  hoist: false,
};

const experiment: Experiment = {
  question: "Does a larger butterfly in registers make the transform faster, step by step?",
  hypothesis:
    "Every doubling of the radix halves nothing but the number of exchanges and barriers, and those are what binds: radix 4 took a quarter less than radix 2 at n = 1024, and radix 16 less again.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies: "the radix, from 2 to 16, at 16 points a thread",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) =>
    [2, 4, 8, 16].map((radix) => ({
      name: `radix-${radix}`,
      algorithm: "fused",
      config: { ...rest, radix, workgroup: Number(n) / 16 },
    })),
  claims: [
    {
      text: "radix 2 takes 1.26 times radix 4",
      figure: "time",
      of: "radix-2",
      over: "radix-4",
      predicted: 1.26,
      theirs: { ratio: 1.26, device: "Radeon 8060S" },
    },
    {
      text: "radix 4 takes 1.4 times radix 16",
      figure: "time",
      of: "radix-4",
      over: "radix-16",
      predicted: 1.4,
    },
  ],
};

export default experiment;
