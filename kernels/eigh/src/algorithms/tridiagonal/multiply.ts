import type { Binding } from "@tunelab/contract";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  formatU32,
  GROUP_BUILTINS,
  linearGroup,
  lines,
} from "@tunelab/variants";
import { strides } from "../../buffers.ts";
import type { EighProblem } from "../../problem.ts";
import { where } from "../../wgsl/where.ts";
import { TYPES, workgroupBytes } from "./shape.ts";

/** Rows and columns of the product that a workgroup makes, four by four a thread, and how many of the sum's terms it holds at a time. */
export const TILE = 32;
const DEPTH = 16;
const QUADS = TILE / 4;
export const MULTIPLY_THREADS: number = QUADS * QUADS;

export const multiplyBytes = (): number => workgroupBytes(16 * DEPTH * QUADS, 16 * DEPTH * QUADS);

const tilesOf = (n: number): number => Math.ceil(n / TILE);

/** Workgroups of a matrix. */
export const multiplyGroups = (n: number): number => tilesOf(n) ** 2;

/**
 * The vectors of pieces that meet become those of their union: basis x mix, one half of `basis` to the other. mix is zero (and not written) but for square blocks of the
 * level's size on its diagonal.
 */
export function multiplyText(problem: EighProblem, bindings: readonly Binding[]): string {
  const { n } = problem;
  const [count, tiles] = [formatU32(n), formatU32(tilesOf(n))];
  const exact = n % TILE === 0;
  const parts = ["x", "y", "z", "w"] as const;
  const loads = (DEPTH * QUADS) / MULTIPLY_THREADS;
  return lines(
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, { ...TYPES, mix: "array<f32>" }),
    `var<workgroup> left: array<vec4f, ${DEPTH * QUADS}>;`,
    `var<workgroup> right: array<vec4f, ${DEPTH * QUADS}>;`,
    `@compute @workgroup_size(${MULTIPLY_THREADS})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let task = ${linearGroup()};`,
      `let item = task / ${formatU32(tilesOf(n) ** 2)};`,
      "if (item >= extents.items) { return; }",
      `let row = (task % ${tiles}) * ${TILE}u;`,
      `let column = (task / ${tiles}) % ${tiles} * ${TILE}u;`,
      `let down = t % ${QUADS}u;`,
      `let across = t / ${QUADS}u;`,
      "let shift = extents.iteration + 1u;",
      // The terms that the tile's columns have: those of their blocks.
      "let first = (column >> shift) << shift;",
      `let end = min(${count}, (((column + ${TILE - 1}u) >> shift) + 1u) << shift);`,
      `let source = item * ${formatU32(2 * n * n)} + (extents.iteration % 2u) * ${formatU32(n * n)};`,
      `let goal = item * ${formatU32(2 * n * n)} + ((extents.iteration + 1u) % 2u) * ${formatU32(n * n)};`,
      parts.map((part) => `var sum${part} = vec4f();`),
      block(
        // A constant bound and a way out: of a bound that it cannot name Tint proves no end, and counts the rounds.
        `for (var chunk = 0u; chunk < ${formatU32(Math.ceil(n / DEPTH))}; chunk += 1u)`,
        `let begin = first + chunk * ${DEPTH}u;`,
        "if (begin >= end) { break; }",
        block(
          `for (var o = 0u; o < ${formatU32(loads)}; o += 1u)`,
          `let q = t + o * ${formatU32(MULTIPLY_THREADS)};`,
          `let j = begin + q / ${QUADS}u;`,
          `let r = row + 4u * (q % ${QUADS}u);`,
          `let c = column + 4u * (q % ${QUADS}u);`,
          "var a = vec4f();",
          "var b = vec4f();",
          block(
            "if (j < end)",
            parts.map((part, e) => [
              `${exact ? "" : `if (r + ${e}u < ${count}) { `}a.${part} = basis[source + j * ${count} + r + ${e}u];${exact ? "" : " }"}`,
              `if (${exact ? "" : `c + ${e}u < ${count} && `}(c + ${e}u) >> shift == j >> shift) { b.${part} = mix[item * ${formatU32(n * n)} + j * ${count} + c + ${e}u]; }`,
            ]),
          ),
          "left[q] = a;",
          "right[q] = b;",
        ),
        "workgroupBarrier();",
        block(
          `for (var o = 0u; o < ${DEPTH}u; o += 1u)`,
          `let a = left[o * ${QUADS}u + down];`,
          `let b = right[o * ${QUADS}u + across];`,
          parts.map((part) => `sum${part} += a * b.${part};`),
        ),
        "workgroupBarrier();",
      ),
      parts.map((part, c) =>
        where(
          exact ? "" : `column + 4u * across + ${c}u < ${count}`,
          `let to${part} = goal + (column + 4u * across + ${c}u) * ${count} + row + 4u * down;`,
          parts.map((component, e) =>
            exact
              ? `basis[to${part} + ${e}u] = sum${part}.${component};`
              : `if (row + 4u * down + ${e}u < ${count}) { basis[to${part} + ${e}u] = sum${part}.${component}; }`,
          ),
        ),
      ),
    ),
  );
}
