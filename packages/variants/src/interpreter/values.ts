import { Fault } from "@tunelab/contract";
import type { Type } from "./parse.ts";

/** A scalar, or the components of a vector. Booleans are 0 and 1. */
export type Value = number | readonly number[];

/** Element type and components of a scalar or vector type. */
export function shapeOfType(type: Type): { readonly element: string; readonly size: number } {
  if (typeof type !== "string") throw new Fault("usage", "the interpreter computes with scalars and vectors");
  const vector = /^vec([234])([fui])$/.exec(type);
  if (!vector) return { element: type === "atomic" ? "u32" : type, size: 1 };
  return { element: { f: "f32", u: "u32", i: "i32" }[vector[2]!]!, size: Number(vector[1]) };
}

export const vectorType = (element: string, size: number): string =>
  size === 1 ? element : `vec${size}${element[0]}`;

/** Words that a value of the type takes in memory. */
export function wordsOf(type: Type): number {
  if (typeof type === "string") return shapeOfType(type).size;
  if (type.count === undefined) throw new Fault("usage", "an array without a length has no size");
  return type.count * wordsOf(type.array);
}

/** The value as its type holds it: float32 rounded, integers wrapped. */
export const rounding = (element: string): ((x: number) => number) =>
  element === "f32" ? Math.fround : element === "u32" ? (x) => x >>> 0 : (x) => x;

const view = new DataView(new ArrayBuffer(4));

/** The same 32 bits as another type. */
export function bitcast(value: number, from: string, to: string): number {
  if (from === "f32") view.setFloat32(0, value);
  else view.setUint32(0, value);
  return to === "f32" ? view.getFloat32(0) : view.getUint32(0);
}

type Pair = (a: number, b: number) => number;

const FLOAT: Readonly<Record<string, Pair>> = {
  "+": (a, b) => Math.fround(a + b),
  "-": (a, b) => Math.fround(a - b),
  "*": (a, b) => Math.fround(a * b),
  "/": (a, b) => Math.fround(a / b),
};

const WHOLE: Readonly<Record<string, Pair>> = {
  "+": (a, b) => (a + b) >>> 0,
  "-": (a, b) => (a - b) >>> 0,
  "*": (a, b) => Math.imul(a, b) >>> 0,
  "/": (a, b) => Math.floor(a / b),
  "%": (a, b) => a % b,
  "&": (a, b) => (a & b) >>> 0,
  "|": (a, b) => (a | b) >>> 0,
  "^": (a, b) => (a ^ b) >>> 0,
  "<<": (a, b) => (a << b) >>> 0,
  ">>": (a, b) => a >>> b,
};

const COMPARE: Readonly<Record<string, Pair>> = {
  "==": (a, b) => Number(a === b),
  "!=": (a, b) => Number(a !== b),
  "<": (a, b) => Number(a < b),
  "<=": (a, b) => Number(a <= b),
  ">": (a, b) => Number(a > b),
  ">=": (a, b) => Number(a >= b),
  "&&": (a, b) => Number(a !== 0 && b !== 0),
  "||": (a, b) => Number(a !== 0 || b !== 0),
};

/** What a binary operator computes on an element type, and the element type of its result. */
export function operatorOf(
  operator: string,
  element: string,
): { readonly apply: Pair; readonly element: string } {
  const compare = COMPARE[operator];
  if (compare) return { apply: compare, element: "bool" };
  const apply = (element === "f32" ? FLOAT : WHOLE)[operator];
  if (!apply) throw new Fault("usage", `the interpreter has no ${operator} on ${element}`);
  return { apply, element };
}

/** Applies to every component, a scalar standing for all. */
export function lift(sizeA: number, sizeB: number, apply: Pair): (a: Value, b: Value) => Value {
  if (sizeA === 1 && sizeB === 1) return apply as (a: Value, b: Value) => Value;
  if (sizeA === 1) return (a, b) => (b as readonly number[]).map((y) => apply(a as number, y));
  if (sizeB === 1) return (a, b) => (a as readonly number[]).map((x) => apply(x, b as number));
  return (a, b) => (a as readonly number[]).map((x, i) => apply(x, (b as readonly number[])[i]!));
}

/** Builtin functions on components: every argument of one size, the result of the same element type. */
export const COMPONENT_WISE: Readonly<Record<string, (...x: number[]) => number>> = {
  // The product of two float32 is exact in float64: one rounding, as in hardware.
  fma: (a, b, c) => Math.fround(a! * b! + c!),
  cos: (x) => Math.fround(Math.cos(x!)),
  sin: (x) => Math.fround(Math.sin(x!)),
  sqrt: (x) => Math.fround(Math.sqrt(x!)),
  inverseSqrt: (x) => Math.fround(1 / Math.sqrt(x!)),
  abs: (x) => Math.abs(x!),
  min: (a, b) => Math.min(a!, b!),
  max: (a, b) => Math.max(a!, b!),
  select: (no, yes, condition) => (condition ? yes! : no!),
};
