import type { Experiment } from "@tunelab/experiment";

const rest = { radix: 16, chunk: 8, staging: "split", padding: 16, reduction: "tree", tile: 1, hoist: false };

const experiment: Experiment = {
  question: "What do incrementally walked twiddle factors gain, and what do they cost in accuracy?",
  hypothesis:
    "One sine and cosine and a chain of complex products instead of one pair for each: the same time within the noise, and five times the error from accumulated rounding.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies:
    "twiddle factors: powers walked from one constant (table-walk) or each from a table; and the same from sine and cosine (walk, direct)",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) =>
    ["table", "table-walk", "direct", "walk"].map((twiddles) => ({
      name: twiddles,
      algorithm: "fused",
      config: { ...rest, twiddles, workgroup: Number(n) / 16 },
    })),
  claims: [
    {
      text: "walking from a constant takes as long as the table",
      figure: "time",
      of: "table-walk",
      over: "table",
      predicted: 1,
      within: 0.1,
    },
    {
      text: "walking from a sine and cosine takes as long as computing each",
      figure: "time",
      of: "walk",
      over: "direct",
      predicted: 1,
      within: 0.1,
      theirs: { ratio: 1, device: "Radeon 8060S" },
    },
    {
      text: "walking from a constant errs 5 times as much",
      figure: "error",
      of: "table-walk",
      over: "table",
      predicted: 5,
    },
    {
      text: "walking from a sine and cosine errs 5 times as much",
      figure: "error",
      of: "walk",
      over: "direct",
      predicted: 5,
      theirs: { ratio: 4.7, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
