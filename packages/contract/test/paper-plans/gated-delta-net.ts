import {
  type Binding,
  type BufferSpec,
  CONTRACT_VERSION,
  type DispatchStep,
  type Plan,
} from "../../src/index.ts";
import { extentsText } from "./extents.ts";

/** Prefill of one layer: `heads` heads with keys and values of d channels each, T tokens. */
export interface DeltaProblem {
  readonly heads: number;
  readonly d: number;
  readonly tokens: number;
}

/** Width of the causal convolution; its history is the WIDTH - 1 tokens before the piece. */
const WIDTH = 4;

/**
 * Tokens are the batch, cut in order: the convolution's history and the recurrence's state are inout and carried from
 * piece to piece. The results of stages are scratch with ports, so that parity compares them bit by bit.
 */
function buffers({ heads, d }: DeltaProblem): readonly BufferSpec[] {
  const token = heads * d * 4;
  const port = (name: string, role: "in" | "out" | "scratch", itemBytes: number): BufferSpec => ({
    name,
    role,
    dtype: "f32",
    fixedBytes: 0,
    itemBytes,
    port: name,
  });
  return [
    port("qkv", "in", 3 * token),
    port("gates", "in", heads * 8), // decay g and beta of each head
    port("z", "in", token),
    { name: "kernel", role: "in", dtype: "f32", fixedBytes: 3 * token * WIDTH, itemBytes: 0 },
    { name: "weight", role: "in", dtype: "f32", fixedBytes: d * 4, itemBytes: 0 },
    { name: "history", role: "inout", dtype: "f32", fixedBytes: 3 * token * (WIDTH - 1), itemBytes: 0 },
    { name: "state", role: "inout", dtype: "f32", fixedBytes: token * d, itemBytes: 0 },
    port("conv", "scratch", 3 * token),
    port("o", "scratch", token),
    port("y", "out", token),
  ];
}

const shape = ({ heads, d }: DeltaProblem): string => `${extentsText({})}
const HEADS = ${heads}u; const D = ${d}u; const CHANNELS = ${3 * heads * d}u; const WIDTH = ${WIDTH}u;`;

const declare = (bindings: readonly Binding[], start = 1): string =>
  bindings
    .map(({ buffer, access }, index) => {
      const mode = access === "read" ? "read" : "read_write";
      return `@group(0) @binding(${index + start}) var<storage, ${mode}> ${buffer}: array<f32>;`;
    })
    .join("\n");

/** Value of a channel `back` tokens before the piece's token t: from the piece, else from the history. */
const PAST = `
fn past(t: u32, channel: u32, back: u32) -> f32 {
  if (t >= back) { return qkv[(t - back) * CHANNELS + channel]; }
  return history[(WIDTH - 1u + t - back) * CHANNELS + channel];
}`;

const convText = `${PAST}
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u) {
  let t = id.x / (3u * HEADS);
  let row = id.x % (3u * HEADS); // q heads, k heads, v heads
  if (t >= extents.items) { return; }
  var square = 0.0;
  for (var j = 0u; j < D; j++) {
    let channel = row * D + j;
    var sum = 0.0;
    for (var back = 0u; back < WIDTH; back++) {
      sum += past(t, channel, back) * kernel[channel * WIDTH + (WIDTH - 1u) - back];
    }
    let x = sum / (1.0 + exp(-sum));
    conv[t * CHANNELS + channel] = x;
    square += x * x;
  }
  if (row < 2u * HEADS) { // q and k have unit length
    let scale = inverseSqrt(square + 1e-6);
    for (var j = 0u; j < D; j++) { conv[t * CHANNELS + row * D + j] *= scale; }
  }
}`;

/** The last WIDTH - 1 tokens of past and piece become the history of the next; fewer tokens than that shift it. */
const shiftText = `${PAST}
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u) {
  var next: array<f32, ${WIDTH - 1}>;
  for (var back = 1u; back < WIDTH; back++) { next[WIDTH - 1u - back] = past(extents.items, id.x, back); }
  for (var i = 0u; i < WIDTH - 1u; i++) { history[i * CHANNELS + id.x] = next[i]; }
}`;

/** One thread a column of a head's state; `block` tokens are read ahead, the order of additions stays. */
const scanText = (block: number): string => `
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u) {
  let head = id.x / D;
  let column = id.x % D;
  let base = head * D * D + column;
  for (var start = 0u; start < (extents.items + ${block - 1}u) / ${block}u; start++) {
    for (var k = 0u; k < ${block}u; k++) {
      let t = start * ${block}u + k;
      if (t >= extents.items) { break; }
      let decay = exp(gates[(t * HEADS + head) * 2u]);
      let beta = gates[(t * HEADS + head) * 2u + 1u];
      let q = t * CHANNELS + head * D;
      let key = q + HEADS * D;
      let v = conv[key + HEADS * D + column];
      var recalled = 0.0;
      for (var i = 0u; i < D; i++) {
        let s = state[base + i * D] * decay;
        state[base + i * D] = s;
        recalled += s * conv[key + i];
      }
      let u = beta * (v - recalled);
      var sum = 0.0;
      for (var i = 0u; i < D; i++) {
        let s = state[base + i * D] + conv[key + i] * u;
        state[base + i * D] = s;
        sum += s * conv[q + i];
      }
      o[(t * HEADS + head) * D + column] = sum;
    }
  }
}`;

const postText = `
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u) {
  if (id.x >= extents.items * HEADS) { return; }
  let base = id.x * D;
  var square = 0.0;
  for (var j = 0u; j < D; j++) { square += o[base + j] * o[base + j]; }
  let scale = inverseSqrt(square / f32(D) + 1e-6);
  for (var j = 0u; j < D; j++) {
    let gate = z[base + j];
    y[base + j] = o[base + j] * scale * weight[j] * gate / (1.0 + exp(-gate));
  }
}`;

/** `block` tokens a step of the scan; all blocks promise the same bits, in the intermediates too. */
export function gatedDeltaNet(problem: DeltaProblem, block: number): Plan {
  const { heads, d } = problem;
  const read = (buffer: string): Binding => ({ buffer, access: "read" });
  const write = (buffer: string): Binding => ({ buffer, access: "read-write" });
  const modules: { name: string; wgsl: string }[] = [];
  const dispatch = (
    stage: string,
    name: string,
    text: string,
    groups: DispatchStep["groups"],
    bindings: readonly Binding[],
  ): DispatchStep => {
    modules.push({ name, wgsl: `${shape(problem)}\n${declare(bindings)}\n${text}` });
    return { kind: "dispatch", stage, module: name, entry: "main", groups, bindings };
  };
  const each = (groups: number): DispatchStep["groups"] => ({ fixed: 0, perItem: { groups, items: 1 } });
  const steps = [
    dispatch("pre", "conv", convText, each(3 * heads), [
      read("qkv"),
      read("kernel"),
      read("history"),
      write("conv"),
    ]),
    dispatch("pre", "shift", shiftText, { fixed: 3 * heads * d }, [read("qkv"), write("history")]),
    dispatch("scan", "scan", scanText(block), { fixed: heads * d }, [
      read("conv"),
      read("gates"),
      write("state"),
      write("o"),
    ]),
    dispatch("post", "post", postText, each(heads), [read("o"), read("z"), read("weight"), write("y")]),
  ];
  return {
    contract: CONTRACT_VERSION,
    operation: "gated-delta-net",
    algorithm: "recurrent",
    buffers: buffers(problem),
    modules,
    steps,
    batch: {
      dimension: "tokens",
      items: problem.tokens,
      order: "carried",
      quantum: block,
      minimum: Math.min(problem.tokens, WIDTH - 1),
    },
    extents: {},
    requires: { features: [], limits: {} },
  };
}
