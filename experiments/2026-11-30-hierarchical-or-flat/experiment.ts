import type { Experiment } from "@tunelab/experiment";

const full = {
  radix: 16,
  workgroup: 128,
  chunk: 16,
  staging: "split",
  padding: 32,
  gap: 2,
  twiddles: "table-pairs",
};

const refine = Object.fromEntries(
  Object.entries(full).map(([name, value]) => [`refine${name[0]!.toUpperCase()}${name.slice(1)}`, value]),
);

const coarse = (band: number) => ({
  band,
  oversampling: 256 / band,
  coarseRadix: 16,
  coarsePoints: 16,
  coarseChunk: 16,
  coarseTwiddles: "table-pairs",
  coarseTile: 4,
  coarseSides: 8,
});

const experiment: Experiment = {
  question: "How much does a coarse pass over a low band save where one pair in 32 has a peak?",
  hypothesis:
    "At n = 4096 and a band of 256 the coarse pass costs a twenty-fourth of the flat filter and 3.1% of the pairs survive: 13.7 times faster if nothing else cost anything, 6.57 times measured.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies:
    "every pair in full, or the survivors of a coarse pass of 256 points over 256 bins, or over 128 bins at twice the lags",
  operation: "matched-filter",
  problems: {
    software: { n: 4096, data: 4, templates: 64, pairs: 256, threshold: 1 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768, threshold: 1 },
  },
  arms: () => [
    { name: "flat", algorithm: "fused", config: { ...full, tile: 1, hoist: false } },
    { name: "band-256", algorithm: "two-kernel", config: { ...refine, ...coarse(256) } },
    { name: "band-128", algorithm: "two-kernel", config: { ...refine, ...coarse(128) } },
  ],
  claims: [
    {
      text: "the flat filter takes 6.57 times the hierarchical one with a band of 256",
      figure: "time",
      of: "flat",
      over: "band-256",
      predicted: 6.57,
      theirs: { ratio: 6.57, device: "Radeon 8060S" },
    },
    {
      text: "half the band at twice the lags takes as long: the transform is the same, loads are half",
      figure: "time",
      of: "band-128",
      over: "band-256",
      predicted: 1,
      within: 0.1,
    },
  ],
};

export default experiment;
