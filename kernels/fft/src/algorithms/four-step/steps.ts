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
import { exchangeWords } from "../../exchange.ts";
import { outputPosition, type Shape } from "../../passes.ts";
import { registers, stageDeclaration, type TransformText, transformText } from "../../transform.ts";
import type { TransformHooks, TransformOptions } from "../../transform-options.ts";
import { tableType } from "../../twiddles.ts";
import { type BetweenOptions, betweenText, TURNS, turnEntries } from "./between.ts";
import type { FourStepConfig } from "./space.ts";

/**
 * One of the two steps that n points an item take: n / length transforms of `length` points, `side` neighbours a workgroup. The text knows
 * the item as `item`, the neighbours that a workgroup takes as `tile`, a thread's transform as `column` or `row`, its number among
 * the workgroup's as `neighbour`, and the thread's place in it as `t`.
 */
export interface Step {
  readonly n: number;
  readonly name: "column" | "row";
  readonly shape: Shape;
  readonly options: TransformOptions;
  readonly side: number;
  /**
   * Whose threads are neighbours: those of neighbouring transforms, where these have neighbouring points (columns), or those of one
   * transform (rows that are read along).
   */
  readonly threads: "across" | "along";
  readonly bindings: readonly Binding[];
}

/** What an operation adds to a step's text. */
export interface StepFrame {
  /** WGSL types of the buffers, but for the tables of factors. */
  readonly types: Readonly<Record<string, string>>;
  /** The factors between the steps, where this step multiplies by them. */
  readonly between?: BetweenOptions;
  /** Lines before everything else, and declarations after the others. */
  readonly enables?: readonly Text[];
  readonly declarations?: readonly Text[];
}

/** The frame of a step: which transform of which item a thread works on. Every workgroup is full: side divides the neighbours. */
export function stepKernel(step: Step, frame: StepFrame, body: readonly Text[]): string {
  const { n, shape, options, side, bindings, name } = step;
  const { types, between, enables = [], declarations = [] } = frame;
  const tiles = formatU32(n / shape.n / side);
  return lines(
    ...enables,
    extentsStruct(),
    bindingDeclarations(bindings, {
      ...types,
      ...(options.table ? { [options.table]: tableType(shape, options) } : {}),
      ...(between ? { [TURNS]: `array<vec2f, ${turnEntries(between)}>` } : {}),
    }),
    stageDeclaration(shape, options.exchange, side),
    ...declarations,
    `@compute @workgroup_size(${shape.threads * side})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) lane: u32)`,
      `let index = ${linearGroup()};`,
      `let item = index / ${tiles};`,
      "if (item >= extents.items) { return; }",
      `let tile = index % ${tiles};`,
      placeText(step),
      `let ${name} = tile * ${formatU32(side)} + neighbour;`,
      ...body,
    ),
  );
}

function placeText({ shape, options, side, threads }: Step): Text[] {
  if (threads === "across") {
    return [`let neighbour = lane % ${formatU32(side)};`, `let t = lane / ${formatU32(side)};`];
  }
  return [
    `let neighbour = lane / ${formatU32(shape.threads)};`,
    `let t = lane % ${formatU32(shape.threads)};`,
    `let base = neighbour * ${formatU32(exchangeWords(shape, options.exchange))};`,
  ];
}

/** The transform of a step: neighbours' words lie in the exchange array as their threads in the workgroup, so that neighbouring threads meet neighbouring words. */
export function stepTransform(step: Step, hooks: Omit<TransformHooks, "stageIndex"> = {}): TransformText {
  const { shape, options, side, threads } = step;
  const stageIndex = (slot: string): string =>
    threads === "across" ? `(${slot}) * ${formatU32(side)} + neighbour` : `base + ${slot}`;
  return transformText(shape, options, { ...hooks, stageIndex });
}

/** WGSL of a position that is the thread's index and a constant. */
export const at = (offset: number): string => (offset ? `(t + ${formatU32(offset)})` : "t");

/** Position of every register at the end, less the thread index. */
export const outputOffsets = (shape: Shape): number[] =>
  registers(shape).map((_, r) => outputPosition(shape, shape.passes.at(-1)!, 0, r));

/** The end of the first step: register k1 of a column times w^(column k1), to scratch, by rows or by tiles of `side` rows. */
export function columnsEnd(step: Step, between: BetweenOptions, layout: FourStepConfig["layout"]): Text[] {
  const { n, shape, side } = step;
  const rows = n / shape.n;
  const ends = outputOffsets(shape);
  const store = (r: number): Text => {
    const k = at(ends[r]!);
    if (layout === "rows") return `scratch[item][${k} * ${formatU32(rows)} + column] = x${r};`;
    const tile = formatU32(side);
    return `scratch[item][(${k} / ${tile} * ${formatU32(rows)} + column) * ${tile} + ${k} % ${tile}] = x${r};`;
  };
  return [
    betweenText(between, registers(shape), ends, shape.threads),
    registers(shape).map((_, r) => store(r)),
  ];
}
