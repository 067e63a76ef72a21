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
import { LEAST, SHARE } from "../../wgsl/shift.ts";
import { strided } from "../../wgsl/strided.ts";
import { blocksOf } from "./space.ts";
import { STATE, stateAt, TYPES, throughText } from "./state.ts";

/** Threads of the kernels before and after the rounds: a workgroup a matrix. */
export const END_THREADS = 128;
/** Threads of the kernel that counts: a thread a matrix. */
export const CHECK_THREADS = 64;

const head = (
  problem: EighProblem,
  bindings: readonly Binding[],
  threads: number,
  shared: Text,
  ...body: Text[]
): string =>
  lines(
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, { ...PORT_TYPES, ...TYPES }),
    shared,
    `@compute @workgroup_size(${threads})`,
    block(`fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`, ...body),
  );

/** Reduces `name` over the workgroup through `line`: `start` is neutral. */
const over = (name: string, start: string, combine: (a: string, b: string) => string): Text => [
  "workgroupBarrier();",
  `line[t] = ${name};`,
  "workgroupBarrier();",
  `${name} = ${start};`,
  block(`for (var o = 0u; o < ${END_THREADS}u; o += 1u)`, `${name} = ${combine(name, "line[o]")};`),
];
const add = (a: string, b: string): string => `${a} + ${b}`;

/** Scales and shifts a matrix as `one-sided` does, columns in rows of `basis`, and clears its state. */
export function startText(problem: EighProblem, bindings: readonly Binding[]): string {
  const { n } = problem;
  const count = formatU32(n);
  const own = (i: string): string => `basis[base + ${i} * ${count} + j]`;
  return head(
    problem,
    bindings,
    END_THREADS,
    [`var<workgroup> line: array<f32, ${END_THREADS}>;`, "var<workgroup> greatest: atomic<u32>;"],
    `let item = ${linearGroup()};`,
    "let present = item < extents.items;",
    `let base = item * ${formatU32(n * n)};`,
    "if (t == 0u) { atomicStore(&greatest, 0u); }",
    "workgroupBarrier();",
    block(
      "if (present)",
      "var largest = 0u;",
      strided("e", n * n, END_THREADS, [
        `let j = e / ${count};`,
        `let i = e % ${count};`,
        "let x = matrices[item * extents.matrix + max(i, j) * extents.row + min(i, j)];",
        `largest = max(largest, ${magnitudeBits("x")});`,
        "basis[base + e] = x;",
      ]),
      "atomicMax(&greatest, largest);",
    ),
    "storageBarrier();",
    "workgroupBarrier();",
    "let peak = atomicLoad(&greatest);",
    `let finite = peak < ${NOT_FINITE};`,
    scaling("peak"),
    "var trace = 0.0f;",
    "var squares = 0.0f;",
    `var low = 3.0e38f;`,
    `var high = -3.0e38f;`,
    block(
      "if (present)",
      strided("j", n, END_THREADS, [
        "var radius = 0.0f;",
        "var diagonal = 0.0f;",
        block(
          `for (var i = 0u; i < ${count}; i += 1u)`,
          `let x = ${own("i")} * down;`,
          `${own("i")} = x;`,
          block("if (i == j)", "diagonal = x;"),
          block("if (i != j)", "radius += abs(x);", "squares += x * x;"),
        ),
        "trace += diagonal;",
        "low = min(low, diagonal - radius);",
        "high = max(high, diagonal + radius);",
      ]),
    ),
    over("trace", "0.0f", add),
    `let mean = trace / ${n}.0f;`,
    block(
      "if (present)",
      strided("j", n, END_THREADS, [`let off = ${own("j")} - mean;`, "squares += off * off;"]),
    ),
    over("squares", "0.0f", add),
    over("low", "low", (a, b) => `min(${a}, ${b})`),
    over("high", "high", (a, b) => `max(${a}, ${b})`),
    "let reach = sqrt(squares);",
    "low = max(low, mean - reach);",
    "high = min(high, mean + reach);",
    `let shift = low - max(${SHARE} * (high - low), ${LEAST});`,
    block(
      "if (present)",
      strided("j", n, END_THREADS, [`${own("j")} -= shift;`]),
      strided("w", STATE.words, END_THREADS, [
        `if (w >= ${STATE.marks}u) { atomicStore(&state[item * ${formatU32(STATE.words)} + w], 0u); }`,
      ]),
      block(
        "if (t == 0u)",
        `atomicStore(&state[${stateAt("item", STATE.up)}], bitcast<u32>(up));`,
        `atomicStore(&state[${stateAt("item", STATE.shift)}], bitcast<u32>(shift));`,
        `atomicStore(&state[${stateAt("item", STATE.ending)}], select(${STATUS.nonFinite}u, 0u, finite));`,
      ),
    ),
  );
}

/** Counts the matrices that go on after the sweeps so far, a thread a matrix. */
export function checkText(problem: EighProblem, size: number, bindings: readonly Binding[]): string {
  const { rounds } = blocksOf(problem.n, size);
  return head(
    problem,
    bindings,
    CHECK_THREADS,
    undefined,
    `let item = ${linearGroup()} * ${CHECK_THREADS}u + t;`,
    block(
      "if (item < extents.items)",
      `let sweep = extents.iteration / ${formatU32(rounds)};`,
      throughText("item", "sweep"),
      `if (!through && atomicLoad(&state[${stateAt("item", STATE.ending)}]) == 0u) { atomicAdd(&left[0], 1u); }`,
    ),
  );
}

/** Threads that share a column's length. */
const TEAM = 16;

/** Lengths and directions of the columns, in ascending order, and how it ended. */
export function finishText(problem: EighProblem, bindings: readonly Binding[]): string {
  const { n } = problem;
  const count = formatU32(n);
  const [teams, steps] = [END_THREADS / TEAM, Math.ceil(n / TEAM)];
  const vectors = problem.vectors === "yes";
  return head(
    problem,
    bindings,
    END_THREADS,
    [
      `var<workgroup> line: array<f32, ${END_THREADS}>;`,
      `var<workgroup> lengths: array<f32, ${n}>;`,
      `var<workgroup> places: array<u32, ${n}>;`,
    ],
    `let item = ${linearGroup()};`,
    "let present = item < extents.items;",
    `let base = item * ${formatU32(n * n)};`,
    block(
      `for (var part = 0u; part < ${formatU32(Math.ceil(n / teams))}; part += 1u)`,
      `let place = part * ${teams}u + t / ${TEAM}u;`,
      `let j = ${n % teams === 0 ? "place" : `min(place, ${formatU32(n - 1)})`};`,
      "var squares = 0.0f;",
      block(
        `if (present && place < ${count})`,
        block(
          `for (var s = 0u; s < ${steps}u; s += 1u)`,
          `let i = s * ${TEAM}u + t % ${TEAM}u;`,
          block(`if (i < ${count})`, `let x = basis[base + j * ${count} + i];`, "squares += x * x;"),
        ),
      ),
      "line[t] = squares;",
      "workgroupBarrier();",
      block(
        `if (t % ${TEAM}u == 0u && place < ${count})`,
        "var all = 0.0f;",
        // t itself, whose range with o passes the line's end where no condition is taken into account.
        `let first = t / ${TEAM}u * ${TEAM}u;`,
        `for (var o = 0u; o < ${TEAM}u; o += 1u) { all += line[first + o]; }`,
        "lengths[j] = sqrt(all);",
      ),
      "workgroupBarrier();",
    ),
    "var ending = 0u;",
    "var up = 1.0f;",
    "var shift = 0.0f;",
    block(
      "if (present)",
      `ending = atomicLoad(&state[${stateAt("item", STATE.ending)}]);`,
      `up = bitcast<f32>(atomicLoad(&state[${stateAt("item", STATE.up)}]));`,
      `shift = bitcast<f32>(atomicLoad(&state[${stateAt("item", STATE.shift)}]));`,
      "let finite = ending == 0u;",
      strided("j", n, END_THREADS, [
        "let length = lengths[j];",
        "var place = 0u;",
        block(
          `for (var o = 0u; o < ${count}; o += 1u)`,
          "let other = lengths[o];",
          "if (other < length || (other == length && o < j)) { place += 1u; }",
        ),
        // Comparisons with NaN hold for none: those matrices keep their order.
        "let spot = select(j, place, finite);",
        "places[j] = spot;",
        `values[item * ${count} + spot] = select(${NAN_BITS}, bitcast<u32>((length + shift) * up), finite);`,
      ]),
    ),
    "workgroupBarrier();",
    block(
      "if (present)",
      "let finite = ending == 0u;",
      vectors &&
        strided("e", n * n, END_THREADS, [
          `let j = e / ${count};`,
          `let i = e % ${count};`,
          "let unit = basis[base + e] / lengths[j];",
          `vectors[base + i * ${count} + places[j]] = select(${NAN_BITS}, bitcast<u32>(unit), finite);`,
        ]),
      block(
        "if (t == 0u)",
        "var sweeps = 0u;",
        block(
          "if (finite)",
          `ending = ${STATUS.unconverged}u;`,
          block(
            `for (var sweep = 0u; sweep < ${MOST_SWEEPS}u; sweep += 1u)`,
            throughText("item", "sweep"),
            "sweeps = sweep + 1u;",
            block("if (through)", `ending = ${STATUS.converged}u;`, "break;"),
          ),
        ),
        "status[item] = vec2u(ending, sweeps);",
        "atomicMax(&report[0], sweeps);",
        countEnding("ending"),
      ),
    ),
  );
}
