import type { Experiment } from "@tunelab/experiment";

const rest = { radix: 16, chunk: 8, staging: "split", padding: 16, twiddles: "table", tile: 1, hoist: false };

const experiment: Experiment = {
  question: "Do subgroup maxima find the peak faster than a tree through workgroup memory?",
  hypothesis:
    "A subgroup operation replaces five levels of the tree and their barriers; the scan is a small part of the kernel, so a twentieth of its time goes.",
  source: "The first fused kernel on an NVIDIA H200",
  varies: "how threads agree on the peak: subgroup maxima or a tree",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) =>
    ["tree", "subgroup"].map((reduction) => ({
      name: reduction,
      algorithm: "fused",
      config: { ...rest, reduction, workgroup: Number(n) / 16 },
    })),
  claims: [
    {
      text: "the tree takes 1.05 times the subgroup maxima",
      figure: "time",
      of: "tree",
      over: "subgroup",
      predicted: 1.05,
      theirs: { ratio: 1.07, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
