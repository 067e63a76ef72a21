import type { Experiment } from "@tunelab/experiment";

const rest = { radix: 16, chunk: 8, staging: "split", padding: 16, reduction: "tree", tile: 1, hoist: false };

const experiment: Experiment = {
  question: "Are twiddle factors faster from a table or from sine and cosine?",
  hypothesis:
    "A table in workgroup memory cost more occupancy than the transcendentals cost time: 1.7 times slower. Here the table lies in constants computed in float64, so the cost should be gone; its accuracy is the reason to have it: WGSL promises only 2^-11 for sine and cosine.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies:
    "where twiddle factors come from: direct (a cosine and a sine each) or a table of float64-computed constants",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) =>
    ["direct", "table"].map((twiddles) => ({
      name: twiddles,
      algorithm: "fused",
      config: { ...rest, twiddles, workgroup: Number(n) / 16 },
    })),
  claims: [
    {
      text: "the table takes as long as direct",
      figure: "time",
      of: "table",
      over: "direct",
      predicted: 1,
      within: 0.1,
      theirs: { ratio: 1.73, device: "Radeon 8060S" },
    },
    {
      text: "direct errs no more than twice as much",
      figure: "error",
      of: "direct",
      over: "table",
      predicted: 1,
      within: 1,
    },
  ],
};

export default experiment;
