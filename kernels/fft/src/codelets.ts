import { formatF32 } from "@tunelab/variants";
import { Builder, type Codelet, type Operation } from "./complex.ts";

/** Lengths that one thread transforms in registers. */
export const RADICES = [2, 4, 8, 16] as const;
export type Radix = (typeof RADICES)[number];

/** Direction of a transform: the sign of the exponent. Forward -1, inverse +1; neither is normalised. */
export type Sign = 1 | -1;

const made = new Map<string, Codelet>();

/**
 * DFT of `radix` points, natural order in and out: X[k] = sum_m x[m] exp(sign 2 pi i k m / radix). Radix 4 splits into 2x2, radix 8
 * into 2x4, radix 16 into 4x4; constants come from float64.
 */
export function codelet(radix: number, sign: Sign): Codelet {
  const key = `${radix}/${sign}`;
  const known = made.get(key);
  if (known) return known;
  const builder = new Builder(radix);
  const outputs = transform(
    builder,
    Array.from({ length: radix }, (_, index) => index),
    sign,
  );
  const result = builder.finish(outputs);
  made.set(key, result);
  return result;
}

/** Cooley-Tukey n = a b with the smaller factor first: columns of stride b, twiddles, rows. */
function transform(builder: Builder, values: readonly number[], sign: Sign): number[] {
  const n = values.length;
  if (n === 1) return [...values];
  if (n === 2) return [builder.add(values[0]!, values[1]!), builder.sub(values[0]!, values[1]!)];
  const a = n === 4 ? 2 : n === 8 ? 2 : 4;
  const b = n / a;
  const columns = range(b).map((column) =>
    transform(
      builder,
      range(a).map((row) => values[row * b + column]!),
      sign,
    ),
  );
  const outputs = new Array<number>(n);
  for (const k of range(a)) {
    const row = range(b).map((column) => builder.twiddle(columns[column]![k]!, column * k, n, sign));
    for (const [j, value] of transform(builder, row, sign).entries()) outputs[j * a + k] = value;
  }
  return outputs;
}

/**
 * WGSL of a codelet on the vec2f variables `registers` (inputs, overwritten by the outputs in natural order), with
 * temporaries named after `prefix`. One statement a line.
 */
export function codeletText(code: Codelet, registers: readonly string[], prefix: string): string[] {
  const names = [...registers];
  const text: string[] = [];
  for (const [index, operation] of code.operations.entries()) {
    const name = `${prefix}${index}`;
    text.push(`let ${name} = ${expression(operation, names)};`);
    names.push(name);
  }
  for (const [index, output] of code.outputs.entries()) text.push(`${registers[index]} = ${names[output]};`);
  return text;
}

function expression(operation: Operation, names: readonly string[]): string {
  const a = names[operation.a]!;
  switch (operation.kind) {
    case "add":
      return `${a} + ${names[operation.b]}`;
    case "sub":
      return `${a} - ${names[operation.b]}`;
    case "rotate":
      return operation.sign === 1 ? `vec2f(-${a}.y, ${a}.x)` : `vec2f(${a}.y, -${a}.x)`;
    case "scale":
      return multiplyText(a, formatF32(operation.re), formatF32(operation.im));
  }
}

/** The complex product of a vec2f and re + i im as an expression. */
export function multiplyText(a: string, re: string, im: string): string {
  return `vec2f(${a}.x * ${re} - ${a}.y * ${im}, ${a}.x * ${im} + ${a}.y * ${re})`;
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
