/**
 * An operation of one's own, whole in one file: transposes a batch of n x n matrices of f32. Tune it with
 *
 *     pnpm tune --kernel ./examples/my-kernel/my-kernel.ts --workload quick
 *
 * The default export is a suite (what the laboratory needs) with its operation (what is computed). Only types are imported, so that
 * the file runs wherever it lies.
 */
import type { Algorithm, Operation, Plan, Suite } from "@tunelab/contract";

interface Problem extends Readonly<Record<string, number>> {
  readonly n: number;
  readonly matrices: number;
}

interface Config extends Readonly<Record<string, number>> {
  readonly tile: number;
  readonly rows: number;
  readonly padding: number;
}

const FLOAT_BYTES = 4;

/** The text of one variant. A workgroup carries one tile through workgroup memory, so that reads and writes are both in rows. */
function text(n: number, { tile, rows, padding }: Config): string {
  const stride = tile + padding;
  const across = n / tile;
  // Unrolled: a step of a loop other than 1 costs a guard counter, and tile / rows is small.
  const steps = Array.from({ length: tile / rows }, (_, step) => step * rows);
  return `struct Extents { items: u32, first: u32, total: u32, iteration: u32 }
@group(0) @binding(0) var<uniform> extents: Extents;
@group(0) @binding(1) var<storage, read> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
var<workgroup> tile: array<f32, ${tile * stride}>;

@compute @workgroup_size(${tile}, ${rows})
fn main(
  @builtin(workgroup_id) id: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  let group = id.x + count.x * (id.y + count.y * id.z);
  if (group >= extents.items * ${across * across}u) { return; }
  let base = (group / ${across * across}u) * ${n * n}u;
  let row = (group % ${across * across}u) / ${across}u * ${tile}u;
  let column = group % ${across}u * ${tile}u;
${steps
  .map(
    (step) =>
      `  tile[(local.y + ${step}u) * ${stride}u + local.x] = matrix[base + (row + local.y + ${step}u) * ${n}u + column + local.x];`,
  )
  .join("\n")}
  workgroupBarrier();
${steps
  .map(
    (step) =>
      `  result[base + (column + local.y + ${step}u) * ${n}u + row + local.x] = tile[local.x * ${stride}u + local.y + ${step}u];`,
  )
  .join("\n")}
}
`;
}

const tiled: Algorithm<Problem, Config> = {
  name: "tiled",
  space: ({ n }) => ({
    parameters: [
      { name: "tile", values: [8, 16, 32], doc: "side of the tile that a workgroup carries" },
      {
        name: "rows",
        values: [2, 4, 8, 16, 32],
        doc: "rows of invocations: each carries tile / rows elements",
      },
      {
        name: "padding",
        values: [0, 1],
        doc: "unused words a row of the tile: 1 keeps columns off one bank",
      },
    ],
    constraints: [
      {
        name: "tile-divides-n",
        doc: "no tile hangs over the edge",
        parameters: ["tile"],
        holds: ({ tile }) => n % tile === 0,
      },
      {
        name: "rows-fit-tile",
        doc: "each invocation carries at least one element",
        parameters: ["tile", "rows"],
        holds: ({ tile, rows }) => rows <= tile,
      },
    ],
  }),
  defaultConfig: ({ n }) => ({ tile: n % 16 === 0 ? 16 : 8, rows: 8, padding: 0 }),
  resources: (_problem, { tile, rows, padding }) => ({
    workgroupBytes: tile * (tile + padding) * FLOAT_BYTES,
    invocations: tile * rows,
    scratchBytesPerItem: 0,
    storageBuffers: 2,
    features: [],
  }),
  plan({ n, matrices }, config): Plan {
    const bytes = n * n * FLOAT_BYTES;
    return {
      contract: 1,
      operation: operation.name,
      algorithm: "tiled",
      buffers: [
        { name: "matrix", role: "in", dtype: "f32", fixedBytes: 0, itemBytes: bytes },
        { name: "result", role: "out", dtype: "f32", fixedBytes: 0, itemBytes: bytes },
      ],
      modules: [{ name: "kernel", wgsl: text(n, config) }],
      steps: [
        {
          kind: "dispatch",
          stage: "move",
          module: "kernel",
          entry: "main",
          bindings: [
            { buffer: "matrix", access: "read" },
            { buffer: "result", access: "read-write" },
          ],
          groups: { fixed: 0, perItem: { groups: (n / config.tile) ** 2, items: 1 } },
        },
      ],
      batch: { dimension: "matrices", items: matrices, order: "independent", quantum: 1, minimum: 1 },
      extents: {},
      requires: { features: [], limits: {} },
    };
  },
  cost: ({ n, matrices }) => ({
    flops: 0,
    requestedBytes: 2 * n * n * matrices * FLOAT_BYTES,
    compulsoryBytes: 2 * n * n * matrices * FLOAT_BYTES,
    workgroupBytes: 2 * n * n * matrices * FLOAT_BYTES,
  }),
};

export const operation: Operation<Problem> = {
  name: "batched-transpose",
  doc: "transposes a batch of n x n matrices",
  dimensions: [
    {
      name: "n",
      role: "shape",
      distance: { kind: "log", weight: 1 },
      doc: "side of a matrix, a multiple of 8",
    },
    {
      name: "matrices",
      role: "extent",
      distance: { kind: "log", weight: 0.5 },
      doc: "matrices",
      default: 16,
    },
  ],
  refuse({ n, matrices }) {
    if (!Number.isInteger(n) || Number(n) < 8 || Number(n) % 8 !== 0) return `n is ${n}, not a multiple of 8`;
    if (!Number.isInteger(matrices) || Number(matrices) < 1) return `matrices is ${matrices}, not 1 or more`;
    return undefined;
  },
  ports: ({ n, matrices }) => [
    { name: "matrix", dtype: "f32", shape: [matrices, n, n], role: "in", doc: "row after row" },
    {
      name: "result",
      dtype: "f32",
      shape: [matrices, n, n],
      role: "out",
      doc: "element (i, j) at (j, i)",
    },
  ],
  algorithms: { tiled: async () => tiled as Algorithm<Problem> },
  accuracy: { bound: 0, measure: "absolute error" },
};

const suite: Suite<Problem> = {
  operation,
  epoch: 1,
  // Every element is another number, so that one in the wrong place is seen; the seed shifts them.
  inputs: ({ n, matrices }, seed) => ({
    matrix: Float32Array.from({ length: n * n * matrices }, (_, at) => (at + 7919 * seed) % 16_777_213),
  }),
  oracle: ({ n, matrices }, { matrix }) => ({
    check({ result }) {
      let matched = 0;
      let detail: string | undefined;
      for (let item = 0; item < matrices; item++) {
        const wrong = firstWrong(matrix as Float32Array, result as Float32Array, n, item * n * n);
        if (wrong === undefined) matched++;
        else detail ??= `matrix ${item}: ${wrong}`;
      }
      const maxError = matched === matrices ? 0 : Number.POSITIVE_INFINITY;
      const verdict = { matched, total: matrices, sampled: matrices, maxError, nearTies: 0 };
      return detail === undefined ? verdict : { ...verdict, detail };
    },
  }),
  work: ({ n, matrices }) => ({ flops: 0, bytes: 2 * n * n * matrices * FLOAT_BYTES, items: matrices }),
  // Figures of one's own: shown and stored with every trial, and `--objective memory` searches for the least of one.
  metrics: [
    {
      name: "bandwidth",
      unit: "GB/s",
      doc: "bytes read and written over the fastest sample",
      better: "higher",
      of: ({ timing, work }) => timing && (work.bytes * timing.repeats) / Math.min(...timing.samplesNs),
    },
    {
      name: "memory",
      unit: "bytes",
      doc: "workgroup memory of the variant",
      better: "lower",
      of: ({ resources }) => resources?.workgroupBytes,
    },
  ],
  workloads: {
    quick: [{ n: 64, matrices: 16 }],
    standard: [
      { n: 256, matrices: 256 },
      { n: 1024, matrices: 64 },
    ],
    full: [
      { n: 64, matrices: 4096 },
      { n: 256, matrices: 256 },
      { n: 1024, matrices: 64 },
    ],
  },
};

/** The first element of one matrix that is not where it belongs, in words. */
function firstWrong(matrix: Float32Array, result: Float32Array, n: number, base: number): string | undefined {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const [found, wanted] = [result[base + j * n + i], matrix[base + i * n + j]];
      if (found !== wanted) return `(${j}, ${i}) is ${found}, not ${wanted}`;
    }
  }
  return undefined;
}

export default suite;
