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
import { strides } from "../../buffers.ts";
import type { EighProblem } from "../../problem.ts";
import { bandAt, TYPES, workgroupBytes } from "./shape.ts";

/** Threads of the kernel that forms Q, and the most elements of Q of each. */
const THREADS = 128;
const MOST_ROWS = 16;

/** Columns of Q of a workgroup, threads that share a column, and rows of each; workgroups of a matrix, or matrices of a workgroup where it has more columns than one. */
export function slabOf(n: number): {
  readonly threads: number;
  readonly columns: number;
  readonly teams: number;
  readonly rows: number;
  readonly slabs: number;
  readonly matrices: number;
} {
  const teams = Math.min(THREADS, 2 ** Math.ceil(Math.log2(Math.ceil(n / MOST_ROWS))));
  const columns = THREADS / teams;
  return {
    threads: THREADS,
    columns,
    teams,
    rows: Math.ceil(n / teams),
    slabs: Math.ceil(n / columns),
    matrices: Math.max(1, Math.floor(columns / n)),
  };
}

export const formBytes = (n: number): number => workgroupBytes(4 * slabOf(n).threads);

/**
 * The product Q of the reflections, from the last to the first, so that column j meets j of them only. A workgroup has some columns in
 * registers, of several matrices where they are small, and the next reflection on its way while one is applied: `basis`, or the first of its `halves`, holds element (i, j) of Q at j n + i.
 */
export function formText(problem: EighProblem, halves: number, bindings: readonly Binding[]): string {
  const { n } = problem;
  const { threads, columns, teams, rows, slabs, matrices } = slabOf(n);
  const count = formatU32(n);
  const quads = Math.ceil(n / 4);
  const perTeam = formatU32(columns);
  const each = (make: (row: number, at: string, inside: string) => string): readonly string[] =>
    Array.from({ length: rows }, (_, r) => {
      const at = r === 0 ? "team" : `team + ${formatU32(r * teams)}`;
      return make(r, at, (r + 1) * teams <= n ? "" : `${at} < ${count}`);
    });
  const guarded = (condition: string, text: string): string =>
    condition ? `if (${condition}) { ${text} }` : text;
  /** Asks for reflection k, zeros above its first place. */
  const ask = (k: string): Text => [
    `next = band[${bandAt(n, "factor")} + ${k}];`,
    `let start = item * ${formatU32(4 * n * quads)} + ${k} * ${formatU32(4 * quads)};`,
    each((r, at, inside) =>
      guarded([inside, `${at} > ${k}`].filter(Boolean).join(" && "), `next${r} = work[start + ${at}];`),
    ),
  ];
  const packed = matrices > 1;
  return lines(
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, { ...TYPES, work: "array<f32>" }),
    `var<workgroup> line: array<f32, ${threads}>;`,
    `@compute @workgroup_size(${threads})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let slab = ${linearGroup()};`,
      packed
        ? [
            `let own = slab * ${formatU32(matrices)} + t / ${formatU32(teams)} / ${count};`,
            `if (slab * ${formatU32(matrices)} >= extents.items) { return; }`,
            // Threads without a column do as the last matrix's do and keep it to themselves.
            "let item = min(own, extents.items - 1u);",
            `let j = t / ${formatU32(teams)} % ${count};`,
            `let writes = own < extents.items && t < ${formatU32(matrices * n * teams)};`,
            `let most = ${count};`,
          ]
        : [
            `let item = slab / ${formatU32(slabs)};`,
            "if (item >= extents.items) { return; }",
            `let j = (slab % ${formatU32(slabs)}) * ${perTeam} + t / ${formatU32(teams)};`,
            `let writes = j < ${count};`,
            // Reflections after the last column of these leave them alone.
            `let most = min((slab % ${formatU32(slabs)} + 1u) * ${perTeam}, ${count});`,
          ],
      `let team = t % ${formatU32(teams)};`,
      each((r, at) => `var q${r} = select(0.0f, 1.0f, ${at} == j);`),
      "var next = 0.0f;",
      each((r) => `var next${r} = 0.0f;`),
      block("if (most > 1u)", "let k = most - 2u;", ask("k")),
      block(
        // A constant bound and a way out: of a bound that it cannot name Tint proves no end, and counts the rounds.
        `for (var o = 1u; o < ${count}; o += 1u)`,
        "if (o >= most) { break; }",
        "let factor = next;",
        each((r) => `let v${r} = next${r};`),
        block("if (o + 1u < most)", "let k = most - 2u - o;", ask("k")),
        "var along = 0.0f;",
        each((r) => `along += v${r} * q${r};`),
        teams > 1 && [
          "workgroupBarrier();",
          "line[t] = along;",
          "workgroupBarrier();",
          "along = 0.0f;",
          block(
            `for (var o2 = 0u; o2 < ${formatU32(teams)}; o2 += 1u)`,
            `along += line[t / ${formatU32(teams)} * ${formatU32(teams)} + o2];`,
          ),
        ],
        "along *= factor;",
        each((r) => `q${r} -= along * v${r};`),
      ),
      block(
        "if (writes)",
        each((r, at, inside) =>
          guarded(inside, `basis[item * ${formatU32(halves * n * n)} + j * ${count} + ${at}] = q${r};`),
        ),
      ),
    ),
  );
}
