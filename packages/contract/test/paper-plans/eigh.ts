import { type BufferSpec, CONTRACT_VERSION, type DispatchStep, type Plan } from "../../src/index.ts";
import { extentsText, LINEAR_INDEX } from "./extents.ts";

/** A batch of symmetric n x n matrices; eigenvalues unsorted, eigenvectors in the columns of `vectors`. */
export interface EighProblem {
  readonly n: number;
  readonly matrices: number;
}

/** Sum of squares off the diagonal, relative to all, at which a matrix counts as diagonal. */
export const OFF_NORM = 1e-12;

const BUFFERS = ({ n }: EighProblem): readonly BufferSpec[] => [
  // The matrix is diagonalised in place: inout, so that every timed repeat starts from the same one.
  { name: "matrix", role: "inout", dtype: "f32", fixedBytes: 0, itemBytes: n * n * 4 },
  { name: "values", role: "out", dtype: "f32", fixedBytes: 0, itemBytes: n * 4 },
  { name: "vectors", role: "out", dtype: "f32", fixedBytes: 0, itemBytes: n * n * 4 },
  { name: "iterations", role: "out", dtype: "u32", fixedBytes: 0, itemBytes: 4 },
  { name: "unfinished", role: "counter", dtype: "u32", fixedBytes: 4, itemBytes: 0 },
  {
    name: "report",
    role: "probe",
    dtype: "u32",
    fixedBytes: 12,
    itemBytes: 0,
    fields: {
      offNorm: { offset: 0, dtype: "f32" },
      iterations: { offset: 4, dtype: "u32" },
      unfinished: { offset: 8, dtype: "u32" },
    },
  },
];

const MAIN = `@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
  let item = linear(id, count);
  if (item >= extents.items) { return; }`;

/** Annihilates the entry (p, q) of a symmetric matrix: Golub and Van Loan, Matrix Computations, algorithm 8.4.1. */
const TURN = `
struct Turn { c: f32, s: f32 }
fn turn(pp: f32, pq: f32, qq: f32) -> Turn {
  if (abs(pq) < 1e-30) { return Turn(1.0, 0.0); }
  let theta = (qq - pp) / (2.0 * pq);
  let t = select(-1.0, 1.0, theta >= 0.0) / (abs(theta) + sqrt(theta * theta + 1.0));
  let c = inverseSqrt(t * t + 1.0);
  return Turn(c, t * c);
}`;

const startText = (n: number): string => `${extentsText({})}
@group(0) @binding(1) var<storage, read_write> vectors: array<f32>;
@group(0) @binding(2) var<storage, read_write> iterations: array<u32>;
${LINEAR_INDEX}
${MAIN}
  iterations[item] = 1u;
  for (var i = 0u; i < ${n * n}u; i++) {
    vectors[item * ${n * n}u + i] = select(0.0, 1.0, i / ${n}u == i % ${n}u);
  }
}`;

const offNormText = (n: number): string => `
fn offNorm(item: u32) -> f32 {
  var off = 0.0;
  var all = 0.0;
  for (var i = 0u; i < ${n * n}u; i++) {
    let square = matrix[item * ${n * n}u + i] * matrix[item * ${n * n}u + i];
    all += square;
    if (i / ${n}u != i % ${n}u) { off += square; }
  }
  return off / max(all, 1e-30);
}`;

/** Counts the matrices that are not diagonal yet; the iteration index from the extents says how far they got. */
const checkText = (n: number): string => `${extentsText({})}
@group(0) @binding(1) var<storage, read> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> iterations: array<u32>;
@group(0) @binding(3) var<storage, read_write> unfinished: atomic<u32>;
${LINEAR_INDEX}${offNormText(n)}
${MAIN}
  if (offNorm(item) > ${OFF_NORM}) {
    atomicAdd(&unfinished, 1u);
    iterations[item] = extents.iteration + 2u; // it takes one more than this
  }
}`;

const finishText = (n: number): string => `${extentsText({})}
@group(0) @binding(1) var<storage, read> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> values: array<f32>;
@group(0) @binding(3) var<storage, read> iterations: array<u32>;
@group(0) @binding(4) var<storage, read_write> report: array<atomic<u32>, 3>;
${LINEAR_INDEX}${offNormText(n)}
${MAIN}
  for (var i = 0u; i < ${n}u; i++) { values[item * ${n}u + i] = matrix[item * ${n * n}u + i * ${n + 1}u]; }
  let off = offNorm(item);
  atomicMax(&report[0], bitcast<u32>(off)); // the bits of non-negative floats order as they do
  atomicMax(&report[1], iterations[item]);
  if (off > ${OFF_NORM}) { atomicAdd(&report[2], 1u); }
}`;

const STATE = `
@group(0) @binding(1) var<storage, read_write> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> vectors: array<f32>;
@group(0) @binding(3) var<storage, read> iterations: array<u32>;`;

/** A diagonal matrix is left alone, so that its bits do not depend on the others in its piece. */
const SKIP_FINISHED = "if (iterations[item] <= extents.iteration) { return; }";

/** One thread a matrix; an iteration is a cyclic sweep over all pairs. */
const scalarText = (n: number): string => `${extentsText({})}${STATE}
${LINEAR_INDEX}${TURN}
${MAIN}
  ${SKIP_FINISHED}
  let base = item * ${n * n}u;
  for (var p = 0u; p < ${n - 1}u; p++) {
    for (var q = p + 1u; q < ${n}u; q++) {
      let by = turn(matrix[base + p * ${n + 1}u], matrix[base + p * ${n}u + q], matrix[base + q * ${n + 1}u]);
      for (var i = 0u; i < ${n}u; i++) {
        let x = matrix[base + i * ${n}u + p];
        let y = matrix[base + i * ${n}u + q];
        matrix[base + i * ${n}u + p] = by.c * x - by.s * y;
        matrix[base + i * ${n}u + q] = by.s * x + by.c * y;
        let v = vectors[base + i * ${n}u + p];
        let w = vectors[base + i * ${n}u + q];
        vectors[base + i * ${n}u + p] = by.c * v - by.s * w;
        vectors[base + i * ${n}u + q] = by.s * v + by.c * w;
      }
      for (var i = 0u; i < ${n}u; i++) {
        let x = matrix[base + p * ${n}u + i];
        let y = matrix[base + q * ${n}u + i];
        matrix[base + p * ${n}u + i] = by.c * x - by.s * y;
        matrix[base + q * ${n}u + i] = by.s * x + by.c * y;
      }
    }
  }
}`;

/**
 * A workgroup a matrix, a thread a pair of 2-column blocks; an iteration is one round of the tournament, in which every
 * block meets one other. A thread diagonalises its 4 x 4 subproblem in registers, then applies what it gathered to its
 * columns and, after all have, to its rows.
 */
const blockText = (n: number): string => {
  const blocks = n / 2;
  return `${extentsText({})}${STATE}
${LINEAR_INDEX}${TURN}
fn player(seat: u32) -> u32 { // seat 0 stays, the others move one on each round
  if (seat == 0u) { return 0u; }
  return (seat - 1u + extents.iteration) % ${blocks - 1}u + 1u;
}
@compute @workgroup_size(${blocks / 2})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) t: u32) {
  let item = linear(id, count);
  if (item >= extents.items) { return; }
  ${SKIP_FINISHED}
  let base = item * ${n * n}u;
  let a = player(t);
  let b = player(${blocks - 1}u - t);
  let line = array<u32, 4>(2u * a, 2u * a + 1u, 2u * b, 2u * b + 1u);
  var s: array<array<f32, 4>, 4>;
  var u: array<array<f32, 4>, 4>;
  for (var i = 0u; i < 4u; i++) {
    for (var j = 0u; j < 4u; j++) {
      s[i][j] = matrix[base + line[i] * ${n}u + line[j]];
      u[i][j] = select(0.0, 1.0, i == j);
    }
  }
  for (var p = 0u; p < 3u; p++) {
    for (var q = p + 1u; q < 4u; q++) {
      let by = turn(s[p][p], s[p][q], s[q][q]);
      for (var i = 0u; i < 4u; i++) {
        let x = s[i][p];
        s[i][p] = by.c * x - by.s * s[i][q];
        s[i][q] = by.s * x + by.c * s[i][q];
        let v = u[i][p];
        u[i][p] = by.c * v - by.s * u[i][q];
        u[i][q] = by.s * v + by.c * u[i][q];
      }
      for (var i = 0u; i < 4u; i++) {
        let x = s[p][i];
        s[p][i] = by.c * x - by.s * s[q][i];
        s[q][i] = by.s * x + by.c * s[q][i];
      }
    }
  }
  storageBarrier(); // every thread has read its subproblem
  for (var i = 0u; i < ${n}u; i++) {
    var row: vec4f;
    var basis: vec4f;
    for (var j = 0u; j < 4u; j++) {
      row[j] = matrix[base + i * ${n}u + line[j]];
      basis[j] = vectors[base + i * ${n}u + line[j]];
    }
    for (var j = 0u; j < 4u; j++) {
      let by = vec4f(u[0][j], u[1][j], u[2][j], u[3][j]);
      matrix[base + i * ${n}u + line[j]] = dot(row, by);
      vectors[base + i * ${n}u + line[j]] = dot(basis, by);
    }
  }
  storageBarrier(); // columns before rows
  for (var i = 0u; i < ${n}u; i++) {
    var column: vec4f;
    for (var j = 0u; j < 4u; j++) { column[j] = matrix[base + line[j] * ${n}u + i]; }
    for (var j = 0u; j < 4u; j++) {
      matrix[base + line[j] * ${n}u + i] = dot(column, vec4f(u[0][j], u[1][j], u[2][j], u[3][j]));
    }
  }
}`;
};

interface Form {
  readonly algorithm: string;
  readonly wgsl: string;
  readonly maximum: number;
  readonly checkEvery: number;
}

function eigh(problem: EighProblem, form: Form): Plan {
  const dispatch = (stage: string, module: string, bindings: DispatchStep["bindings"]): DispatchStep => ({
    kind: "dispatch",
    stage,
    module,
    entry: "main",
    groups: { fixed: 0, perItem: { groups: 1, items: 1 } },
    bindings,
  });
  return {
    contract: CONTRACT_VERSION,
    operation: "eigh",
    algorithm: form.algorithm,
    buffers: BUFFERS(problem),
    modules: [
      { name: "start", wgsl: startText(problem.n) },
      { name: "rotate", wgsl: form.wgsl },
      { name: "check", wgsl: checkText(problem.n) },
      { name: "finish", wgsl: finishText(problem.n) },
    ],
    steps: [
      dispatch("start", "start", [
        { buffer: "vectors", access: "read-write" },
        { buffer: "iterations", access: "read-write" },
      ]),
      {
        kind: "loop",
        stage: "iterate",
        maximum: form.maximum,
        checkEvery: form.checkEvery,
        until: { buffer: "unfinished", offset: 0, equals: 0 },
        steps: [
          dispatch("rotate", "rotate", [
            { buffer: "matrix", access: "read-write" },
            { buffer: "vectors", access: "read-write" },
            { buffer: "iterations", access: "read" },
          ]),
          { kind: "clear", stage: "check", buffer: "unfinished" },
          dispatch("check", "check", [
            { buffer: "matrix", access: "read" },
            { buffer: "iterations", access: "read-write" },
            { buffer: "unfinished", access: "read-write" },
          ]),
        ],
      },
      dispatch("finish", "finish", [
        { buffer: "matrix", access: "read" },
        { buffer: "values", access: "read-write" },
        { buffer: "iterations", access: "read" },
        { buffer: "report", access: "read-write" },
      ]),
    ],
    batch: {
      dimension: "matrices",
      items: problem.matrices,
      order: "independent",
      quantum: 1,
      minimum: Math.min(problem.matrices, 4),
    },
    extents: {},
    requires: { features: [], limits: {} },
  };
}

/** Whole-matrix Jacobi, checked after every sweep. */
export function scalarEigh(problem: EighProblem): Plan {
  return eigh(problem, { algorithm: "scalar", wgsl: scalarText(problem.n), maximum: 20, checkEvery: 1 });
}

/** Block Jacobi, n a multiple of 4 and at least 8; checked after every full tournament. */
export function blockEigh(problem: EighProblem): Plan {
  const rounds = problem.n / 2 - 1;
  return eigh(problem, {
    algorithm: "block",
    wgsl: blockText(problem.n),
    maximum: 20 * rounds,
    checkEvery: rounds,
  });
}
