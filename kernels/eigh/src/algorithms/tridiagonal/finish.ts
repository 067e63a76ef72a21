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
import { PORT_TYPES, strides } from "../../buffers.ts";
import { type EighProblem, STATUS } from "../../problem.ts";
import { countEnding } from "../../wgsl/endings.ts";
import { NAN_BITS, scaling } from "../../wgsl/numbers.ts";
import { strided } from "../../wgsl/strided.ts";
import { where } from "../../wgsl/where.ts";
import { bandAt, stateAt, THROUGH, TYPES, workgroupBytes } from "./shape.ts";

/** Threads of the kernel that sorts and writes, and rows of the vectors that a workgroup writes. */
export const FINISH_THREADS = 128;
const SLAB_ROWS = 64;

/** Workgroups of a matrix. */
export const finishSlabs = ({ n, vectors }: Pick<EighProblem, "n" | "vectors">): number =>
  vectors === "yes" ? Math.ceil(n / SLAB_ROWS) : 1;

export const finishBytes = ({ n, vectors }: Pick<EighProblem, "n" | "vectors">): number =>
  workgroupBytes(4 * n, vectors === "yes" ? 4 * n : 0);

/** Values in ascending order with the columns that belong to them, from one of the `halves` of `basis`, and how each matrix ended. */
export function finishText(
  problem: EighProblem,
  { halves, half }: { readonly halves: number; readonly half: number },
  bindings: readonly Binding[],
): string {
  const { n } = problem;
  const count = formatU32(n);
  const slabs = finishSlabs(problem);
  const vectors = problem.vectors === "yes";
  const rows = Math.min(n, SLAB_ROWS);
  return lines(
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, { ...PORT_TYPES, ...TYPES }),
    `var<workgroup> d: array<f32, ${n}>;`,
    vectors && `var<workgroup> sources: array<u32, ${n}>;`,
    `@compute @workgroup_size(${FINISH_THREADS})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let task = ${linearGroup()};`,
      `let item = task / ${formatU32(slabs)};`,
      `let slab = task % ${formatU32(slabs)};`,
      "if (item >= extents.items) { return; }",
      `let peak = ${stateAt("peak")};`,
      `let standing = ${stateAt("ending")};`,
      `let finite = standing != ${STATUS.nonFinite}u;`,
      scaling("peak"),
      strided("j", n, FINISH_THREADS, [`d[j] = band[${bandAt(n, "diagonal")} + j];`]),
      "workgroupBarrier();",
      strided("j", n, FINISH_THREADS, [
        "let x = d[j];",
        "var rank = 0u;",
        block(
          `for (var o = 0u; o < ${count}; o += 1u)`,
          "let other = d[o];",
          "if (other < x || (other == x && o < j)) { rank += 1u; }",
        ),
        // Comparisons with NaN hold for none: those matrices keep their order.
        "let spot = select(j, rank, finite);",
        vectors && "sources[spot] = j;",
        `if (slab == 0u) { values[item * ${count} + spot] = select(${NAN_BITS}, bitcast<u32>(x * up), finite); }`,
      ]),
      vectors && [
        "workgroupBarrier();",
        strided("q", rows * n, FINISH_THREADS, [
          `let i = slab * ${formatU32(SLAB_ROWS)} + q / ${count};`,
          `let place = q % ${count};`,
          where(
            n % rows === 0 ? "" : `i < ${count}`,
            `let x = basis[item * ${formatU32(halves * n * n)} + ${formatU32(half * n * n)} + sources[place] * ${count} + i];`,
            `vectors[item * ${formatU32(n * n)} + i * ${count} + place] = select(${NAN_BITS}, bitcast<u32>(x), finite);`,
          ),
        ]),
      ],
      block(
        "if (t == 0u && slab == 0u)",
        `let ended = select(select(standing, ${STATUS.converged}u, standing == ${THROUGH}u), ${STATUS.unconverged}u, standing == 0u);`,
        // Sweeps an eigenvalue took on average.
        `let sweeps = (${stateAt("swept")} + ${formatU32(n - 1)}) / ${count};`,
        "status[item] = vec2u(ended, sweeps);",
        "atomicMax(&report[0], sweeps);",
        countEnding("ended"),
      ),
    ),
  );
}

/** Threads of the kernel that counts: a thread a matrix. */
export const CHECK_THREADS = 64;

/** Counts the matrices that go on. */
export function checkText(problem: EighProblem, bindings: readonly Binding[]): string {
  return lines(
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, TYPES),
    `@compute @workgroup_size(${CHECK_THREADS})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let item = ${linearGroup()} * ${CHECK_THREADS}u + t;`,
      `if (item < extents.items && ${stateAt("ending")} == 0u) { atomicAdd(&left[0], 1u); }`,
    ),
  );
}
