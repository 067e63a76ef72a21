import {
  type Algorithm,
  CONTRACT_VERSION,
  type Config,
  DEFAULT_CAPABILITIES,
  DEFAULT_LIMITS,
  type DeviceIdentity,
  type DeviceInfo,
  type Operation,
  type Plan,
  PROTOCOL_VERSION,
  type Problem,
  type SessionEvent,
  type SessionEvidence,
  type SessionHeader,
  type Trial,
} from "@tunelab/contract";

export const H200: DeviceIdentity = {
  implementation: "dawn",
  implementationVersion: "0.6.2",
  compiler: "tint",
  backend: "vulkan",
  vendor: "nvidia",
  architecture: "",
  device: "nvidia-h200",
  description: "NVIDIA H200",
  driver: "580.95",
  adapterType: "discrete",
};

export const BIG: DeviceInfo["capabilities"] = {
  features: ["subgroups", "timestamp-query"],
  limits: {
    ...DEFAULT_LIMITS,
    maxComputeWorkgroupStorageSize: 49152,
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupSizeX: 1024,
  },
  subgroup: { minimum: 32, maximum: 32 },
};

export function header(id: string, changes: Partial<SessionHeader> = {}): SessionHeader {
  return {
    id,
    startedAt: "2026-11-30T05:00:00Z",
    protocol: PROTOCOL_VERSION,
    contract: CONTRACT_VERSION,
    toolVersion: "0.1.0",
    commit: `commit-${id}`,
    dirty: false,
    device: { identity: H200, capabilities: BIG },
    deviceSlug: "nvidia-h200",
    profile: "portable",
    toggles: [],
    host: { platform: "linux", runtime: "node", cpu: "EPYC", cores: 16, loadAverage: 0.1 },
    command: { operations: ["scale"], workload: "quick", strategy: "race", budgetMs: 1000, seed: 1 },
    ...changes,
  };
}

/** A certified trial of `plan` whose samples are `us` with the given relative spread. */
export function trial(plan: string, us: number, changes: Partial<Trial> = {}, spread = 0.0005): Trial {
  return {
    id: "",
    session: "",
    sequence: 0,
    measuredAt: "2026-11-30T05:00:00Z",
    operation: "scale",
    algorithm: "plain",
    problem: { n: 64 },
    variant: `plain/${plan}`,
    config: { workgroup: 64 },
    planHash: plan,
    epoch: 1,
    status: "ok",
    grade: "certified",
    isDefault: false,
    timing: {
      clock: "gpu",
      tickNs: 1,
      repeats: 2,
      samplesNs: Array.from({ length: 16 }, (_, index) =>
        Math.round(us * 2000 * (1 + (spread * index) / 15)),
      ),
      rejected: {},
    },
    verdict: { matched: 4, total: 4, sampled: 4, maxError: 1e-7, nearTies: 0 },
    seeds: [1, 2, 3],
    work: { flops: 1000, bytes: 2000, items: 4 },
    resources: { workgroupBytes: 1024, invocations: 64 },
    ...changes,
  };
}

export const quiet: SessionEvent = {
  kind: "noise",
  at: "2026-11-30T05:00:00Z",
  noise: { kernel: "anchor", samplesNs: [1], cv: 0.01, gateReachable: true },
};

export const noisy: SessionEvent = { ...quiet, noise: { ...quiet.noise, gateReachable: false } };

/** A session whose trials are numbered in their order; sequences already given are kept. */
export function session(
  id: string,
  trials: readonly Trial[],
  changes: Partial<SessionHeader> = {},
  events: readonly SessionEvent[] = [quiet],
): SessionEvidence {
  const numbered = trials.map((each, index) => {
    const sequence = each.sequence || index + 1;
    return { ...each, session: id, sequence, id: `${id}.${sequence}` };
  });
  return { header: header(id, changes), events, trials: numbered };
}

export const BOUNDS = { scale: 1e-6 };

/** An operation small enough to reason about: doubles n numbers in one dispatch. */
const scalePlan = (problem: Problem, config: Config): Plan => ({
  contract: CONTRACT_VERSION,
  operation: "scale",
  algorithm: "plain",
  buffers: [
    { name: "data", role: "inout", dtype: "f32", fixedBytes: 0, itemBytes: 4 },
    { name: "spare", role: "scratch", dtype: "f32", fixedBytes: 0, itemBytes: 8 },
  ],
  modules: [
    {
      name: "scale",
      wgsl: `@compute @workgroup_size(${config.workgroup}) fn main() {}`,
    },
  ],
  steps: [
    {
      kind: "dispatch",
      stage: "scale",
      module: "scale",
      entry: "main",
      bindings: [{ buffer: "data", access: "read-write" }],
      groups: { fixed: 0, perItem: { groups: 1, items: Number(config.workgroup) } },
    },
  ],
  batch: { dimension: "n", items: Number(problem.n), order: "independent", quantum: 1, minimum: 1 },
  extents: {},
  requires: { features: [], limits: {} },
});

const plain: Algorithm = {
  name: "plain",
  space: () => ({
    parameters: [{ name: "workgroup", values: [32, 64, 128, 256, 512], doc: "invocations" }],
    constraints: [
      {
        name: "workgroup-fits-n",
        doc: "no invocation idles",
        parameters: ["workgroup"],
        holds: () => true,
      },
    ],
  }),
  defaultConfig: () => ({ workgroup: 64 }),
  resources: (_problem, config) => ({
    workgroupBytes: Number(config.workgroup) * 64,
    invocations: Number(config.workgroup),
    scratchBytesPerItem: 8,
    storageBuffers: 1,
    features: [],
  }),
  plan: scalePlan,
  cost: () => ({ flops: 1, requestedBytes: 1, compulsoryBytes: 1, workgroupBytes: 0 }),
};

export const scale: Operation = {
  name: "scale",
  doc: "doubles numbers",
  dimensions: [
    { name: "kind", role: "trait", distance: { kind: "class" }, doc: "class", default: "dense" },
    { name: "n", role: "extent", distance: { kind: "log", weight: 1 }, doc: "numbers" },
  ],
  refuse: ({ n }) => (Number(n) > 0 ? undefined : `n is ${n}, not positive`),
  ports: ({ n }) => [{ name: "data", dtype: "f32", shape: [Number(n)], role: "inout", doc: "numbers" }],
  algorithms: { plain: async () => plain },
  accuracy: { bound: 1e-6, measure: "relative error" },
};

export { DEFAULT_CAPABILITIES };
