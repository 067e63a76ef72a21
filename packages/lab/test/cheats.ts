/**
 * An operation whose variants try to fool the laboratory: y = 2 x, honest only with `trick=none`, which is also the slowest. Every
 * other one is fast because it does not do the work.
 */
import type { Algorithm, Operation, Plan, Suite } from "@tunelab/contract";

interface Problem extends Readonly<Record<string, number>> {
  readonly items: number;
}

/** Items of the problem that the tests tune; one trick has the number built in. */
const TIMED_ITEMS = 4096;

const HONEST =
  "var v = x[i]; for (var k = 0u; k < 2000u; k += 1u) { v = v * 1.0000001; } y[i] = 2.0 * x[i] + v * 1e-38;";

/** What each trick does with item i of `extents.items`; `done` is state that is left from run to run. */
const TRICKS: Readonly<Record<string, string>> = {
  none: `if (i < extents.items) { ${HONEST} }`,
  wrong: "if (i < extents.items) { y[i] = 3.0 * x[i]; }",
  half: "if (i < extents.items && i % 2u == 0u) { y[i] = 2.0 * x[i]; }",
  // Has the number of items that is timed built in.
  shape: `if (i < extents.items) { y[i] = 2.0 * x[i] * f32(extents.total == ${TIMED_ITEMS}u); }`,
  // Computes once and keeps the answer: later inputs get the first one's.
  stale: "if (i < extents.items) { if (kept[i] == 0.0) { kept[i] = 2.0 * x[i]; } y[i] = kept[i]; }",
};

const text = (trick: string): string => `struct Extents { items: u32, first: u32, total: u32, iteration: u32 }
@group(0) @binding(0) var<uniform> extents: Extents;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> kept: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let touched = kept[0];
  ${TRICKS[trick]}
}
`;

const only: Algorithm<Problem> = {
  name: "only",
  space: () => ({
    parameters: [{ name: "trick", values: Object.keys(TRICKS), doc: "how it cheats" }],
    constraints: [],
  }),
  defaultConfig: () => ({ trick: "none" }),
  resources: () => ({
    workgroupBytes: 0,
    invocations: 64,
    scratchBytesPerItem: 4,
    storageBuffers: 3,
    features: [],
  }),
  plan: ({ items }, { trick }): Plan => ({
    contract: 1,
    operation: "cheats",
    algorithm: "only",
    buffers: [
      { name: "x", role: "in", dtype: "f32", fixedBytes: 0, itemBytes: 4 },
      { name: "y", role: "out", dtype: "f32", fixedBytes: 0, itemBytes: 4 },
      { name: "kept", role: "scratch", dtype: "f32", fixedBytes: 4 * TIMED_ITEMS, itemBytes: 0 },
    ],
    modules: [{ name: "kernel", wgsl: text(String(trick)) }],
    steps: [
      {
        kind: "dispatch",
        stage: "double",
        module: "kernel",
        entry: "main",
        bindings: [
          { buffer: "x", access: "read" },
          { buffer: "y", access: "read-write" },
          { buffer: "kept", access: "read-write" },
        ],
        groups: { fixed: 0, perItem: { groups: 1, items: 64 } },
      },
    ],
    batch: { dimension: "items", items, order: "independent", quantum: 64, minimum: 64 },
    extents: {},
    requires: { features: [], limits: {} },
  }),
  cost: ({ items }) => ({
    flops: items,
    requestedBytes: 8 * items,
    compulsoryBytes: 8 * items,
    workgroupBytes: 0,
  }),
};

const operation: Operation<Problem> = {
  name: "cheats",
  doc: "y = 2 x",
  dimensions: [{ name: "items", role: "extent", distance: { kind: "log", weight: 1 }, doc: "numbers" }],
  refuse: ({ items }) => (Number(items) >= 1 ? undefined : `items is ${items}`),
  ports: ({ items }) => [
    { name: "x", dtype: "f32", shape: [items], role: "in", doc: "" },
    { name: "y", dtype: "f32", shape: [items], role: "out", doc: "" },
  ],
  algorithms: { only: async () => only as Algorithm<Problem> },
  accuracy: { bound: 1e-6, measure: "relative error" },
};

const suite: Suite<Problem> = {
  operation,
  epoch: 1,
  inputs: ({ items }, seed) => ({
    x: Float32Array.from({ length: items }, (_, at) => 1 + ((at + 31 * seed) % 997)),
  }),
  oracle: ({ items }, { x }) => ({
    check({ y }) {
      let matched = 0;
      for (let at = 0; at < items; at++) if (Math.abs(y![at]! - 2 * x![at]!) <= 1e-6 * x![at]!) matched++;
      const maxError = matched === items ? 0 : Number.POSITIVE_INFINITY;
      return { matched, total: items, sampled: items, maxError, nearTies: 0 };
    },
  }),
  work: ({ items }) => ({ flops: items, bytes: 8 * items, items }),
  workloads: {
    quick: [{ items: TIMED_ITEMS }],
    standard: [{ items: TIMED_ITEMS }],
    full: [{ items: TIMED_ITEMS }],
  },
};

export default suite;
