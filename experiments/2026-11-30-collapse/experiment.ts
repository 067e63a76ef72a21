import type { Experiment } from "@tunelab/experiment";

const rest = {
  radix: 16,
  chunk: 8,
  staging: "split",
  padding: 16,
  twiddles: "table",
  reduction: "tree",
  tile: 1,
  hoist: false,
};

const experiment: Experiment = {
  question: "Is the fused filter bound by bandwidth?",
  hypothesis:
    "Pointing every pair at one data and one template spectrum removes nearly all traffic and nothing else. An achieved bandwidth that matched the ceiling turned out to be worth 1.16 at most; here even that should not be there.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies: "how many distinct spectra the pairs name: all of the problem, or one",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 16, templates: 16, pairs: 256 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) => {
    const config = { ...rest, workgroup: Number(n) / 16 };
    return [
      { name: "spread", algorithm: "fused", config },
      { name: "collapsed", algorithm: "fused", config, problem: { data: 1, templates: 1 } },
    ];
  },
  claims: [
    {
      text: "spreading the pairs over all spectra costs less than a tenth",
      figure: "time",
      of: "spread",
      over: "collapsed",
      predicted: 1,
      within: 0.1,
      theirs: { ratio: 1.16, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
