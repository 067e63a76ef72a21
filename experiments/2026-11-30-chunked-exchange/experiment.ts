import type { Experiment } from "@tunelab/experiment";

const rest = {
  radix: 16,
  staging: "whole",
  padding: 0,
  twiddles: "table",
  reduction: "tree",
  tile: 1,
  hoist: false,
};

const experiment: Experiment = {
  question: "Does staging an exchange in chunks pay, at full length and at coarse length?",
  hypothesis:
    "At full length a small exchange buffer lets several workgroups share a compute unit: 2.71 times faster with a quarter of the memory. At 256 points the extra barriers cost more than that: 1.22 times slower. The same knob, opposite answers.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies:
    "registers of a thread staged at a time: all of them or a quarter, at full length and at 256 points",
  operation: "matched-filter",
  problems: {
    software: { n: 2048, data: 4, templates: 4, pairs: 16 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) => {
    const long = { ...rest, workgroup: Number(n) / 16 };
    const short = { ...rest, workgroup: 16 };
    return [
      { name: "long-whole", algorithm: "fused", config: { ...long, chunk: 16 } },
      { name: "long-chunked", algorithm: "fused", config: { ...long, chunk: 4 } },
      { name: "short-whole", algorithm: "fused", config: { ...short, chunk: 16 }, problem: { n: 256 } },
      { name: "short-chunked", algorithm: "fused", config: { ...short, chunk: 4 }, problem: { n: 256 } },
    ];
  },
  claims: [
    {
      text: "at full length the whole exchange takes 2.71 times the chunked one",
      figure: "time",
      of: "long-whole",
      over: "long-chunked",
      predicted: 2.71,
      theirs: { ratio: 2.71, device: "Radeon 8060S" },
    },
    {
      text: "at 256 points the chunked exchange takes 1.22 times the whole one",
      figure: "time",
      of: "short-chunked",
      over: "short-whole",
      predicted: 1.22,
      theirs: { ratio: 1.22, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
