import { formatF32 } from "@tunelab/variants";
import { Builder, type Codelet, type Operation } from "./complex.ts";

/** Lengths that one thread transforms in registers. */
export const RADICES = [2, 4, 8, 16, 32, 64] as const;
export type Radix = (typeof RADICES)[number];

/** Direction of a transform: the sign of the exponent. Forward -1, inverse +1; neither is normalised. */
export type Sign = 1 | -1;

const made = new Map<string, Codelet>();

/**
 * DFT of `radix` points, natural order in and out: X[k] = sum_m x[m] exp(sign 2 pi i k m / radix). Radix 4 splits into 2x2, radix 8
 * into 2x4, radix 16 into 4x4, radix 32 into 4x8, radix 64 into 8x8; constants come from float64.
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
  const a = n <= 8 ? 2 : n <= 32 ? 4 : 8;
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

const fusedMade = new Map<string, Codelet>();

/**
 * One factor of a fused butterfly: level `size` (a size-N sub-butterfly, N = 2, 4, .. radix) multiplies output q of its odd half by
 * exp(sign 2 pi i (k / before + q) / N), k the butterfly's twiddle index. Outputs from q = N/4 on use i times the factor a quarter
 * earlier, so radix / 2 factors carry all twiddles of the pass and all constants of the DFT.
 */
export interface FusedFactor {
  readonly size: number;
  readonly q: number;
}

/** The factors of a fused butterfly, the root (size = radix, q = 0) first: the order of its inputs after the points. */
export function fusedFactors(radix: number): readonly FusedFactor[] {
  const factors: FusedFactor[] = [];
  for (let size = radix; size >= 2; size /= 2) {
    for (const q of range(Math.max(1, size / 4))) factors.push({ size, q });
  }
  return factors;
}

/**
 * What a fused codelet reads. `points`: radix values. `twiddled`: the points, then `fusedFactors`. `merged`: the points, then the
 * twiddles w^1 .. w^(radix - 1) of all points but the first. `products`: radix values a, then radix values h, the points being
 * a conj(h). In the last two the products merge with the first additions, ten instructions a pair instead of twelve.
 */
export type FusedInputs = "points" | "twiddled" | "merged" | "products";

/**
 * DFT of `radix` points with the pass's twiddles inside, as log2(radix) levels of radix-2 butterflies: s = a + f b takes four fused
 * multiply-adds and a - f b = 2 a - s two more, where a product, a sum and a difference take eight instructions. Radix 16 takes
 * 192 in all, against 160 for the 4x4 split and 60 for its 15 twiddles.
 */
export function fusedCodelet(radix: number, sign: Sign, inputs: FusedInputs): Codelet {
  const key = `${radix}/${sign}/${inputs}`;
  const known = fusedMade.get(key);
  if (known) return known;
  const factors = fusedFactors(radix);
  const more = { points: 0, twiddled: factors.length, merged: radix - 1, products: radix }[inputs];
  const builder = new Builder(radix + more);
  const pair = (a: number, b: number, size: number, q: number): [number, number] => {
    const turns = size >= 4 && q >= size / 4;
    if (inputs === "twiddled") {
      const own = turns ? q - size / 4 : q;
      const f = radix + factors.findIndex((factor) => factor.size === size && factor.q === own);
      const sum = builder.addProduct(a, turns ? builder.rotate(f, sign) : f, b);
      return [sum, builder.mirror(a, sum)];
    }
    if (inputs === "merged" && size === 2) {
      const first = a === 0 ? a : builder.product(a, radix + a - 1);
      const sum = builder.addProduct(first, radix + b - 1, b);
      return [sum, builder.mirror(first, sum)];
    }
    if (inputs === "products" && size === 2) {
      const first = builder.correlate(a, radix + a);
      const sum = builder.addCorrelate(first, b, radix + b);
      return [sum, builder.mirror(first, sum)];
    }
    if (q === 0 || q * 4 === size) {
      const other = turns ? builder.rotate(b, sign) : b;
      return [builder.add(a, other), builder.sub(a, other)];
    }
    const angle = (sign * 2 * Math.PI * q) / size;
    const sum = builder.addScaled(a, b, Math.cos(angle), Math.sin(angle));
    return [sum, builder.mirror(a, sum)];
  };
  const level = (start: number, stride: number): number[] => {
    const size = radix / stride;
    if (size === 1) return [start];
    const even = level(start, 2 * stride);
    const odd = level(start + stride, 2 * stride);
    const pairs = even.map((a, q) => pair(a, odd[q]!, size, q));
    return [...pairs.map(([sum]) => sum), ...pairs.map(([, difference]) => difference)];
  };
  const result = builder.finish(level(0, 1));
  fusedMade.set(key, result);
  return result;
}

/**
 * WGSL of a codelet on the vec2f values `inputs`: assigns its outputs in natural order to the variables `outputs`, with temporaries
 * named after `prefix`. One statement a line.
 */
export function codeletText(
  code: Codelet,
  inputs: readonly string[],
  outputs: readonly string[],
  prefix: string,
): string[] {
  const names = [...inputs];
  const text: string[] = [];
  for (const [index, operation] of code.operations.entries()) {
    const name = `${prefix}${index}`;
    text.push(`let ${name} = ${expression(operation, names)};`);
    names.push(name);
  }
  for (const [index, output] of code.outputs.entries()) text.push(`${outputs[index]} = ${names[output]};`);
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
    case "product": {
      const w = names[operation.w]!;
      return `fma(vec2f(-${w}.y, ${w}.y), ${a}.yx, ${w}.x * ${a})`;
    }
    case "add-product": {
      const w = names[operation.w]!;
      return addProductText(a, `${w}.x`, `${w}.y`, names[operation.b]!);
    }
    case "add-scaled":
      return addProductText(a, formatF32(operation.re), formatF32(operation.im), names[operation.b]!);
    case "correlate":
      return correlateText(a, names[operation.h]!);
    case "add-correlate": {
      const h = names[operation.h]!;
      return `fma(vec2f(${h}.y, -${h}.y), ${names[operation.b]}.yx, fma(${h}.xx, ${names[operation.b]}, ${a}))`;
    }
    case "mirror":
      return `fma(vec2f(2.0f), ${a}, -${names[operation.b]})`;
  }
}

/** a + (re + i im) b as an expression; explicit fma() so that every compiler issues what `instructionsOf` counts. */
const addProductText = (a: string, re: string, im: string, b: string): string =>
  `fma(vec2f(-${im}, ${im}), ${b}.yx, fma(vec2f(${re}), ${b}, ${a}))`;

/** The complex product of a vec2f and re + i im as an expression. */
export function multiplyText(a: string, re: string, im: string): string {
  return `vec2f(${a}.x * ${re} - ${a}.y * ${im}, ${a}.x * ${im} + ${a}.y * ${re})`;
}

/** a conj(h) as an expression. */
export function correlateText(a: string, h: string): string {
  return `fma(vec2f(${h}.y, -${h}.y), ${a}.yx, ${a} * ${h}.x)`;
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
