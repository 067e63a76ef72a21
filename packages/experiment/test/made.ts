import {
  type Algorithm,
  CONTRACT_VERSION,
  DEFAULT_CAPABILITIES,
  type Operation,
  PROTOCOL_VERSION,
  type SessionEvidence,
  type Trial,
} from "@tunelab/contract";
import {
  commandWords,
  EXPERIMENT_WORKLOAD,
  type Experiment,
  type ExperimentRun,
  type NamedExperiment,
  schedule,
} from "../src/index.ts";

export const NAME = "2026-11-30-width";

export const plain: Algorithm = {
  name: "plain",
  space: () => ({
    parameters: [
      { name: "width", values: [1, 2, 4], doc: "" },
      { name: "pad", values: [0, 8], doc: "" },
    ],
    constraints: [],
  }),
  defaultConfig: () => ({ width: 1, pad: 8 }),
  resources: () => ({
    workgroupBytes: 0,
    invocations: 1,
    scratchBytesPerItem: 0,
    storageBuffers: 1,
    features: [],
  }),
  plan: () => ({}) as never,
  cost: () => ({ flops: 1, requestedBytes: 1, compulsoryBytes: 1, workgroupBytes: 0 }),
};

export const operation: Operation = {
  name: "scale",
  doc: "",
  dimensions: [{ name: "n", role: "shape", distance: { kind: "exact" }, doc: "numbers" }],
  accuracy: { bound: 1e-6, measure: "error" },
  refuse: ({ n }) => (Number(n) > 0 ? undefined : `scale: n is ${n}`),
  ports: () => [],
  algorithms: { plain: async () => plain },
};

export function experiment(more: Partial<Experiment> = {}): Experiment {
  return {
    question: "Does width pay?",
    hypothesis: "Half the time.",
    varies: "width",
    operation: "scale",
    problems: { software: { n: 8 }, hardware: { n: 4096 } },
    arms: () => [
      { name: "narrow", algorithm: "plain", config: { width: 1, pad: 0 } },
      { name: "wide", algorithm: "plain", config: { width: 4, pad: 0 } },
    ],
    claims: [{ text: "narrow takes twice wide", figure: "time", of: "narrow", over: "wide", predicted: 2 }],
    ...more,
  };
}

export const named = (more: Partial<Experiment> = {}): NamedExperiment => ({
  name: NAME,
  experiment: experiment(more),
});

/** A session that ran `experiments` for so many rounds, every arm in the microseconds that `us` gives. */
export function evidence(
  experiments: readonly NamedExperiment[],
  us: (arm: string, round: number) => number,
  rounds = 8,
  id = "01M8NJP7H4341XK7RTPXBHPT83",
): SessionEvidence {
  const trials = schedule(experiments, "hardware", rounds).map(
    ({ request, arm, round }, sequence): Trial => ({
      ...request,
      id: `${id}.${sequence}`,
      session: id,
      sequence,
      measuredAt: "2026-11-30T05:00:00Z",
      variant: `plain/width=${request.config.width}`,
      planHash: arm.name,
      epoch: 1,
      status: "ok",
      timing: {
        clock: "gpu",
        tickNs: 1,
        repeats: 1,
        samplesNs: [us(arm.name, round) * 1000],
        rejected: {},
      },
      verdict: { matched: 4, total: 4, sampled: 4, maxError: arm.name === "wide" ? 1e-7 : 4e-7, nearTies: 0 },
      work: { flops: 1, bytes: 1, items: Number(request.problem.n) },
    }),
  );
  return {
    header: {
      id,
      startedAt: "2026-11-30T05:00:00Z",
      protocol: PROTOCOL_VERSION,
      contract: CONTRACT_VERSION,
      toolVersion: "0.1.0",
      commit: "abcdef0123456789",
      dirty: false,
      device: {
        identity: {
          implementation: "dawn",
          implementationVersion: "0.6.2",
          compiler: "tint",
          backend: "vulkan",
          vendor: "nvidia",
          architecture: "",
          device: "nvidia-h200",
          description: "NVIDIA H200",
          driver: "580",
          adapterType: "discrete",
        },
        capabilities: DEFAULT_CAPABILITIES,
      },
      deviceSlug: "nvidia-h200",
      profile: "portable",
      toggles: [],
      host: { platform: "linux", runtime: "node", cpu: "EPYC", cores: 16, loadAverage: 0.1 },
      command: {
        operations: ["scale"],
        workload: EXPERIMENT_WORKLOAD,
        strategy: commandWords(
          experiments.map(({ name }) => name),
          "hardware",
          rounds,
        ),
        budgetMs: 0,
        seed: 1,
      },
    },
    events: [
      {
        kind: "noise",
        at: "2026-11-30T05:00:00Z",
        noise: { kernel: "fma", samplesNs: [1], cv: 0.001, gateReachable: true },
      },
    ],
    trials,
  };
}

/** A run whose arms took these times, round by round. */
export function run(
  times: Readonly<Record<string, readonly (number | null)[]>>,
  more: Partial<ExperimentRun> = {},
): ExperimentRun {
  return {
    session: "01M8NJP7H4341XK7RTPXBHPT83",
    startedAt: "2026-11-30T05:00:00Z",
    commit: "abcdef0123456789",
    dirty: false,
    deviceSlug: "nvidia-h200",
    device: "NVIDIA H200",
    driver: "580",
    implementation: "dawn 0.6.2",
    compiler: "tint",
    backend: "vulkan",
    software: false,
    profile: "portable",
    scale: "hardware",
    gateReachable: true,
    rounds: 8,
    arms: Object.entries(times).map(([name, timesUs]) => ({
      name,
      variant: `plain/${name}`,
      problem: { n: 4096 },
      planHash: name,
      status: "ok",
      items: 4,
      matched: 4,
      total: 4,
      error: 1e-7,
      timesUs,
    })),
    ...more,
  };
}
