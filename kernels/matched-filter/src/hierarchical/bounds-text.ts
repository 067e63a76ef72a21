import type { Binding } from "@tunelab/contract";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  formatF32,
  formatU32,
  GROUP_BUILTINS,
  linearGroup,
  lines,
  type Text,
} from "@tunelab/variants";
import { type CoarseGrid, groupEdges, ROUNDING } from "./bound.ts";

/** Bytes of the four weighted norms of a spectrum. */
export const NORM_BYTES = 16;

/** Extents of the plan that hierarchical texts read beside the threshold's: data spectra and templates. */
export const COUNTS = ["spectra", "filters"] as const;

/**
 * The kernel that sums up the weighted norms of `hierarchical/bound.ts`: a workgroup a spectrum, data first, then templates. It writes
 * `norms`, and where `counters` are bound it resets them for the worklist that follows.
 */
export function boundsText(
  grid: CoarseGrid,
  threads: number,
  bindings: readonly Binding[],
  own: Readonly<Record<string, number>>,
): string {
  const spectra = `array<array<vec4f, ${grid.n / 2}>>`;
  const counters = bindings.some(({ buffer }) => buffer === "counters");
  return lines(
    extentsStruct(own),
    bindingDeclarations(bindings, {
      data: spectra,
      templates: spectra,
      norms: "array<vec4f>",
      counters: "array<u32, 4>",
    }),
    `var<workgroup> partial: array<vec4f, ${threads}>;`,
    `@compute @workgroup_size(${threads})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let spectrum = ${linearGroup()};`,
      "if (spectrum >= extents.spectra + extents.filters) { return; }",
      counters &&
        block(
          "if (spectrum == 0u && t == 0u)",
          "counters[0] = 0u;",
          "counters[1] = 1u;",
          "counters[2] = 1u;",
          "counters[3] = 0u;",
        ),
      "var sum = vec4f();",
      block("if (spectrum < extents.spectra)", sums(grid, threads, "data[spectrum]")),
      block("else", sums(grid, threads, "templates[spectrum - extents.spectra]")),
      "partial[t] = sum;",
      "workgroupBarrier();",
      halvings(threads).map((half) => [
        `if (t < ${formatU32(half)}) { partial[t] = partial[t] + partial[t + ${formatU32(half)}]; }`,
        "workgroupBarrier();",
      ]),
      "if (t == 0u) { norms[spectrum] = sqrt(partial[0]); }",
    ),
  );
}

const halvings = (threads: number): number[] => {
  const list: number[] = [];
  for (let half = threads / 2; half >= 1; half /= 2) list.push(half);
  return list;
};

/** Sums of one spectrum over each group of bins, two bins (a vec4f) at a time. */
function sums(grid: CoarseGrid, threads: number, from: string): Text[] {
  const edges = groupEdges(grid);
  return ["x", "y", "z", "w"].flatMap((part, group): Text[] => {
    const [first, last] = [edges[group]! / 2, edges[group + 1]! / 2];
    if (last === first) return [];
    const [rounds, rest] = [Math.floor((last - first) / threads), (last - first) % threads];
    const body = (step: string): Text[] => [
      `let at = ${formatU32(first)} + ${step} * ${formatU32(threads)} + t;`,
      `let v = ${from}[at];`,
      group === 0
        ? inBand(grid, part)
        : `sum.${part} = sum.${part} + ${formatF32(1 + ROUNDING)} * dot(v, v);`,
    ];
    return [
      rounds > 0 && block(`for (var step = 0u; step < ${formatU32(rounds)}; step += 1u)`, body("step")),
      rest > 0 && block(`if (t < ${formatU32(rest)})`, body(formatU32(rounds))),
    ];
  });
}

function inBand({ centre, length }: CoarseGrid, part: string): Text[] {
  const turn = formatF32(Math.PI / length);
  const rounding = formatF32(ROUNDING);
  return [
    `let u = (f32(2u * at) - ${formatF32(centre)}) * ${turn};`,
    `let a = min(2.0f, 0.5f * u * u) + ${rounding};`,
    `let b = min(2.0f, 0.5f * (u + ${turn}) * (u + ${turn})) + ${rounding};`,
    `sum.${part} = sum.${part} + a * dot(v.xy, v.xy) + b * dot(v.zw, v.zw);`,
  ];
}
