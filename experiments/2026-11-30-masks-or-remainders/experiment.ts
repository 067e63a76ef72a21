import type { Experiment } from "@tunelab/experiment";

const rest = {
  radix: 16,
  staging: "split",
  padding: 0,
  twiddles: "table",
  reduction: "tree",
  tile: 1,
  hoist: false,
};

const experiment: Experiment = {
  question: "Are indexes by shifts and masks faster than by integer division and remainder?",
  hypothesis:
    "Every divisor is a constant power of two, so a compiler makes shifts and masks of both. But the compiler's range analysis follows / and % and not & and |: in the portable profile each masked index of workgroup memory is clamped, and the kernel takes 1.6 times as long. In the native profile nothing is clamped, and this claim fails.",
  source:
    "A matched filter for gravitational waves on a Radeon 8060S (masks gained 20% at 16384 points, in Slang); the H200 with default toggles (masks cost 1.6 times)",
  varies: "how indexes of the exchange and of the twiddles are written",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: ({ n }) =>
    ["modulo", "mask"].map((index) => ({
      name: index === "mask" ? "masks" : "remainders",
      algorithm: "fused",
      config: { ...rest, index, chunk: 16, workgroup: Number(n) / 16 },
    })),
  claims: [
    {
      text: "masks take 1.6 times the remainders where robustness is on",
      figure: "time",
      of: "masks",
      over: "remainders",
      predicted: 1.6,
      theirs: { ratio: 0.83, device: "Radeon 8060S" },
    },
  ],
};

export default experiment;
