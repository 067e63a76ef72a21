import { type Algorithm, CONTRACT_VERSION, type Plan, type Suite } from "@tunelab/contract";

const ITEMS = 256;

const HEADER = `
struct Extents { items: u32, first: u32, total: u32, iteration: u32 }
@group(0) @binding(0) var<uniform> extents: Extents;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= extents.items) { return; }`;

/** Text that takes a software compiler seconds: thousands of unrolled instructions that depend on each other. */
const unrolled = (): string =>
  Array.from({ length: 20_000 }, (_, step) => `  v = sin(v) * ${step}.5 + cos(v);`).join("\n");

const BODIES: Readonly<Record<string, () => string>> = {
  "double-endless-shader": () => "  while (x[id.x] > -1.0) { y[id.x] += 1.0; }",
  "double-unknown-name": () => "  y[id.x] = nobody;",
  "double-slow-compile": () => `  var v = x[id.x];\n${unrolled()}\n  y[id.x] = v;`,
};

/** What an operation does when its inputs are asked for: in the host, after compiling, in the phase `verify`. */
const MISDEEDS: Readonly<Record<string, () => void>> = {
  "double-endless-script": () => {
    for (;;);
  },
  "double-killed": () => process.kill(process.pid, "SIGKILL"),
  "double-aborts": () => process.abort(),
  "double-exits": () => process.exit(3),
  "double-device-lost": () => {
    const { createBuffer } = GPUDevice.prototype;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      GPUDevice.prototype.createBuffer = createBuffer;
      const buffer = createBuffer.call(this, descriptor);
      this.destroy();
      return buffer;
    };
  },
};

/** The text of an operation; one asks for workgroups that no device has. */
function textOf(operation: string): string {
  const text = `${HEADER}\n${BODIES[operation]?.() ?? "  y[id.x] = 2.0 * x[id.x];"}\n}`;
  return operation === "double-too-wide" ? text.replace("size(64)", "size(4096)") : text;
}

const algorithmOf = (operation: string): Algorithm => ({
  name: "only",
  space: () => ({
    parameters: [
      { name: "second", values: [2], doc: "listed first: ids follow the space, not the config" },
      { name: "first", values: [1], doc: "" },
    ],
    constraints: [],
  }),
  defaultConfig: () => ({ second: 2, first: 1 }),
  resources: () => ({
    workgroupBytes: 0,
    invocations: 64,
    scratchBytesPerItem: 0,
    storageBuffers: 2,
    features: [],
  }),
  cost: () => ({ flops: ITEMS, requestedBytes: 8 * ITEMS, compulsoryBytes: 8 * ITEMS, workgroupBytes: 0 }),
  plan: (): Plan => ({
    contract: CONTRACT_VERSION,
    operation,
    algorithm: "only",
    buffers: [
      { name: "x", role: "in", dtype: "f32", fixedBytes: 0, itemBytes: 4 },
      { name: "y", role: "out", dtype: "f32", fixedBytes: 0, itemBytes: 4 },
    ],
    modules: [{ name: "kernel", wgsl: textOf(operation) }],
    steps: [
      {
        kind: "dispatch",
        stage: "double",
        module: "kernel",
        entry: "main",
        bindings: [
          { buffer: "x", access: "read" },
          { buffer: "y", access: "read-write" },
        ],
        groups: { fixed: 0, perItem: { groups: 1, items: 64 } },
      },
    ],
    batch: { dimension: "items", items: ITEMS, order: "independent", quantum: 64, minimum: 64 },
    extents: {},
    requires: { features: [], limits: {} },
  }),
});

export function suiteOf(name: string): Suite {
  return {
    operation: {
      name,
      doc: "y = 2 x",
      dimensions: [],
      refuse: () => undefined,
      ports: () => [
        { name: "x", dtype: "f32", shape: [ITEMS], role: "in", doc: "" },
        { name: "y", dtype: "f32", shape: [ITEMS], role: "out", doc: "" },
      ],
      algorithms: { only: async () => algorithmOf(name) },
      accuracy: { bound: 0, measure: "absolute error" },
    },
    epoch: 7,
    inputs: () => {
      MISDEEDS[name]?.();
      return { x: Float32Array.from({ length: ITEMS }, (_, index) => index) };
    },
    oracle: (_problem, { x }) => ({
      check: ({ y }) => {
        const matched = y ? y.filter((value, index) => value === 2 * x![index]!).length : 0;
        return { matched, total: ITEMS, sampled: ITEMS, maxError: matched === ITEMS ? 0 : 1, nearTies: 0 };
      },
    }),
    work: () => ({ flops: ITEMS, bytes: 8 * ITEMS, items: ITEMS }),
    workloads: { quick: [{}], standard: [{}], full: [{}] },
  };
}
