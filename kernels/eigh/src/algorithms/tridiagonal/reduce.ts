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
  times,
} from "@tunelab/variants";
import { PORT_TYPES, strides } from "../../buffers.ts";
import { type EighProblem, STATUS } from "../../problem.ts";
import { magnitudeBits, NOT_FINITE, scaling } from "../../wgsl/numbers.ts";
import { strided } from "../../wgsl/strided.ts";
import { where } from "../../wgsl/where.ts";
import { bandAt, COLUMNS_A_DISPATCH, type Shape, stateAt, TYPES, workgroupBytes } from "./shape.ts";
import type { TridiagonalConfig } from "./space.ts";

/**
 * What is left of a column below its first element counts as nothing where its squares sum to less: 1e-12 of a matrix scaled to 1 is far under eps, and squares
 * above are normal numbers to eps.
 */
const NOTHING = "1.0e-24f";

/** Bytes of `var<workgroup>` of the reduction. */
export function reduceBytes({ quads, parts, threads }: Shape, inside: boolean): number {
  return workgroupBytes(
    inside ? 64 * quads * quads : 0,
    16 * quads,
    16 * quads,
    16 * quads,
    16 * parts * quads,
    4 * threads,
    4,
    4,
  );
}

/** Sums `terms` over the workgroup after a barrier, each thread for itself or each subgroup for itself: no barrier more. */
function summed(
  into: string,
  count: number,
  term: (index: string) => string,
  { threads }: Shape,
  reduction: TridiagonalConfig["reduction"],
): Text {
  if (reduction === "workgroup") {
    return [
      `var ${into} = 0.0f;`,
      block(`for (var o = 0u; o < ${formatU32(count)}; o += 1u)`, `${into} += ${term("o")};`),
    ];
  }
  // Lanes of a subgroup take every width-th term, whatever the width: a workgroup is no narrower than its own lanes.
  const most = Math.ceil(count / Math.min(4, threads));
  return [
    `var ${into}Lane = 0.0f;`,
    block(
      `for (var o = 0u; o < ${formatU32(most)}; o += 1u)`,
      "let at = o * width + id;",
      `if (at >= ${formatU32(count)}) { break; }`,
      `${into}Lane += ${term("at")};`,
    ),
    `let ${into} = subgroupAdd(${into}Lane);`,
  ];
}

/**
 * Householder's reduction of a symmetric matrix to a tridiagonal one (Golub and Van Loan 8.3.1), a workgroup a matrix. Reflection k of column k takes what lies below
 * the diagonal to its first element; A becomes A - v w^T - w v^T, which waits until the next column's product with A passes over the matrix:
 * each element is read and written once a column. Three barriers a column. Reflections stay in the rows of `work`, their factors in `band`.
 */
export function reduceText(
  problem: EighProblem,
  config: TridiagonalConfig,
  shape: Shape,
  bindings: readonly Binding[],
): string {
  const { n } = problem;
  const { quads, threads, across, parts } = shape;
  const inside = config.memory === "workgroup";
  const [count, wide] = [formatU32(n), formatU32(quads)];
  const a = (row: string, column: string): string =>
    inside
      ? `a[(${row}) * ${wide} + ${column}]`
      : `rows[item * ${formatU32(4 * quads * quads)} + (${row}) * ${wide} + ${column}]`;
  const subgroups = config.reduction === "subgroup";
  const meet: Text = ["workgroupBarrier();", !inside && "storageBarrier();"];
  return lines(
    subgroups && "enable subgroups;",
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, { ...PORT_TYPES, ...TYPES, rows: "array<vec4f>" }),
    inside && `var<workgroup> a: array<vec4f, ${4 * quads * quads}>;`,
    `var<workgroup> vs: array<vec4f, ${quads}>;`,
    `var<workgroup> ws: array<vec4f, ${quads}>;`,
    `var<workgroup> xs: array<vec4f, ${quads}>;`,
    `var<workgroup> sums: array<vec4f, ${parts * quads}>;`,
    `var<workgroup> line: array<f32, ${threads}>;`,
    "var<workgroup> greatest: atomic<u32>;",
    "var<workgroup> beside: f32;",
    // Loops are the same for all threads; that their bounds are is not known to the compiler.
    subgroups && "@diagnostic(off, subgroup_uniformity)",
    `@compute @workgroup_size(${threads})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32${
        subgroups ? ", @builtin(subgroup_invocation_id) id: u32, @builtin(subgroup_size) width: u32" : ""
      })`,
      `let item = ${linearGroup()};`,
      "if (item >= extents.items) { return; }",
      `let team = t / ${formatU32(across)};`,
      `let place = t % ${formatU32(across)};`,
      load(problem, shape, inside, a),
      meet,
      block(
        `for (var column = 0u; column < ${inside ? count : formatU32(Math.min(n, COLUMNS_A_DISPATCH))}; column += 1u)`,
        inside ? "let k = column;" : `let k = extents.iteration * ${formatU32(COLUMNS_A_DISPATCH)} + column;`,
        !inside && n % COLUMNS_A_DISPATCH !== 0 && `if (k >= ${count}) { break; }`,
        column(problem, config, shape, a, meet),
      ),
      !inside && [
        strided("q", quads, threads, [
          times(4, (e) => [
            `band[${bandAt(n, "v")} + 4u * q + ${e}u] = vs[q].${"xyzw"[e]};`,
            `band[${bandAt(n, "w")} + 4u * q + ${e}u] = ws[q].${"xyzw"[e]};`,
          ]),
        ]),
      ],
    ),
  );
}

/** Loads and scales the matrix, zeros beyond it, or goes on where the dispatch before stopped. */
function load(
  { n }: EighProblem,
  { quads, threads }: Shape,
  inside: boolean,
  a: (row: string, column: string) => string,
): Text {
  const count = formatU32(n);
  const begin: Text = [
    "if (t == 0u) { atomicStore(&greatest, 0u); }",
    "workgroupBarrier();",
    "var largest = 0u;",
    strided("e", n * n, threads, [
      `let i = e / ${count};`,
      `let j = e % ${count};`,
      `if (j <= i) { largest = max(largest, ${magnitudeBits("matrices[item * extents.matrix + i * extents.row + j]")}); }`,
    ]),
    "atomicMax(&greatest, largest);",
    "workgroupBarrier();",
    "let peak = atomicLoad(&greatest);",
    `let finite = peak < ${NOT_FINITE};`,
    scaling("peak"),
    strided("e", 4 * quads * quads, threads, [
      `let i = e / ${formatU32(quads)};`,
      `let j = e % ${formatU32(quads)};`,
      "var four = vec4f();",
      block(
        n % 4 === 0 ? "if (finite)" : `if (finite && i < ${count})`,
        times(4, (c) => {
          const at = c === 0 ? "4u * j" : `4u * j + ${c}u`;
          const element = `four.${"xyzw"[c]} = matrices[item * extents.matrix + max(i, ${at}) * extents.row + min(i, ${at})];`;
          return n % 4 === 0 ? element : `if (${at} < ${count}) { ${element} }`;
        }),
      ),
      `${a("i", "j")} = four * down;`,
    ]),
    strided("q", quads, threads, ["vs[q] = vec4f();", "ws[q] = vec4f();"]),
    block(
      "if (t == 0u)",
      `${stateAt("peak")} = peak;`,
      `${stateAt("ending")} = select(${STATUS.nonFinite}u, 0u, finite);`,
      `${stateAt("sought")} = 0u;`,
      `${stateAt("swept")} = 0u;`,
    ),
  ];
  if (inside) return begin;
  const from = (vector: "v" | "w"): string =>
    `vec4f(${[0, 1, 2, 3].map((e) => `band[${bandAt(n, vector)} + 4u * q + ${e}u]`).join(", ")})`;
  return [
    block("if (extents.iteration == 0u)", begin),
    block(
      "if (extents.iteration > 0u)",
      strided("q", quads, threads, [`vs[q] = ${from("v")};`, `ws[q] = ${from("w")};`]),
    ),
  ];
}

function column(
  { n }: EighProblem,
  config: TridiagonalConfig,
  shape: Shape,
  a: (row: string, column: string) => string,
  meet: Text,
): Text {
  const { quads, threads, across, parts, columnSteps, rowSteps } = shape;
  const [count, wide] = [formatU32(n), formatU32(quads)];
  /** Runs for every quad of a row that a thread has. */
  const everyQuad = (...body: Text[]): Text =>
    block(
      `for (var step = 0u; step < ${formatU32(columnSteps)}; step += 1u)`,
      `let c = place + step * ${formatU32(across)};`,
      // Quads left of the column are done.
      block(`if (c >= quad${quads % across === 0 ? "" : ` && c < ${wide}`})`, ...body),
    );
  const four = [0, 1, 2, 3] as const;
  const row = (e: number): string => (e === 0 ? "4u * r" : `4u * r + ${e}u`);
  const reflector = (q: string): string => `xs[${q}] + select(vec4f(), top, ${q} == quad)`;
  return [
    // Row k, which is column k, as the pending update leaves it: its diagonal element, the one beside it, and what lies beyond.
    "let first = k + 1u;",
    `let vHere = ${component("vs", "k")};`,
    `let wHere = ${component("ws", "k")};`,
    strided("c", quads, threads, [
      `let x = ${a("k", "c")} - vHere * ws[c] - wHere * vs[c];`,
      "xs[c] = select(vec4f(), x, vec4u(4u * c, 4u * c + 1u, 4u * c + 2u, 4u * c + 3u) > vec4u(first));",
      `if (c == k / 4u) { band[${bandAt(n, "diagonal")} + k] = ${chosen("x", "(k % 4u)")}; }`,
      `if (c == first / 4u) { beside = ${chosen("x", "(first % 4u)")}; }`,
    ]),
    "workgroupBarrier();",
    summed("beyond", quads, (q) => `dot(xs[${q}], xs[${q}])`, shape, config.reduction),
    `let quad = min(first / 4u, ${formatU32(quads - 1)});`,
    `let alpha = select(0.0f, beside, first < ${count});`,
    `let turns = beyond > ${NOTHING};`,
    "let length = sqrt(alpha * alpha + beyond);",
    // The reflection H = 1 - factor v v^T with v = x + (top of x) takes x to (end, 0, ...).
    "let end = select(alpha, select(-length, length, alpha < 0.0f), turns);",
    "let v0 = alpha - end;",
    "let factor = select(0.0f, 2.0f / (v0 * v0 + beyond), turns);",
    `let top = ${oneHot("(first % 4u)", "v0")};`,
    // One pass over what is left: the pending update, and the product of its result with the new v.
    "var along = 0.0f;",
    everyQuad(
      "let v = vs[c];",
      "let w = ws[c];",
      "var sum = vec4f();",
      block(
        `for (var s = quad / ${formatU32(parts)}; s < ${formatU32(rowSteps)}; s += 1u)`,
        `let r = team + s * ${formatU32(parts)};`,
        where(
          quads % parts === 0 ? "" : `r < ${wide}`,
          "let vr = vs[r];",
          "let wr = ws[r];",
          `let nr = ${reflector("r")};`,
          four.map((e) => `let a${e} = ${a(row(e), "c")} - vr.${"xyzw"[e]} * w - wr.${"xyzw"[e]} * v;`),
          four.map((e) => `${a(row(e), "c")} = a${e};`),
          four.map((e) => `sum += nr.${"xyzw"[e]} * a${e};`),
        ),
      ),
      `sums[team * ${wide} + c] = sum;`,
      `along += dot(sum, ${reflector("c")});`,
    ),
    "line[t] = along;",
    "workgroupBarrier();",
    summed("product", threads, (o) => `line[${o}]`, shape, config.reduction),
    "let half = 0.5f * factor * (factor * product);",
    block(
      "if (team == 0u)",
      everyQuad(
        "var sum = sums[c];",
        times(parts - 1, (o) => `sum += sums[${formatU32((o + 1) * quads)} + c];`),
        `let v = ${reflector("c")};`,
        "vs[c] = v;",
        "ws[c] = factor * sum - half * v;",
        `work[item * ${formatU32(n * quads)} + k * ${wide} + c] = v;`,
      ),
    ),
    block(
      "if (t == 0u)",
      `band[${bandAt(n, "beside")} + k] = end;`,
      `band[${bandAt(n, "factor")} + k] = factor;`,
    ),
    meet,
  ];
}

/** A component of a vec4f, the one that `part` (0 to 3) says. */
const chosen = (vector: string, part: string): string =>
  `select(select(${vector}.x, ${vector}.y, ${part} == 1u), select(${vector}.z, ${vector}.w, ${part} == 3u), ${part} > 1u)`;
const component = (array: string, index: string): string =>
  chosen(`${array}[${index} / 4u]`, `(${index} % 4u)`);
const oneHot = (part: string, value: string): string =>
  `vec4f(${[0, 1, 2, 3].map((e) => `select(0.0f, ${value}, ${part} == ${e}u)`).join(", ")})`;
