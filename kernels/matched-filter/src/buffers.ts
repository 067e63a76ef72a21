import type { BufferSpec } from "@tunelab/contract";
import { COMPLEX_BYTES, type MatchedFilterProblem, PAIR_BYTES, RECORD_BYTES } from "./problem.ts";
import { type Loads, spectrumType } from "./wgsl/loads.ts";

/** WGSL store types of the operation's ports. */
export const typesOf = (
  n: number,
  loads?: Loads,
): Readonly<Record<"data" | "templates" | "pairs" | "records", string>> => ({
  // Spectra as arrays of length n: one address a spectrum and constant offsets, instead of an index (and a clamp) a load.
  data: `array<${spectrumType(n, loads)}>`,
  templates: `array<${spectrumType(n, loads)}>`,
  pairs: "array<vec2u>",
  records: "array<vec4u>",
});

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

/**
 * The ports of a plan whose pieces each read the pairs and write the records from `extents.first` on: a range of them could begin at
 * every 32nd pair only (256 bytes), and so many pairs of a million points are 256 MiB of scratch, over WebGPU's default binding.
 */
export function wholeBuffers(problem: MatchedFilterProblem): {
  readonly inputs: readonly BufferSpec[];
  readonly records: BufferSpec;
} {
  const whole = (buffer: BufferSpec): BufferSpec => ({
    ...buffer,
    fixedBytes: buffer.fixedBytes + buffer.itemBytes * problem.pairs,
    itemBytes: 0,
  });
  return { inputs: inputBuffers(problem).map(whole), records: whole(recordsBuffer()) };
}
