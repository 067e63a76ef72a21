import {
  type Algorithm,
  type BufferSpec,
  CONTRACT_VERSION,
  type DispatchStep,
  type Operation,
  type Plan,
  type PortData,
  type Probe,
  type Step,
  type Suite,
  type Verdict,
} from "@tunelab/contract";

/**
 * The toy operation: sum[i] = a[i] + b[i] (and total[i] += a[i], in place) over `n` floats, by several algorithms, most
 * of them broken on purpose.
 */
const DECLARATIONS = `struct Extents { items: u32, first: u32, total: u32, iteration: u32, n: u32 }
@group(0) @binding(0) var<uniform> extents: Extents;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> sum: array<f32>;
@group(0) @binding(4) var<storage, read_write> running: array<f32>;
@group(0) @binding(5) var<storage, read_write> flag: array<u32>;
`;

const text = (body: string): string =>
  `${DECLARATIONS}@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= extents.n) { return; }
  let done = flag[i];
  flag[i] = 1u;
  running[i] = running[i] + a[i];
  ${body}
}

@group(0) @binding(1) var<storage, read_write> marked: array<u32>;
@compute @workgroup_size(64)
fn mark(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < extents.n) { marked[id.x] = 2u; }
}
`;

const BODIES = {
  right: "sum[i] = a[i] + b[i];",
  wrong: "sum[i] = a[i] - b[i];",
  half: "if (i % 2u == 0u) { sum[i] = a[i] + b[i]; }",
  nan: "sum[i] = bitcast<f32>(0x7fc00001u + u32(a[i] > 1e30));",
  inaccurate: "sum[i] = (a[i] + b[i]) * 1.001;",
  untyped: "sum[i] = a[i] + nothing;",
  once: "if (done == 0u) { sum[i] = a[i] + b[i]; }",
  slow: "var x = 0.0; for (var k = 0u; k < 300u; k += 1u) { x = x * 0.5 + a[i]; } sum[i] = a[i] + b[i] + x * 1e-30;",
} as const;

type Name = keyof typeof BODIES | "staged" | "looped" | "greedy" | "malformed" | "throwing" | "huge";

const TEXTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(BODIES).map(([name, body]) => [name, text(body)]),
);

/** One dispatch; `staged` clears in a stage before and copies in a stage after it, `looped` is driven by the host. */
function stepsOf(name: Name, n: number): readonly Step[] {
  const add: DispatchStep = {
    kind: "dispatch",
    stage: "add",
    module: name === "malformed" ? "missing" : "toy",
    entry: "main",
    bindings: [
      { buffer: "a", access: "read" },
      { buffer: "b", access: "read" },
      { buffer: "sum", access: "read-write" },
      { buffer: "running", access: "read-write" },
      { buffer: "flag", access: "read-write" },
    ],
    groups: { fixed: Math.ceil(n / 64) },
  };
  const mark: DispatchStep = {
    ...add,
    stage: "mark",
    entry: "mark",
    bindings: [{ buffer: "flag", access: "read-write" }],
  };
  if (name === "staged") return [mark, add];
  if (name !== "looped") return [add];
  const until = { buffer: "flag", offset: 0, equals: 1 };
  return [{ kind: "loop", stage: "add", steps: [add], maximum: 3, checkEvery: 1, until }];
}

function plan(name: Name, n: number): Plan {
  if (name === "throwing") throw new Error("no plan for this");
  const buffer = (id: string, role: BufferSpec["role"], dtype: BufferSpec["dtype"] = "f32"): BufferSpec => ({
    name: id,
    role,
    dtype,
    fixedBytes: 4 * n,
    itemBytes: 0,
  });
  const huge: BufferSpec = { ...buffer("huge", "scratch"), fixedBytes: 2 ** 40 };
  return {
    contract: CONTRACT_VERSION,
    operation: "toy",
    algorithm: name,
    buffers: [
      buffer("a", "in"),
      buffer("b", "in"),
      buffer("sum", "out"),
      buffer("running", "inout"),
      buffer("flag", "scratch", "u32"),
      ...(name === "huge" ? [huge] : []),
    ],
    modules: [{ name: "toy", wgsl: TEXTS[name] ?? TEXTS.right! }],
    steps: stepsOf(name, n),
    batch: { dimension: "sums", items: 1, order: "independent", quantum: 1, minimum: 1 },
    extents: { n },
    requires: { features: [], limits: {} },
  };
}

function algorithm(name: Name): Algorithm {
  return {
    name,
    space: () => ({
      parameters: [{ name: "workgroup", values: [64, 128], doc: "invocations" }],
      constraints: [
        {
          name: "small",
          doc: "at most 64",
          parameters: ["workgroup"],
          holds: ({ workgroup }) => workgroup === 64,
        },
      ],
    }),
    defaultConfig: () => ({ workgroup: 64 }),
    resources: () => ({
      workgroupBytes: name === "greedy" ? 2 ** 20 : 0,
      invocations: 64,
      scratchBytesPerItem: 0,
      storageBuffers: 5,
      features: [],
    }),
    plan: (problem) => plan(name, Number(problem.n)),
    cost: ({ n }) => ({
      flops: 2 * Number(n),
      requestedBytes: 20 * Number(n),
      compulsoryBytes: 20 * Number(n),
      workgroupBytes: 0,
    }),
  };
}

const names: readonly Name[] = [
  ...(Object.keys(BODIES) as (keyof typeof BODIES)[]),
  "staged",
  "looped",
  "greedy",
  "malformed",
  "throwing",
  "huge",
];

const operation: Operation = {
  name: "toy",
  doc: "adds two vectors",
  dimensions: [{ name: "n", role: "extent", distance: { kind: "log", weight: 1 }, doc: "floats" }],
  refuse: ({ n }) => (Number(n) > 0 ? undefined : `n=${n} is not positive`),
  ports: ({ n }) => {
    const shape = [Number(n)];
    return [
      { name: "a", dtype: "f32", shape, role: "in", doc: "" },
      { name: "b", dtype: "f32", shape, role: "in", doc: "" },
      { name: "sum", dtype: "f32", shape, role: "out", doc: "" },
      { name: "running", dtype: "f32", shape, role: "inout", doc: "" },
    ];
  },
  algorithms: Object.fromEntries(names.map((name) => [name, async () => algorithm(name)])),
  accuracy: { bound: 1e-6, measure: "relative error" },
};

/** What a toy suite was asked for. */
export interface ToyCounts {
  inputs: number;
  oracles: number;
  checks: number;
  /** Samples that oracles were told of ahead. */
  prepared: { readonly count: number; readonly seed: number }[];
}

export interface ToySuite extends Suite {
  readonly counts: ToyCounts;
}

/** The suite, counting what it is asked for. */
export function toySuite(): ToySuite {
  const counts: ToyCounts = { inputs: 0, oracles: 0, checks: 0, prepared: [] };
  return {
    counts,
    operation,
    epoch: 3,
    inputs: ({ n }, seed): PortData => {
      counts.inputs += 1;
      const fill = (k: number) =>
        Float32Array.from({ length: Number(n) }, (_, i) => 1 + ((i * 7 + seed * 13 + k * 5) % 101) / 8);
      return { a: fill(1), b: fill(2), running: fill(3) };
    },
    oracle: ({ n }, { a, b, running }) => {
      counts.oracles += 1;
      return {
        prepare: (sample) => {
          counts.prepared.push(sample);
        },
        check: (outputs, sample): Verdict => {
          counts.checks += 1;
          const total = Number(n);
          let matched = 0;
          let maxError = 0;
          for (let i = 0; i < total; i += 1) {
            const want = a![i]! + b![i]!;
            const error = Math.abs(outputs.sum![i]! - want) / (want || 1);
            const kept = outputs.running![i] === running![i]! + a![i]!;
            if (error < 1e-2 && kept) matched += 1;
            maxError = Math.max(maxError, error);
          }
          const detail = matched === total ? {} : { detail: `${total - matched} sums differ` };
          return { matched, total, sampled: Math.min(total, sample.count), maxError, nearTies: 0, ...detail };
        },
      };
    },
    work: ({ n }) => ({ flops: Number(n), bytes: 12 * Number(n), items: Number(n) }),
    workloads: { quick: [], standard: [], full: [] },
  };
}

/** A probe of `rounds` multiply-adds over `64 * 64 * scale` invocations; `lies` makes its verification fail. */
export function toyProbe(
  options: { readonly name?: string; readonly lies?: boolean; readonly most?: number } = {},
): Probe {
  const rounds = 512;
  const { name = "toy-fma", lies = false, most = 64 } = options;
  const groups = (scale: number): number => 64 * Math.min(most, scale);
  return {
    name,
    ceiling: "fma",
    doc: "multiply-adds",
    amount: (_capabilities, scale) => 2 * rounds * 64 * groups(scale),
    inputs: () => ({}),
    verify: ({ out }) => !lies && out!.every((value) => value === 2),
    plan: (_capabilities, scale) => ({
      contract: CONTRACT_VERSION,
      operation: "probes",
      algorithm: name,
      buffers: [{ name: "out", role: "out", dtype: "f32", fixedBytes: 4 * 64 * groups(scale), itemBytes: 0 }],
      modules: [
        {
          name: "probe",
          wgsl: `struct Extents { items: u32, first: u32, total: u32, iteration: u32, half: u32 }
@group(0) @binding(0) var<uniform> extents: Extents;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let half = f32(extents.half) * 0.5;
  var x = f32(id.x % 7u);
  for (var k = 0u; k < ${rounds}u; k += 1u) { x = x * half + 1.0; }
  out[id.x] = x;
}
`,
        },
      ],
      steps: [
        {
          kind: "dispatch",
          stage: "probe",
          module: "probe",
          entry: "main",
          bindings: [{ buffer: "out", access: "read-write" }],
          groups: { fixed: groups(scale) },
        },
      ],
      batch: { dimension: "runs", items: 1, order: "independent", quantum: 1, minimum: 1 },
      extents: { half: 1 },
      requires: { features: [], limits: {} },
    }),
  };
}
