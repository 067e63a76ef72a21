import type { BufferSpec } from "@tunelab/contract";
import type { Shape } from "./passes.ts";
import { COMPLEX_BYTES } from "./problem.ts";
import type { TransformOptions } from "./transform-options.ts";
import { TWIDDLE_TABLE, twiddleTable, usesTable } from "./twiddles.ts";

/** A buffer of `n` complex numbers a transform. */
export const pointsBuffer = (name: string, role: "in" | "out" | "scratch", n: number): BufferSpec => ({
  name,
  role,
  dtype: "f32",
  fixedBytes: 0,
  itemBytes: n * COMPLEX_BYTES,
});

/** A buffer of constants. */
export const constantBuffer = (name: string, data: Float32Array): BufferSpec => ({
  name,
  role: "constant",
  dtype: "f32",
  fixedBytes: data.byteLength,
  itemBytes: 0,
  data,
});

/** The table of twiddle factors that a transform's text reads; undefined where it reads none. */
export function twiddleBuffer(shape: Shape, options: TransformOptions): BufferSpec | undefined {
  if (!usesTable(options.twiddles) || shape.passes.length < 2) return undefined;
  return constantBuffer(options.table ?? TWIDDLE_TABLE, twiddleTable(shape, options));
}
