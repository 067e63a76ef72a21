import { type BufferSpec, CONTRACT_VERSION, type Dimension, type Plan } from "../../src/index.ts";
import { extentsText, LINEAR_INDEX } from "./extents.ts";

/** D data spectra and T templates of n complex points; each pair gives the peak of |inverse DFT(d conj(h))|. */
export interface MatchedFilterProblem {
  readonly n: number;
  readonly data: number;
  readonly templates: number;
  readonly pairs: number;
  /** Share of pairs that pass the coarse threshold: a trait of the data, it changes no text. */
  readonly survivors?: number;
}

/** The survivor rate is known to cost models and tables, never to the plan. */
export const SURVIVORS: Dimension = {
  name: "survivors",
  role: "trait",
  distance: { kind: "log", weight: 0.5 },
  doc: "Share of pairs whose coarse peak passes the threshold",
  default: 0.03,
};

const NONE = "0xffffffffu";

function portBuffers({ n, data, templates }: MatchedFilterProblem): readonly BufferSpec[] {
  return [
    { name: "data", role: "in", dtype: "f32", fixedBytes: data * n * 8, itemBytes: 0 },
    { name: "templates", role: "in", dtype: "f32", fixedBytes: templates * n * 8, itemBytes: 0 },
    { name: "pairs", role: "in", dtype: "u32", fixedBytes: 0, itemBytes: 8 },
    { name: "index", role: "out", dtype: "u32", fixedBytes: 0, itemBytes: 4 },
    { name: "peak", role: "out", dtype: "f32", fixedBytes: 0, itemBytes: 16 },
  ];
}

/** A direct sum over the first `band` frequencies at every `step`-th lag, and the largest by magnitude. */
const peakText = (n: number, band: number, step: number): string => `
fn filtered(pair: vec2u, lag: u32) -> vec2f {
  var sum = vec2f();
  for (var k = 0u; k < ${band}u; k++) {
    let d = data[pair.x * ${n}u + k];
    let h = templates[pair.y * ${n}u + k];
    let p = vec2f(d.x * h.x + d.y * h.y, d.y * h.x - d.x * h.y);
    let angle = ${(2 * Math.PI) / n}f * f32((k * lag) % ${n}u);
    let w = vec2f(cos(angle), sin(angle));
    sum += vec2f(p.x * w.x - p.y * w.y, p.x * w.y + p.y * w.x);
  }
  return sum;
}
struct Peak { index: u32, value: vec2f, magnitude: f32 }
fn search(pair: vec2u) -> Peak {
  var best = Peak(${NONE}, vec2f(), -1.0);
  for (var j = 0u; j < ${n / step}u; j++) {
    let lag = j * ${step}u;
    let value = filtered(pair, lag);
    let magnitude = length(value);
    if (magnitude > best.magnitude) { best = Peak(lag, value, magnitude); }
  }
  return best;
}`;

const INPUTS = `
@group(0) @binding(1) var<storage, read> data: array<vec2f>;
@group(0) @binding(2) var<storage, read> templates: array<vec2f>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;`;

/** One dispatch, a workgroup a pair. */
export function fusedMatchedFilter(problem: MatchedFilterProblem): Plan {
  const { n } = problem;
  const wgsl = `${extentsText({})}${INPUTS}
@group(0) @binding(4) var<storage, read_write> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> peak: array<vec4f>;
${LINEAR_INDEX}${peakText(n, n, 1)}
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
  let item = linear(id, count);
  if (item >= extents.items) { return; }
  let best = search(pairs[item]);
  index[item] = best.index;
  peak[item] = vec4f(best.value, best.magnitude, 0.0);
}`;
  return {
    contract: CONTRACT_VERSION,
    operation: "matched-filter",
    algorithm: "fused",
    buffers: portBuffers(problem),
    modules: [{ name: "fused", wgsl }],
    steps: [
      {
        kind: "dispatch",
        stage: "filter",
        module: "fused",
        entry: "main",
        groups: { fixed: 0, perItem: { groups: 1, items: 1 } },
        bindings: [
          { buffer: "data", access: "read" },
          { buffer: "templates", access: "read" },
          { buffer: "pairs", access: "read" },
          { buffer: "index", access: "read-write" },
          { buffer: "peak", access: "read-write" },
        ],
      },
    ],
    batch: { dimension: "pairs", items: problem.pairs, order: "independent", quantum: 1, minimum: 1 },
    extents: {},
    requires: { features: [], limits: {} },
  };
}

/**
 * A coarse pass over the low band writes a worklist of survivors; the refining dispatch is sized to it on the device.
 * `threshold` is a magnitude; as an extent it travels as the bits of an f32, so that another one compiles nothing.
 */
export function hierarchicalMatchedFilter(
  problem: MatchedFilterProblem,
  { band, threshold }: { readonly band: number; readonly threshold: number },
): Plan {
  const { n } = problem;
  const extents = { threshold: new Uint32Array(new Float32Array([threshold]).buffer)[0]! };
  const head = `${extentsText(extents)}${INPUTS}
${LINEAR_INDEX}`;
  const coarse = `${head}
@group(0) @binding(4) var<storage, read_write> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> peak: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> worklist: array<u32>;
@group(0) @binding(7) var<storage, read_write> survivors: atomic<u32>;
@group(0) @binding(8) var<storage, read_write> found: atomic<u32>;
${peakText(n, band, n / band)}
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
  let item = linear(id, count);
  if (item >= extents.items) { return; }
  index[item] = ${NONE};
  peak[item] = vec4f();
  if (search(pairs[item]).magnitude >= bitcast<f32>(extents.threshold)) {
    worklist[atomicAdd(&survivors, 1u)] = item;
    atomicAdd(&found, 1u);
  }
}`;
  // The grid of the refining dispatch, folded on the device: x is at most 65535.
  const size = `
@group(0) @binding(1) var<storage, read> survivors: u32;
@group(0) @binding(2) var<storage, read_write> grid: array<u32, 3>;
@compute @workgroup_size(1) fn main() {
  let y = (survivors + 65534u) / 65535u;
  grid = array<u32, 3>(min(survivors, 65535u), max(y, 1u), 1u);
}`;
  const refine = `${head}
@group(0) @binding(4) var<storage, read_write> index: array<u32>;
@group(0) @binding(5) var<storage, read_write> peak: array<vec4f>;
@group(0) @binding(6) var<storage, read> worklist: array<u32>;
@group(0) @binding(7) var<storage, read> survivors: u32;
${peakText(n, n, 1)}
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
  let slot = linear(id, count);
  if (slot >= survivors) { return; }
  let item = worklist[slot];
  let best = search(pairs[item]);
  index[item] = best.index;
  peak[item] = vec4f(best.value, best.magnitude, 0.0);
}`;
  const inputs = [
    { buffer: "data", access: "read" },
    { buffer: "templates", access: "read" },
    { buffer: "pairs", access: "read" },
    { buffer: "index", access: "read-write" },
    { buffer: "peak", access: "read-write" },
  ] as const;
  return {
    contract: CONTRACT_VERSION,
    operation: "matched-filter",
    algorithm: "hierarchical-two-kernel",
    buffers: [
      ...portBuffers(problem),
      { name: "worklist", role: "scratch", dtype: "u32", fixedBytes: 0, itemBytes: 4 },
      { name: "survivors", role: "counter", dtype: "u32", fixedBytes: 4, itemBytes: 0 },
      { name: "grid", role: "counter", dtype: "u32", fixedBytes: 12, itemBytes: 0 },
      {
        name: "found",
        role: "probe",
        dtype: "u32",
        fixedBytes: 4,
        itemBytes: 0,
        fields: { survivors: { offset: 0, dtype: "u32" } },
      },
    ],
    modules: [
      { name: "coarse", wgsl: coarse },
      { name: "size", wgsl: size },
      { name: "refine", wgsl: refine },
    ],
    steps: [
      { kind: "clear", stage: "coarse", buffer: "survivors" },
      {
        kind: "dispatch",
        stage: "coarse",
        module: "coarse",
        entry: "main",
        groups: { fixed: 0, perItem: { groups: 1, items: 1 } },
        bindings: [
          ...inputs,
          { buffer: "worklist", access: "read-write" },
          { buffer: "survivors", access: "read-write" },
          { buffer: "found", access: "read-write" },
        ],
      },
      {
        kind: "dispatch",
        stage: "coarse",
        module: "size",
        entry: "main",
        groups: { fixed: 1 },
        bindings: [
          { buffer: "survivors", access: "read" },
          { buffer: "grid", access: "read-write" },
        ],
      },
      {
        kind: "indirect",
        stage: "refine",
        module: "refine",
        entry: "main",
        arguments: { buffer: "grid", offset: 0 },
        bindings: [
          ...inputs,
          { buffer: "worklist", access: "read" },
          { buffer: "survivors", access: "read" },
        ],
      },
    ],
    batch: { dimension: "pairs", items: problem.pairs, order: "independent", quantum: 1, minimum: 1 },
    extents,
    requires: { features: [], limits: {} },
  };
}
