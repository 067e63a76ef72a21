import type { Binding } from "@tunelab/contract";
import {
  at,
  type BetweenOptions,
  columnsEnd,
  inputPosition,
  outputPosition,
  range,
  registers,
  type Step,
  stepKernel,
  stepTransform,
} from "@tunelab/kernel-fft";
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
import { typesOf } from "../../buffers.ts";
import { type MatchedFilterProblem, thresholdExtents } from "../../problem.ts";
import { loadText, spectrumType } from "../../wgsl/loads.ts";
import {
  maximum,
  NO_PEAK_DECLARATION,
  peakText,
  type Reduction,
  reductionDeclarations,
  reductionReset,
} from "../../wgsl/peak.ts";
import type { FourStepConfig } from "./space.ts";

/** Threads that agree on a pair's peak among those of its tiles of rows: two subgroups of most devices, and the work is small. */
const FINISH_THREADS = 64;

/** Threads of the last step. */
export const finishThreads = (partials: number): number => Math.min(FINISH_THREADS, partials);

/** Pieces have every pair and record at hand: a piece of few long pairs begins where no binding may. */
const PAIR = "extents.first + item";

/** Columns: transforms over j1 of d conj(h) at [j1 n2 + column], times w^(column k1), to scratch by rows. */
export function columnsText(step: Step, between: BetweenOptions): string {
  const { n, shape } = step;
  const rows = formatU32(n / shape.n);
  const every = range(shape.points);
  const load = (name: string, from: string): Text[] =>
    every.map(
      (r) =>
        `let ${name}${r} = ${from}[${at(inputPosition(shape, shape.passes[0]!, 0, r))} * ${rows} + column];`,
    );
  const products = { a: every.map((r) => `d${r}`), h: every.map((r) => `h${r}`) };
  return stepKernel(step, { types: { ...typesOf(n), scratch: `array<${spectrumType(n)}>` }, between }, [
    `let source = pairs[${PAIR}];`,
    load("d", "data[source.x]"),
    load("h", "templates[source.y]"),
    registers(shape).map((x) => `var ${x} = vec2f();`),
    stepTransform(step, { products }).text,
    columnsEnd(step, between, "rows"),
  ]);
}

/**
 * Rows: transforms over j2 of scratch[row, j2], which are the lags k2 n1 + row, and the peak of all that the workgroup has: one partial
 * record a tile of rows, (|z|^2, lag, re, im) as bits.
 */
export function rowsText(step: Step, config: FourStepConfig): string {
  const { n, shape, side } = step;
  const { reduction, loads } = config;
  const columns = n / shape.n;
  const threads = shape.threads * side;
  const every = range(shape.points);
  const last = shape.passes.at(-1)!;
  const position = (r: number): number => outputPosition(shape, last, 0, r);
  // The registers' order is that of their lags, whatever the thread.
  const ascending = [...every].sort((a, b) => position(a) - position(b));
  const lag = (r: number): string => `${at(position(r))} * ${formatU32(columns)} + row`;
  const { text, barriers } = stepTransform(step);
  const from = `scratch[item][row]`;
  const types = {
    scratch: `array<array<${spectrumType(shape.n, loads)}, ${columns}>>`,
    partials: partialsType(columns / side),
  };
  const frame = {
    types,
    enables: [reduction === "subgroup" && "enable subgroups;"],
    declarations: [reductionDeclarations(reduction, threads), NO_PEAK_DECLARATION],
  };
  return stepKernel(step, frame, [
    reductionReset(reduction, 1, "lane"),
    loadText(shape, loads, from, (r) => `var x${r}`, "v"),
    text,
    // The reset must be seen by all before the first maximum.
    reduction === "subgroup" && barriers === 0 && "workgroupBarrier();",
    registers(shape).map((x, r) => `let m${r} = dot(${x}, ${x});`),
    `let best = ${maximum(every.map((r) => `m${r}`))};`,
    peakText({
      threads,
      reduction,
      thread: "lane",
      search: [...ascending].reverse().map((r) => `if (m${r} == best) { at = ${lag(r)}; z = x${r}; }`),
      written: {
        peak: "partials[item][tile] = vec4u(key, found, bitcast<u32>(z.x), bitcast<u32>(z.y));",
        none: "partials[item][tile] = vec4u(0u, NO_PEAK, 0u, 0u);",
      },
    }),
  ]);
}

/** One record a pair from its partial ones: the largest |z|^2, of equals the one of the lowest lag. */
export function finishText(
  problem: MatchedFilterProblem,
  partials: number,
  reduction: Reduction,
  bindings: readonly Binding[],
): string {
  const threads = finishThreads(partials);
  return lines(
    reduction === "subgroup" && "enable subgroups;",
    extentsStruct(thresholdExtents(problem)),
    bindingDeclarations(bindings, { ...typesOf(problem.n), partials: partialsType(partials) }),
    reductionDeclarations(reduction, threads),
    NO_PEAK_DECLARATION,
    `@compute @workgroup_size(${threads})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let item = ${linearGroup()};`,
      "if (item >= extents.items) { return; }",
      `let pair = ${PAIR};`,
      reductionReset(reduction),
      reduction === "subgroup" && "workgroupBarrier();",
      "var most = vec4u(0u, NO_PEAK, 0u, 0u);",
      block(
        `for (var step = 0u; step < ${formatU32(partials / threads)}; step += 1u)`,
        `let part = partials[item][step * ${formatU32(threads)} + t];`,
        "if (part.x > most.x || (part.x == most.x && part.y < most.y)) { most = part; }",
      ),
      "let best = bitcast<f32>(most.x);",
      peakText({
        threads,
        reduction,
        thresholded: problem.threshold !== undefined,
        search: ["at = most.y;", "z = vec2f(bitcast<f32>(most.z), bitcast<f32>(most.w));"],
      }),
    ),
  );
}

const partialsType = (partials: number): string => `array<array<vec4u, ${partials}>>`;
