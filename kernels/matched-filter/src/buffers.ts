import type { BufferSpec } from "@tunelab/contract";
import { twiddleTable, usesTable } from "@tunelab/kernel-fft";
import { COMPLEX_BYTES, type MatchedFilterProblem, PAIR_BYTES, RECORD_BYTES } from "./problem.ts";
import { shapeFor, type TransformConfig } from "./transform-space.ts";

/** WGSL store types of the operation's ports. */
export const TYPES = {
  data: "array<vec2f>",
  templates: "array<vec2f>",
  pairs: "array<vec2u>",
  records: "array<vec4u>",
} as const;

const fixed = (name: string, bytes: number): BufferSpec => ({
  name,
  role: "in",
  dtype: "f32",
  fixedBytes: bytes,
  itemBytes: 0,
});

/** Spectra whole for every piece, pairs by the piece. */
export const inputBuffers = ({ n, data, templates }: MatchedFilterProblem): BufferSpec[] => [
  fixed("data", data * n * COMPLEX_BYTES),
  fixed("templates", templates * n * COMPLEX_BYTES),
  { name: "pairs", role: "in", dtype: "u32", fixedBytes: 0, itemBytes: PAIR_BYTES },
];

export const recordsBuffer = (): BufferSpec => ({
  name: "records",
  role: "out",
  dtype: "u32",
  fixedBytes: 0,
  itemBytes: RECORD_BYTES,
});

/** The table of twiddle factors, for configurations that read one. */
export function twiddleBuffer(n: number, config: TransformConfig): BufferSpec | undefined {
  if (!usesTable(config.twiddles)) return undefined;
  const data = twiddleTable(shapeFor(n, config), config.twiddles, 1);
  return {
    name: "twiddles",
    role: "constant",
    dtype: "f32",
    fixedBytes: data.byteLength,
    itemBytes: 0,
    data,
  };
}
