import type { Experiment } from "@tunelab/experiment";

const rest = {
  radix: 4,
  chunk: 16,
  staging: "split",
  padding: 16,
  twiddles: "table",
  reduction: "tree",
  tile: 1,
  hoist: false,
};

const experiment: Experiment = {
  question: "What does a loop over the levels cost where they could be written out?",
  hypothesis:
    "In a loop the level's spans and shifts change, so no index folds to a constant, and every index of workgroup memory is clamped besides. It pays where there are levels to fold: a third at 8192 points, little at 1024.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (37% at 8192 points, a tie at 1024)",
  varies: "whether passes of one radix are written out or a loop, at two lengths",
  operation: "matched-filter",
  problems: {
    software: { n: 1024, data: 4, templates: 8, pairs: 32 },
    hardware: { n: 8192, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }, scale) => {
    const short = scale === "hardware" ? 1024 : 256;
    return [true, false].flatMap((unroll) => {
      const name = unroll ? "unrolled" : "loop";
      const of = (length: number) => ({ ...rest, unroll, workgroup: length / 16 });
      return [
        { name: `${name}-long`, algorithm: "fused", config: of(Number(n)) },
        { name: `${name}-short`, algorithm: "fused", config: of(short), problem: { n: short } },
      ];
    });
  },
  claims: [
    {
      text: "the loop takes 1.37 times the passes written out where they are many",
      figure: "time",
      of: "loop-long",
      over: "unrolled-long",
      predicted: 1.37,
      theirs: { ratio: 1.37, device: "Radeon 8060S" },
    },
    {
      text: "it takes as long where they are few",
      figure: "time",
      of: "loop-short",
      over: "unrolled-short",
      predicted: 1,
      within: 0.1,
      theirs: { ratio: 0.97, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
