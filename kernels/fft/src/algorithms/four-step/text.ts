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
import { inputPosition, outputPosition, type Shape } from "../../passes.ts";
import { registers, stageDeclaration, transformText } from "../../transform.ts";
import type { TransformOptions } from "../../transform-options.ts";
import { tableType } from "../../twiddles.ts";
import { type BetweenOptions, betweenText, TURNS, turnEntries } from "./between.ts";
import type { FourStepConfig } from "./space.ts";

/** One step: n / length transforms of `length` points an item, `side` neighbours a workgroup. */
export interface StepText {
  readonly n: number;
  readonly shape: Shape;
  readonly options: TransformOptions;
  readonly side: number;
  readonly layout: FourStepConfig["layout"];
  readonly bindings: readonly Binding[];
}

/** Columns: transforms over j1 of input[j1 n2 + column], times w^(column k1), to scratch. */
export function columnsText(step: StepText, between: BetweenOptions): string {
  const { n, shape, side, layout } = step;
  const rows = n / shape.n;
  const ends = positions(shape);
  const store = (r: number): Text => {
    const k = at(ends[r]!);
    if (layout === "rows") return `scratch[item][${k} * ${formatU32(rows)} + column] = x${r};`;
    const tile = formatU32(side);
    return `scratch[item][(${k} / ${tile} * ${formatU32(rows)} + column) * ${tile} + ${k} % ${tile}] = x${r};`;
  };
  return kernelText(step, "column", between, [
    loads(shape, (k) => `input[item][${k} * ${formatU32(rows)} + column]`),
    transformed(step),
    betweenText(between, registers(shape), ends, shape.threads),
    registers(shape).map((_, r) => store(r)),
  ]);
}

/** Rows: transforms over j2 of scratch[row, j2], to output[k2 n1 + row]. */
export function rowsText(step: StepText): string {
  const { n, shape, side, layout } = step;
  const columns = n / shape.n;
  const load = (k: string): string =>
    layout === "rows"
      ? `scratch[item][row * ${formatU32(shape.n)} + ${k}]`
      : `scratch[item][(tile * ${formatU32(shape.n)} + ${k}) * ${formatU32(side)} + neighbour]`;
  const ends = positions(shape);
  return kernelText(step, "row", undefined, [
    loads(shape, load),
    transformed(step),
    registers(shape).map((x, r) => `output[item][${at(ends[r]!)} * ${formatU32(columns)} + row] = ${x};`),
  ]);
}

const at = (offset: number): string => (offset ? `(t + ${formatU32(offset)})` : "t");

/** Position of every register at the end, less the thread index. */
const positions = (shape: Shape): number[] =>
  registers(shape).map((_, r) => outputPosition(shape, shape.passes.at(-1)!, 0, r));

const loads = (shape: Shape, from: (position: string) => string): Text[] =>
  registers(shape).map((x, r) => `var ${x} = ${from(at(inputPosition(shape, shape.passes[0]!, 0, r)))};`);

/** Neighbours interleave in the exchange array as they do in the workgroup, so that neighbouring threads meet neighbouring words. */
const transformed = ({ shape, options, side }: StepText): string =>
  transformText(shape, options, {
    stageIndex: (slot) => `(${slot}) * ${formatU32(side)} + neighbour`,
  }).text;

/** The frame of both steps: which transform of which item a thread works on. Every workgroup is full: side divides the neighbours. */
function kernelText(
  step: StepText,
  name: "column" | "row",
  between: BetweenOptions | undefined,
  body: readonly Text[],
): string {
  const { n, shape, options, side, bindings } = step;
  const tiles = formatU32(n / shape.n / side);
  const points = `array<array<vec2f, ${n}>>`;
  return lines(
    extentsStruct(),
    bindingDeclarations(bindings, {
      input: points,
      scratch: points,
      output: points,
      ...(options.table ? { [options.table]: tableType(shape, options) } : {}),
      ...(between ? { [TURNS]: `array<vec2f, ${turnEntries(between)}>` } : {}),
    }),
    stageDeclaration(shape, options.exchange, side),
    `@compute @workgroup_size(${shape.threads * side})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) lane: u32)`,
      `let index = ${linearGroup()};`,
      `let item = index / ${tiles};`,
      "if (item >= extents.items) { return; }",
      `let tile = index % ${tiles};`,
      `let neighbour = lane % ${formatU32(side)};`,
      `let t = lane / ${formatU32(side)};`,
      `let ${name} = tile * ${formatU32(side)} + neighbour;`,
      ...body,
    ),
  );
}
