import type { Experiment } from "@tunelab/experiment";

const rest = {
  radix: 4,
  chunk: 4,
  staging: "split",
  padding: 0,
  twiddles: "table",
  reduction: "tree",
  tile: 1,
  hoist: false,
};

const experiment: Experiment = {
  question: "How many threads should share one transform?",
  hypothesis:
    "Few threads hold many points each and starve the device of parallel work; many threads pay barriers for little work each. On the Radeon 256 was the optimum at n = 1024: 64 took 2.3 times as long, 512 took 1.14 times.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies: "threads of one transform, every thread holding n / threads points",
  operation: "matched-filter",
  problems: {
    software: { n: 1024, data: 4, templates: 8, pairs: 32 },
    hardware: { n: 1024, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: () =>
    [32, 64, 128, 256].map((workgroup) => ({
      name: `threads-${workgroup}`,
      algorithm: "fused",
      config: { ...rest, workgroup },
    })),
  claims: [
    {
      text: "64 threads take 2.3 times 256",
      figure: "time",
      of: "threads-64",
      over: "threads-256",
      predicted: 2.3,
      theirs: { ratio: 2.27, device: "Radeon 8060S" },
    },
    {
      text: "128 threads take 1.39 times 256",
      figure: "time",
      of: "threads-128",
      over: "threads-256",
      predicted: 1.39,
      theirs: { ratio: 1.39, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
