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
import type { EighProblem } from "../../problem.ts";
import { strided } from "../../wgsl/strided.ts";
import {
  aheadText,
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
import { peakText, sharesText } from "./load.ts";
import { bandAt, type Shape, TYPES } from "./shape.ts";
import type { TridiagonalConfig } from "./space.ts";

export const wideBytes = (shape: Shape): number => columnBytes(shape, 4);

/** vec4f of a matrix's `partial`: what each workgroup's rows give the product, of this column and of the last. */
export const partialQuads = ({ quads }: Shape, groups: number): number => 2 * groups * quads;

/** A kernel of several workgroups a matrix, before the reduction. */
function before(
  problem: EighProblem,
  { threads }: Shape,
  groups: number,
  declarations: readonly Text[],
  body: Text,
): string {
  return lines(
    extentsStruct(strides(problem)),
    declarations,
    `@compute @workgroup_size(${threads})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let task = ${linearGroup()};`,
      `let item = task / ${formatU32(groups)};`,
      `let own = task % ${formatU32(groups)};`,
      "if (item >= extents.items) { return; }",
      body,
    ),
  );
}

/** Finds the largest magnitude of a matrix for the reduction by several workgroups: one alone took most of 271 us at n = 512 on an H200. */
export function peakOfText(
  problem: EighProblem,
  shape: Shape,
  groups: number,
  bindings: readonly Binding[],
): string {
  const types = { ...PORT_TYPES, state: "array<atomic<u32>>" };
  return before(
    problem,
    shape,
    groups,
    [bindingDeclarations(bindings, types), "var<workgroup> greatest: atomic<u32>;"],
    peakText(problem, shape, groups),
  );
}

/** Takes a matrix in whose largest magnitude is known. */
export function startText(
  problem: EighProblem,
  shape: Shape,
  groups: number,
  bindings: readonly Binding[],
): string {
  const types = { ...PORT_TYPES, ...TYPES, rows: "array<vec4f>" };
  const body = sharesText(problem, shape, groups, rowsAt(shape));
  return before(problem, shape, groups, [bindingDeclarations(bindings, types)], body);
}

/**
 * The reduction as `reduceText` does it, one column a dispatch, by several workgroups a matrix: each passes over some of the rows and leaves its part of the product
 * in `partial`. Each then finds for itself, at the begin of the next dispatch, what the parts add up to, the pending update and the next reflection: so a column
 * needs no dispatch more.
 */
export function wideText(
  problem: EighProblem,
  config: TridiagonalConfig,
  shape: Shape,
  bindings: readonly Binding[],
): string {
  const { n, quads, threads, across, parts } = shape;
  const { groups, reduction } = config;
  const wide = formatU32(quads);
  const columns = { shape, reduction, groups, a: rowsAt(shape), far: true };
  const subgroups = reduction === "subgroup";
  /** Address of a workgroup's part, of the column that a dispatch finds (0) or of the one before (1). */
  const partial = (group: string, before: 0 | 1): string =>
    `partial[item * ${formatU32(partialQuads(shape, groups))} + ((k + ${before}u) % 2u) * ${formatU32(groups * quads)} + ${group} * ${wide} + c]`;
  return lines(
    subgroups && "enable subgroups;",
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, { ...TYPES, rows: "array<vec4f>", partial: "array<vec4f>" }),
    columnMemory(shape),
    "var<workgroup> beside: f32;",
    columnMain(
      shape,
      subgroups,
      `let task = ${linearGroup()};`,
      `let item = task / ${formatU32(groups)};`,
      `let own = task % ${formatU32(groups)};`,
      "if (item >= extents.items) { return; }",
      `let team = t / ${formatU32(across)};`,
      `let place = t % ${formatU32(across)};`,
      "let k = extents.iteration;",
      placeText(columns),
      "var pending = 0.0f;",
      `if (k > 0u) { pending = band[${bandAt(n, "factor")} + k - 1u]; }`,
      aheadText(columns),
      // The column before: its vector lies in `work` from its first quad on.
      "var share = 0.0f;",
      strided("c", quads, threads, [
        "var v = vec4f();",
        "var w = vec4f();",
        block(
          "if (k > 0u && c >= k / 4u)",
          `v = work[item * ${formatU32(n * quads)} + (k - 1u) * ${wide} + c];`,
          times(groups, (group) => `w += ${partial(formatU32(group), 1)};`),
        ),
        "share += dot(v, w);",
        "vs[c] = v;",
        "ws[c] = w;",
      ]),
      "line[t] = share;",
      "workgroupBarrier();",
      // Threads beyond the quads have no share.
      summed("product", Math.min(threads, quads), (o) => `line[${o}]`, columns),
      "let half = 0.5f * pending * (pending * product);",
      strided("c", quads, threads, ["ws[c] = pending * ws[c] - half * vs[c];"]),
      "workgroupBarrier();",
      rowText(columns, "own == 0u && "),
      reflectionText(columns),
      passText(columns),
      "workgroupBarrier();",
      block(
        "if (team == 0u)",
        everyQuad(
          shape,
          "var sum = sums[c];",
          times(parts - 1, (o) => `sum += sums[${formatU32((o + 1) * quads)} + c];`),
          `${partial("own", 0)} = sum;`,
          `if (own == 0u) { work[item * ${formatU32(n * quads)} + k * ${wide} + c] = ${reflector("c")}; }`,
        ),
      ),
      block(
        "if (t == 0u && own == 0u)",
        `band[${bandAt(n, "beside")} + k] = end;`,
        `band[${bandAt(n, "factor")} + k] = factor;`,
      ),
    ),
  );
}
