import type { Binding } from "@tunelab/contract";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  formatU32,
  linearGroup,
  lines,
  type Text,
  times,
} from "@tunelab/variants";
import { PORT_TYPES, strides } from "../../buffers.ts";
import type { EighProblem } from "../../problem.ts";
import { strided } from "../../wgsl/strided.ts";
import {
  aheadText,
  type Columns,
  columnBytes,
  columnMain,
  columnMemory,
  everyQuad,
  passText,
  placeText,
  reflectionText,
  reflector,
  rowsAt,
  rowText,
  summed,
} from "./column.ts";
import { loadText } from "./load.ts";
import { bandAt, COLUMNS_A_DISPATCH, type Shape, TYPES } from "./shape.ts";
import type { TridiagonalConfig } from "./space.ts";

/** Bytes of `var<workgroup>` of the reduction. */
export const reduceBytes = (shape: Shape, inside: boolean): number =>
  columnBytes(shape, inside ? 64 * shape.quads * shape.quads : 0, 4, 4);

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
  const { quads, threads, across } = shape;
  const inside = config.memory === "workgroup";
  const [count, wide] = [formatU32(n), formatU32(quads)];
  const a: Columns["a"] = inside ? (row, column) => `a[(${row}) * ${wide} + ${column}]` : rowsAt(shape);
  const subgroups = config.reduction === "subgroup";
  const meet: Text = ["workgroupBarrier();", !inside && "storageBarrier();"];
  return lines(
    subgroups && "enable subgroups;",
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, { ...PORT_TYPES, ...TYPES, rows: "array<vec4f>" }),
    inside && `var<workgroup> a: array<vec4f, ${4 * quads * quads}>;`,
    columnMemory(shape),
    "var<workgroup> greatest: atomic<u32>;",
    "var<workgroup> beside: f32;",
    columnMain(
      shape,
      subgroups,
      `let item = ${linearGroup()};`,
      "if (item >= extents.items) { return; }",
      `let team = t / ${formatU32(across)};`,
      `let place = t % ${formatU32(across)};`,
      load(problem, shape, config, a),
      meet,
      block(
        `for (var column = 0u; column < ${inside ? count : formatU32(Math.min(n, COLUMNS_A_DISPATCH))}; column += 1u)`,
        inside ? "let k = column;" : `let k = extents.iteration * ${formatU32(COLUMNS_A_DISPATCH)} + column;`,
        !inside && n % COLUMNS_A_DISPATCH !== 0 && `if (k >= ${count}) { break; }`,
        column({ shape, reduction: config.reduction, groups: 1, a, far: !inside }, meet),
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

/** Takes the matrix in, or goes on where the dispatch before stopped. */
function load(problem: EighProblem, shape: Shape, { memory }: TridiagonalConfig, a: Columns["a"]): Text {
  const { n, quads, threads } = shape;
  const begin: Text = [
    loadText(problem, shape, a),
    strided("q", quads, threads, ["vs[q] = vec4f();", "ws[q] = vec4f();"]),
  ];
  if (memory === "workgroup") return begin;
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

function column(columns: Columns, meet: Text): Text {
  const { n, quads, threads, parts } = columns.shape;
  return [
    placeText(columns),
    aheadText(columns),
    rowText(columns, ""),
    reflectionText(columns),
    passText(columns),
    "line[t] = along;",
    "workgroupBarrier();",
    summed("product", threads, (o) => `line[${o}]`, columns),
    "let half = 0.5f * factor * (factor * product);",
    block(
      "if (team == 0u)",
      everyQuad(
        columns.shape,
        "var sum = sums[c];",
        times(parts - 1, (o) => `sum += sums[${formatU32((o + 1) * quads)} + c];`),
        `let v = ${reflector("c")};`,
        "vs[c] = v;",
        "ws[c] = factor * sum - half * v;",
        `work[item * ${formatU32(n * quads)} + k * ${formatU32(quads)} + c] = v;`,
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
