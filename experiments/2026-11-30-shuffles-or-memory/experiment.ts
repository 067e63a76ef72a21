import type { Experiment } from "@tunelab/experiment";

const rest = {
  butterfly: "split",
  staging: "split",
  padding: 16,
  twiddles: "table",
  reduction: "tree",
  tile: 1,
  hoist: false,
};

/** 16 threads of 16 points each, as many transforms as fill a workgroup; where subgroups are 4 wide, groups of 4 threads. */
const GROUPS = {
  hardware: { radix: 16, workgroup: 16, chunk: 16, transforms: 8, lanes: 16 },
  software: { radix: 4, workgroup: 64, chunk: 4, transforms: 1, lanes: 4 },
} as const;

const experiment: Experiment = {
  question:
    "Do threads of one subgroup exchange their points faster by shuffles than through workgroup memory?",
  hypothesis:
    "Sixteen threads sit inside one subgroup, so the 16 x 16 exchange takes four stages of shuffles and selects, no memory and no barrier. A shuffle costs what an access to memory does, and there are as many; the barriers and the memory that occupancy lacked are what is gained, a tenth.",
  source: "A matched filter for gravitational waves on a Radeon 8060S: named as the next thing to build",
  varies: "what carries points between the passes that meet within neighbouring threads",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 256, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: (_, scale) => {
    const { lanes, ...group } = GROUPS[scale];
    return [0, lanes].map((shuffle) => ({
      name: shuffle ? "shuffles" : "memory",
      algorithm: "fused",
      config: { ...rest, ...group, shuffle },
    }));
  },
  claims: [
    {
      text: "memory takes 1.1 times the shuffles",
      figure: "time",
      of: "memory",
      over: "shuffles",
      predicted: 1.1,
    },
  ],
};

export default experiment;
