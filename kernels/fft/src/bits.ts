import { formatU32 } from "@tunelab/variants";
import { range } from "./codelets.ts";

/** Bits of a power of two's range: log2. */
export const bitsOf = (powerOfTwo: number): number => Math.log2(powerOfTwo);

/** The value whose bit `places[i]` is bit i of `value`. */
export const scatter = (value: number, places: readonly number[]): number =>
  places.reduce((sum, place, i) => sum | (((value >>> i) & 1) << place), 0);

/** The value whose bit i is bit `places[i]` of `value`. */
export const gather = (value: number, places: readonly number[]): number =>
  places.reduce((sum, place, i) => sum | (((value >>> place) & 1) << i), 0);

/**
 * How an index is written: `modulo`, by / and % with constants, which the compiler's range analysis proves in range; or `mask`, by >>
 * and &, which it does not know, so that it clamps the index where robustness is on.
 */
export const INDEX_FORMS = ["modulo", "mask"] as const;
export type IndexForm = (typeof INDEX_FORMS)[number];

/** WGSL takes no sum or product beside a shift or a mask without brackets. */
const operand = (text: string): string => (text.includes(" ") ? `(${text})` : text);

/** WGSL of a text that stands for a u32, divided by a power of two. */
export const quotientText = (text: string, by: number, form: IndexForm | undefined): string =>
  form === "mask" ? `(${operand(text)} >> ${formatU32(bitsOf(by))})` : `${text} / ${formatU32(by)}`;

/** The remainder of that division. */
export const remainderText = (text: string, by: number, form: IndexForm | undefined): string =>
  form === "mask" ? `(${operand(text)} & ${formatU32(by - 1)})` : `${text} % ${formatU32(by)}`;

/**
 * WGSL of a u32 that depends on the bits of `source` one by one: the sum of `weights[i]` over its bits i that are 1; `source` is
 * below 2^weights.length. Neighbouring bits whose weights double go together, so that a permutation of bits costs little.
 */
export function bitSum(source: string, weights: readonly number[], form?: IndexForm): string {
  const parts: string[] = [];
  for (let from = 0; from < weights.length; ) {
    const weight = weights[from]!;
    let to = from + 1;
    while (weight > 0 && to < weights.length && weights[to] === weight * 2 ** (to - from)) to++;
    if (weight > 0) {
      const high = from > 0 ? quotientText(source, 2 ** from, form) : source;
      const bits = to < weights.length ? remainderText(high, 2 ** (to - from), form) : high;
      parts.push(weight === 1 ? bits : `${bits.includes(" ") ? `(${bits})` : bits} * ${formatU32(weight)}`);
    }
    from = to;
  }
  return parts.length === 0 ? "0u" : parts.join(" + ");
}

/** The weights of the bits of t in a value that depends on them one by one, for `bitSum`. */
export const weightsOf = (threads: number, value: (t: number) => number): number[] =>
  range(bitsOf(threads)).map((i) => value(2 ** i) - value(0));

/** `bitSum` plus a constant, without what is zero. */
export function bitSumPlus(
  source: string,
  weights: readonly number[],
  constant: number,
  form?: IndexForm,
): string {
  const text = bitSum(source, weights, form);
  if (constant === 0) return text;
  return text === "0u" ? formatU32(constant) : `${text} + ${formatU32(constant)}`;
}
