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
  question: "How many pairs does a dispatch need before its time says something of the algorithm?",
  hypothesis:
    "A workgroup a pair: 512 pairs do not fill the device, so a pair costs more there than among 8192, and from some thousands on the cost of a pair stands still.",
  source: "A matched filter for gravitational waves on a Radeon 8060S (Slang, 40 compute units)",
  varies: "pairs in one dispatch, the kernel and its data unchanged",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }, scale) => {
    const config = { ...rest, workgroup: Number(n) / 16 };
    const counts = scale === "hardware" ? [512, 2048, 8192, 32_768] : [1, 4, 16, 64];
    const names = ["least", "few", "many", "most"];
    return counts.map((pairs, index) => ({
      name: names[index]!,
      algorithm: "fused",
      config,
      problem: { pairs },
    }));
  },
  claims: [
    {
      text: "a pair among the fewest costs 1.5 times one among the most",
      figure: "time-per-item",
      of: "least",
      over: "most",
      predicted: 1.5,
      theirs: { ratio: 1.25, device: "Radeon 8060S, 2048 against 262144 pairs" },
    },
    {
      text: "from a quarter of the most on, a pair costs the same",
      figure: "time-per-item",
      of: "many",
      over: "most",
      predicted: 1,
      within: 0.05,
    },
  ],
};

export default experiment;
