import type { Binding } from "@tunelab/contract";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  formatU32,
  GROUP_BUILTINS,
  linearGroup,
  lines,
  type Text,
} from "@tunelab/variants";
import { PORT_TYPES, strides } from "../../buffers.ts";
import { type EighProblem, MOST_SWEEPS, STATUS } from "../../problem.ts";
import { countEnding } from "../../wgsl/endings.ts";
import { magnitudeBits, NAN_BITS, NOT_FINITE, scaling } from "../../wgsl/numbers.ts";
import { players, tournament } from "../../wgsl/pairs.ts";
import { strided, stridedRound } from "../../wgsl/strided.ts";
import { turned, turnText } from "../../wgsl/turn.ts";
import type { ScalarConfig } from "./space.ts";

/** Off-diagonal elements of a matrix scaled to 1 at which it is done: a quarter of eps. */
const DONE = "3.0e-8f";
/**
 * Elements that are lost in both diagonal elements they lie between (eps times the smaller) are left alone (Rutishauser 1966): between equal
 * eigenvalues turns of 45 degrees change no diagonal, and without this rule a 64 x 64 matrix with three eigenvalues takes 26 sweeps.
 */
const LOST = "1.1920929e-7f";

/** Words of a matrix between two sweeps in global memory: bits of its largest element, whether it is over, sweeps so far. */
export const STATE_WORDS = 3;

/** Where the pieces of a matrix lie, as text. */
interface Layout {
  readonly barrier: Text;
  /** Element (i, j) of the lower triangle or (j, i) of the upper: only the lower one is kept. */
  element(i: string, j: string): string;
  basis(i: string, j: string): string;
}

function layoutOf(n: number, vectors: boolean, config: ScalarConfig): Layout {
  const { size } = tournament(n);
  const width = size + config.padding;
  const [global, inside] = [config.memory === "global", config.memory === "both"];
  const matrixFloats = size * width;
  const workFloats = (global ? matrixFloats : 0) + (vectors && !inside ? n * n : 0);
  const a = global ? `work[item * ${formatU32(workFloats)} + ` : `a[slot * ${formatU32(matrixFloats)} + `;
  const v = inside
    ? `v[slot * ${formatU32(n * n)} + `
    : `work[item * ${formatU32(workFloats)} + ${formatU32(global ? matrixFloats : 0)} + `;
  return {
    barrier: ["workgroupBarrier();", workFloats > 0 && "storageBarrier();"],
    element: (i, j) => `${a}max(${i}, ${j}) * ${formatU32(width)} + min(${i}, ${j})]`,
    // Vectors lie in rows here, so that threads next to one another read elements next to one another.
    basis: (i, j) => `${v}${j} * ${formatU32(n)} + ${i}]`,
  };
}

/**
 * Two-sided Jacobi by whole sweeps, `matrices` matrices a workgroup. A round finds the turns of its n/2 pairs, then turns every group of four
 * elements from both sides and the vectors from one. A matrix that is done is left alone, whatever the others in its workgroup need.
 */
export function scalarText(problem: EighProblem, config: ScalarConfig, bindings: readonly Binding[]): string {
  const { n } = problem;
  const vectors = problem.vectors === "yes";
  const { size, pairs, rounds } = tournament(n);
  const { threads, matrices, memory, padding } = config;
  const layout = layoutOf(n, vectors, config);
  const inGroup = matrices * threads;
  const first = n % 2;
  // In global memory a dispatch is one sweep, and what a matrix has come to waits in `state`.
  const resumes = memory === "global";
  return lines(
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, { ...PORT_TYPES, work: "array<f32>", state: "array<u32>" }),
    memory !== "global" && `var<workgroup> a: array<f32, ${matrices * size * (size + padding)}>;`,
    vectors && memory === "both" && `var<workgroup> v: array<f32, ${matrices * n * n}>;`,
    `var<workgroup> turns: array<vec2f, ${matrices * pairs}>;`,
    `var<workgroup> places: array<u32, ${matrices * size}>;`,
    // Of a matrix: the bits of its largest element, then of a sweep's largest element off the diagonal and largest sine.
    // Last, whether any matrix of the workgroup goes on.
    `var<workgroup> marks: array<atomic<u32>, ${3 * matrices + 1}>;`,
    "var<workgroup> going: u32;",
    `@compute @workgroup_size(${inGroup})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) thread: u32)`,
      `let slot = thread / ${formatU32(threads)};`,
      `let t = thread % ${formatU32(threads)};`,
      `let item = ${linearGroup()} * ${formatU32(matrices)} + slot;`,
      "let present = item < extents.items;",
      `let opens = present${resumes ? " && extents.iteration == 0u" : ""};`,
      load(n, vectors, config, layout),
      `${resumes ? "var" : "let"} peak = atomicLoad(&marks[3u * slot]);`,
      resumes && `if (present && !opens) { peak = state[${STATE_WORDS}u * item]; }`,
      `let finite = peak < ${NOT_FINITE};`,
      scaling("peak"),
      block(
        "if (opens)",
        strided("e", size * size, threads, [
          `let i = e / ${formatU32(size)};`,
          `let j = e % ${formatU32(size)};`,
          block("if (j <= i)", `${layout.element("i", "j")} *= down;`),
        ]),
      ),
      "var done = !present || !finite;",
      "var sweeps = 0u;",
      resumes &&
        block(
          "if (present && !opens)",
          `done = state[${STATE_WORDS}u * item + 1u] != 0u;`,
          `sweeps = state[${STATE_WORDS}u * item + 2u];`,
        ),
      resumes && "let ended = done && !opens;",
      layout.barrier,
      block(
        `for (var sweep = 0u; sweep < ${resumes ? 1 : MOST_SWEEPS}u; sweep += 1u)`,
        "var most = 0.0f;",
        "var turn = 0.0f;",
        block(
          `for (var round = 0u; round < ${formatU32(rounds)}; round += 1u)`,
          block("if (!done)", findTurns(n, threads, layout)),
          layout.barrier,
          block(
            "if (!done)",
            applyTurns(n, threads, layout),
            vectors && turnVectors(n, first, threads, layout),
          ),
          layout.barrier,
        ),
        block(
          "if (!done)",
          "atomicMax(&marks[3u * slot + 1u], bitcast<u32>(most));",
          "atomicMax(&marks[3u * slot + 2u], bitcast<u32>(turn));",
        ),
        `if (thread == 0u) { atomicStore(&marks[${3 * matrices}u], 0u); }`,
        "workgroupBarrier();",
        block(
          "if (!done)",
          "sweeps += 1u;",
          "let left = bitcast<f32>(atomicLoad(&marks[3u * slot + 1u]));",
          // What a sweep leaves is what it met times its largest turn: small turns converge quadratically.
          `done = left * min(1.0f, bitcast<f32>(atomicLoad(&marks[3u * slot + 2u]))) <= ${DONE};`,
          `if (!done && t == 0u) { atomicMax(&marks[${3 * matrices}u], 1u); }`,
        ),
        "workgroupBarrier();",
        `if (thread == 0u) { going = atomicLoad(&marks[${3 * matrices}u]); }`,
        "let more = workgroupUniformLoad(&going);",
        "if (more == 0u) { break; }",
        block(
          "if (t == 0u)",
          "atomicStore(&marks[3u * slot + 1u], 0u);",
          "atomicStore(&marks[3u * slot + 2u], 0u);",
        ),
      ),
      resumes
        ? [
            `let over = done || extents.iteration == ${MOST_SWEEPS - 1}u;`,
            "let ends = present && !ended && over;",
            block(
              "if (present && t == 0u)",
              `state[${STATE_WORDS}u * item] = peak;`,
              `state[${STATE_WORDS}u * item + 1u] = select(0u, 1u, over);`,
              `state[${STATE_WORDS}u * item + 2u] = sweeps;`,
            ),
          ]
        : "let ends = present;",
      finish(n, vectors, threads, layout),
    ),
  );
}

/** Threads of the kernel that counts: a thread a matrix. */
export const CHECK_THREADS = 64;

/** Counts the matrices that go on. */
export function scalarCheckText(problem: EighProblem, bindings: readonly Binding[]): string {
  return lines(
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, { state: "array<u32>", left: "array<atomic<u32>, 1>" }),
    `@compute @workgroup_size(${CHECK_THREADS})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) thread: u32)`,
      `let item = ${linearGroup()} * ${CHECK_THREADS}u + thread;`,
      `if (item < extents.items && state[${STATE_WORDS}u * item + 1u] == 0u) { atomicAdd(&left[0], 1u); }`,
    ),
  );
}

function load(n: number, vectors: boolean, { threads }: ScalarConfig, layout: Layout): Text {
  const { size } = tournament(n);
  return [
    block(
      "if (t == 0u)",
      [0, 1, 2].map((mark) => `atomicStore(&marks[3u * slot + ${mark}u], 0u);`),
    ),
    "workgroupBarrier();",
    block(
      "if (opens)",
      "var largest = 0u;",
      strided("e", size * size, threads, [
        `let i = e / ${formatU32(size)};`,
        `let j = e % ${formatU32(size)};`,
        block(
          "if (j <= i)",
          "var x = 0.0f;",
          size === n
            ? "x = matrices[item * extents.matrix + i * extents.row + j];"
            : `if (i < ${formatU32(n)}) { x = matrices[item * extents.matrix + i * extents.row + j]; }`,
          `largest = max(largest, ${magnitudeBits("x")});`,
          `${layout.element("i", "j")} = x;`,
        ),
      ]),
      vectors &&
        strided("e", n * n, threads, [
          `let i = e / ${formatU32(n)};`,
          `let j = e % ${formatU32(n)};`,
          `${layout.basis("j", "i")} = select(0.0f, 1.0f, i == j);`,
        ]),
      "atomicMax(&marks[3u * slot], largest);",
    ),
    layout.barrier,
  ];
}

function findTurns(n: number, threads: number, layout: Layout): Text {
  const shape = tournament(n);
  return strided("k", shape.pairs, threads, [
    players("k", "", shape),
    `let app = ${layout.element("p", "p")};`,
    `let aqq = ${layout.element("q", "q")};`,
    `let apq = ${layout.element("p", "q")};`,
    turnText("app", "aqq", "apq", `abs(apq) <= ${LOST} * min(abs(app), abs(aqq))`),
    "most = max(most, select(abs(apq), 0.0f, idle));",
    "turn = max(turn, abs(sine));",
    `turns[slot * ${formatU32(shape.pairs)} + k] = vec2f(sine, half);`,
    block(
      "if (!idle)",
      `${layout.element("p", "p")} = app - tangent * apq;`,
      `${layout.element("q", "q")} = aqq + tangent * apq;`,
      `${layout.element("p", "q")} = 0.0f;`,
    ),
  ]);
}

/** The groups of four elements where pair k's rows meet pair l's columns: every two pairs once. */
function applyTurns(n: number, threads: number, layout: Layout): Text {
  const shape = tournament(n);
  const { pairs } = shape;
  if (pairs < 2) return undefined;
  const rows = [turned("x00", "x10", "one.x", "one.y"), turned("x01", "x11", "one.x", "one.y")] as const;
  const columns = [turned("y00", "y01", "two.x", "two.y"), turned("y10", "y11", "two.x", "two.y")] as const;
  const count = formatU32(pairs);
  return stridedRound("e", (pairs * (pairs - 1)) / 2, threads, [
    `let k = e % ${count};`,
    // Distances 1, 2, ... around the circle of pairs meet every two of them once.
    `let l = (k + e / ${count} + 1u) % ${count};`,
    players("k", "1", shape),
    players("l", "2", shape),
    `let one = turns[slot * ${count} + k];`,
    `let two = turns[slot * ${count} + l];`,
    `let x00 = ${layout.element("p1", "p2")};`,
    `let x01 = ${layout.element("p1", "q2")};`,
    `let x10 = ${layout.element("q1", "p2")};`,
    `let x11 = ${layout.element("q1", "q2")};`,
    `let y00 = ${rows[0].x};`,
    `let y10 = ${rows[0].y};`,
    `let y01 = ${rows[1].x};`,
    `let y11 = ${rows[1].y};`,
    `${layout.element("p1", "p2")} = ${columns[0].x};`,
    `${layout.element("p1", "q2")} = ${columns[0].y};`,
    `${layout.element("q1", "p2")} = ${columns[1].x};`,
    `${layout.element("q1", "q2")} = ${columns[1].y};`,
  ]);
}

function turnVectors(n: number, first: number, threads: number, layout: Layout): Text {
  const shape = tournament(n);
  const playing = shape.pairs - first;
  if (playing < 1) return undefined;
  const { x, y } = turned("x", "y", "by.x", "by.y");
  return strided("e", n * playing, threads, [
    `let k = e / ${formatU32(n)}${first ? ` + ${formatU32(first)}` : ""};`,
    `let i = e % ${formatU32(n)};`,
    players("k", "", shape),
    `let by = turns[slot * ${formatU32(shape.pairs)} + k];`,
    `let x = ${layout.basis("i", "p")};`,
    `let y = ${layout.basis("i", "q")};`,
    `${layout.basis("i", "p")} = ${x};`,
    `${layout.basis("i", "q")} = ${y};`,
  ]);
}

/** Places of the eigenvalues in ascending order, then values, vectors and how it ended. */
function finish(n: number, vectors: boolean, threads: number, layout: Layout): Text {
  const { size } = tournament(n);
  const count = formatU32(n);
  return [
    block(
      "if (ends)",
      strided("i", n, threads, [
        `let x = ${layout.element("i", "i")};`,
        "var place = 0u;",
        block(
          `for (var j = 0u; j < ${count}; j += 1u)`,
          `let y = ${layout.element("j", "j")};`,
          "if (y < x || (y == x && j < i)) { place += 1u; }",
        ),
        // Comparisons with NaN hold for none: those matrices keep their order.
        `let spot = select(i, place, finite);`,
        `places[slot * ${formatU32(size)} + i] = spot;`,
        `values[item * ${count} + spot] = select(${NAN_BITS}, bitcast<u32>(x * up), finite);`,
      ]),
    ),
    "workgroupBarrier();",
    block(
      "if (ends)",
      vectors &&
        strided("e", n * n, threads, [
          `let i = e % ${count};`,
          `let j = e / ${count};`,
          `vectors[item * ${formatU32(n * n)} + i * ${count} + places[slot * ${formatU32(size)} + j]] = select(${NAN_BITS}, bitcast<u32>(${layout.basis("i", "j")}), finite);`,
        ]),
      block(
        "if (t == 0u)",
        `let ending = select(select(${STATUS.unconverged}u, ${STATUS.converged}u, done), ${STATUS.nonFinite}u, !finite);`,
        "status[item] = vec2u(ending, sweeps);",
        "atomicMax(&report[0], sweeps);",
        countEnding("ending"),
      ),
    ),
  ];
}
