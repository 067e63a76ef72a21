import { inputPosition, range, registers, STAGE, transformText } from "@tunelab/kernel-fft";
import { block, formatF32, formatU32, lines, type Text } from "@tunelab/variants";
import { THRESHOLD } from "../problem.ts";
import { loadText } from "../wgsl/loads.ts";
import { maximum } from "../wgsl/peak.ts";
import { sideHooks, sideText } from "../wgsl/sides.ts";
import { MARGIN } from "./bound.ts";
import type { Coarse } from "./space.ts";

/** How a workgroup takes its coarse pairs: `sides` sets of threads side by side, each of them `tile` pairs in turn. */
export interface CoarseRound {
  readonly coarse: Coarse;
  readonly sides: number;
  /** Name of the exchange array. */
  readonly stage?: string;
}

/** Pairs of a workgroup. */
export const pairsOf = ({ coarse, sides }: CoarseRound): number => coarse.tile * sides;

/** Whether the round's text enables subgroups. */
export const coarseSubgroups = ({ coarse }: CoarseRound): boolean => (coarse.transform.shuffle ?? 0) > 0;

/** Bytes of the workgroup variables of `loudDeclaration`. */
export const loudMemory = (round: CoarseRound): number => 4 * pairsOf(round);

export const loudDeclaration = (round: CoarseRound): string =>
  `var<workgroup> loud: array<atomic<u32>, ${pairsOf(round)}>;`;

/**
 * The coarse pass of a workgroup over pairs `first`, `first + 1`, ...: at its end, behind a barrier, `loud[k]` is 1 where pair
 * `first + k` may have a peak at the threshold (`hierarchical/bound.ts`), else 0. Reads `lane`, declares `t`. Pairs past the end
 * of the batch repeat the last, because every thread must reach every barrier.
 *
 * A pair is passed over only where its maximum is proven low: whatever a NaN compares as, such a pair has no peak either way.
 */
export function coarseRound(round: CoarseRound): Text[] {
  const { coarse, sides, stage = STAGE } = round;
  const { shape, tile, grid } = coarse;
  const sided = { ...coarse.transform, transforms: sides };
  const every = range(shape.points);
  const first = shape.passes[0]!;
  const offset = (r: number): number => inputPosition(shape, first, 0, r);
  /** Loads of the registers in the band; those beyond it stay zero. */
  const load = (from: string, target: (r: number) => string, temporary: string): Text[] =>
    loadText(shape, coarse.loads, from, target, temporary, (r) => offset(r) < grid.band);
  const inBand = every.filter((r) => offset(r) < grid.band);
  const beyond = every.filter((r) => offset(r) >= grid.band);
  const { factors, text, barriers } = transformText(shape, coarse.options, {
    products: { a: every.map((r) => `d${r}`), h: every.map((r) => `h${r}`) },
    stage,
    ...sideHooks(sided),
  });
  return [
    sides > 1 ? sideText(shape, sided) : "let t = lane;",
    `if (lane < ${formatU32(pairsOf(round))}) { atomicStore(&loud[lane], 0u); }`,
    // Where all exchanges are shuffles no barrier of a transform stands before the first flag.
    barriers === 0 && "workgroupBarrier();",
    "var held = NO_PEAK;",
    "var heldNorms = vec4f();",
    inBand.map((r) => `var d${r} = vec2f();`),
    beyond.map((r) => [`let d${r} = vec2f();`, `let h${r} = vec2f();`]),
    factors,
    block(
      `for (var step = 0u; step < ${formatU32(tile)}; step += 1u)`,
      sides > 1 ? `let mine = side * ${formatU32(tile)} + step;` : "let mine = step;",
      "let source = pairs[min(first + mine, extents.items - 1u)];",
      block(
        "if (source.x != held)",
        "held = source.x;",
        "heldNorms = norms[source.x];",
        load("data[source.x]", (r) => `d${r}`, "dv"),
      ),
      load("templates[source.y]", (r) => `let h${r}`, "hv"),
      "let slack = dot(heldNorms, norms[extents.spectra + source.y]);",
      `let least = ${THRESHOLD} * ${formatF32(1 - MARGIN)} - slack * ${formatF32(1 + MARGIN)};`,
      registers(shape).map((x) => `var ${x} = vec2f();`),
      text,
      registers(shape).map((x, r) => `let m${r} = dot(${x}, ${x});`),
      `let best = ${maximum(every.map((r) => `m${r}`))};`,
      "let low = least > 0.0f && best < least * least;",
      "if (!low) { atomicStore(&loud[mine], 1u); }",
      // The next pair's exchange overwrites what this one's last still reads.
      barriers > 0 && "workgroupBarrier();",
    ),
    barriers === 0 && "workgroupBarrier();",
  ];
}

/** For each pair of the workgroup, by one lane: `whenLoud` where it may have a peak, else the record of none. */
export const decided = (round: CoarseRound, whenLoud: readonly Text[]): string =>
  block(
    `if (lane < ${formatU32(pairsOf(round))} && first + lane < extents.items)`,
    "let pair = first + lane;",
    lines(
      block("if (atomicLoad(&loud[lane]) == 1u)", ...whenLoud),
      "else { records[pair] = vec4u(NO_PEAK, 0u, 0u, 0u); }",
    ),
  );
