import type { Experiment } from "@tunelab/experiment";

const rest = {
  radix: 16,
  chunk: 16,
  padding: 0,
  twiddles: "table",
  reduction: "tree",
  tile: 1,
  hoist: false,
};

const experiment: Experiment = {
  question: "Does exchanging real and imaginary parts one after the other pay?",
  hypothesis:
    "Half the workgroup memory for twice the barriers: where memory decides how many workgroups run at once, it is faster by a tenth.",
  source: "The first fused kernel on an NVIDIA H200",
  varies: "staging: complex numbers whole, or real parts and then imaginary parts",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) =>
    ["whole", "split"].map((staging) => ({
      name: staging,
      algorithm: "fused",
      config: { ...rest, staging, workgroup: Number(n) / 16 },
    })),
  claims: [
    {
      text: "whole staging takes 1.1 times split staging",
      figure: "time",
      of: "whole",
      over: "split",
      predicted: 1.1,
    },
  ],
};

export default experiment;
