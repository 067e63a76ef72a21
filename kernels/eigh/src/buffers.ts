import type { Binding, BufferSpec } from "@tunelab/contract";
import { type EighProblem, FLOAT_BYTES, matrixStride, rowStride, STATUS_BYTES } from "./problem.ts";

/** WGSL store types. Outputs are words: the bits of NaN can be written as an integer, not as a float. */
export const PORT_TYPES: Readonly<Record<string, string>> = {
  matrices: "array<f32>",
  values: "array<u32>",
  vectors: "array<u32>",
  status: "array<vec2u>",
  report: "array<atomic<u32>, 3>",
};

const item = (name: string, role: BufferSpec["role"], dtype: BufferSpec["dtype"], bytes: number) =>
  ({ name, role, dtype, fixedBytes: 0, itemBytes: bytes }) as const;

/** The operation's ports, and the probe `report`: the most sweeps of a matrix, and how many ended each way but well. */
export function portBuffers(problem: EighProblem): BufferSpec[] {
  const { n, vectors } = problem;
  return [
    item("matrices", "in", "f32", matrixStride(problem) * FLOAT_BYTES),
    item("values", "out", "f32", n * FLOAT_BYTES),
    ...(vectors === "yes" ? [item("vectors", "out", "f32", n * n * FLOAT_BYTES)] : []),
    item("status", "out", "u32", STATUS_BYTES),
    {
      name: "report",
      role: "probe",
      dtype: "u32",
      fixedBytes: 12,
      itemBytes: 0,
      fields: {
        sweeps: { offset: 0, dtype: "u32" },
        unconverged: { offset: 4, dtype: "u32" },
        nonFinite: { offset: 8, dtype: "u32" },
      },
    },
  ];
}

/** Bindings of a kernel that reads the matrices and writes everything. */
export const portBindings = ({ vectors }: EighProblem): Binding[] => [
  { buffer: "matrices", access: "read" },
  { buffer: "values", access: "read-write" },
  ...(vectors === "yes" ? [{ buffer: "vectors", access: "read-write" } as const] : []),
  { buffer: "status", access: "read-write" },
  { buffer: "report", access: "read-write" },
];

/** The plan's own extents: elements from row to row and from matrix to matrix. */
export const strides = (problem: EighProblem): Record<"row" | "matrix", number> => ({
  row: rowStride(problem),
  matrix: matrixStride(problem),
});
