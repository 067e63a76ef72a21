import { formatU32, type Text } from "@tunelab/variants";
import { inputPosition, type Shape } from "../../passes.ts";
import { registers } from "../../transform.ts";
import type { BetweenOptions } from "./between.ts";
import type { FourStepConfig } from "./space.ts";
import { at, columnsEnd, outputOffsets, type Step, stepKernel, stepTransform } from "./steps.ts";

export interface StepText extends Step {
  readonly layout: FourStepConfig["layout"];
}

/** Columns: transforms over j1 of input[j1 n2 + column], times w^(column k1), to scratch. */
export function columnsText(step: StepText, between: BetweenOptions): string {
  const { n, shape, layout } = step;
  const rows = n / shape.n;
  return stepKernel(step, { types: typesOf(n), between }, [
    loads(shape, (k) => `input[item][${k} * ${formatU32(rows)} + column]`),
    stepTransform(step).text,
    columnsEnd(step, between, layout),
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
  const ends = outputOffsets(shape);
  return stepKernel(step, { types: typesOf(n) }, [
    loads(shape, load),
    stepTransform(step).text,
    registers(shape).map((x, r) => `output[item][${at(ends[r]!)} * ${formatU32(columns)} + row] = ${x};`),
  ]);
}

function typesOf(n: number): Readonly<Record<"input" | "scratch" | "output", string>> {
  const points = `array<array<vec2f, ${n}>>`;
  return { input: points, scratch: points, output: points };
}

const loads = (shape: Shape, from: (position: string) => string): Text[] =>
  registers(shape).map((x, r) => `var ${x} = ${from(at(inputPosition(shape, shape.passes[0]!, 0, r)))};`);
