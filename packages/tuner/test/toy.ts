import {
  type Algorithm,
  CONTRACT_VERSION,
  type Plan,
  type Problem,
  type Resources,
  type Suite,
} from "@tunelab/contract";

const values = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const RESOURCES: Resources = {
  workgroupBytes: 0,
  invocations: 64,
  scratchBytesPerItem: 0,
  storageBuffers: 1,
  features: [],
};

/** An algorithm with the parameters `x` (20 values), `label` (which no plan shows) and `memory` in bytes. */
export function algorithmNamed(name: string, override: Partial<Algorithm> = {}): Algorithm {
  return {
    name,
    space: () => ({
      parameters: [
        { name: "x", values: values(20), doc: "changes the text" },
        { name: "label", values: ["a", "b"], doc: "changes nothing" },
        { name: "memory", values: [0, 1_024, 65_536], unit: "bytes", doc: "more than a device grants" },
      ],
      constraints: [],
    }),
    defaultConfig: () => ({ x: 7, label: "a", memory: 0 }),
    resources: (_, config) => ({ ...RESOURCES, workgroupBytes: Number(config.memory) }),
    cost: () => ({ flops: 1, requestedBytes: 1, compulsoryBytes: 1, workgroupBytes: 0 }),
    plan: (problem, config): Plan => ({
      contract: CONTRACT_VERSION,
      operation: "toy",
      algorithm: name,
      buffers: [],
      modules: [{ name: "kernel", wgsl: `${name} ${config.x} ${config.memory} ${problem.n}` }],
      steps: [],
      batch: { dimension: "items", items: 1, order: "independent", quantum: 1, minimum: 1 },
      extents: {},
      requires: { features: [], limits: {} },
    }),
    ...override,
  };
}

export interface ToyOptions {
  readonly epoch?: number;
  readonly algorithms?: readonly Algorithm[];
}

/** An operation that refuses odd sizes and costs `n` FLOPs. */
export function toySuite({ epoch = 1, algorithms = [algorithmNamed("only")] }: ToyOptions = {}): Suite {
  return {
    operation: {
      name: "toy",
      doc: "",
      dimensions: [{ name: "n", role: "shape", distance: { kind: "exact" }, doc: "" }],
      refuse: ({ n }) => (Number(n) % 2 === 0 ? undefined : `n is ${n}, which is odd`),
      ports: () => [],
      algorithms: Object.fromEntries(algorithms.map((one) => [one.name, async () => one])),
      accuracy: { bound: 1, measure: "none" },
    },
    epoch,
    inputs: () => ({}),
    oracle: () => ({ check: () => ({ matched: 1, total: 1, sampled: 1, maxError: 0, nearTies: 0 }) }),
    work: ({ n }) => ({ flops: Number(n), bytes: Number(n), items: 1 }),
    workloads: { quick: [], standard: [], full: [] },
  };
}

export const sized = (...sizes: readonly number[]): readonly Problem[] => sizes.map((n) => ({ n }));
