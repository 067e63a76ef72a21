import type { Space } from "@tunelab/contract";
import { tournament } from "../../wgsl/pairs.ts";

export type ScalarConfig = {
  readonly threads: number;
  readonly matrices: number;
  readonly memory: "both" | "matrix" | "global";
  readonly padding: number;
};

/** Workgroup memory that any variant may take: what the largest of desktop GPUs grant WebGPU. */
const MOST_BYTES = 65_536;
const MOST_THREADS = 1024;

/** Bytes of `var<workgroup>`, each variable rounded up to 16. */
export function scalarWorkgroupBytes(n: number, vectors: boolean, config: ScalarConfig): number {
  const { size, pairs } = tournament(n);
  const round = (bytes: number): number => Math.ceil(bytes / 16) * 16;
  const { matrices, memory, padding } = config;
  return (
    (memory === "global" ? 0 : round(4 * matrices * size * (size + padding))) +
    (vectors && memory === "both" ? round(4 * matrices * n * n) : 0) +
    round(8 * matrices * pairs) +
    round(4 * matrices * size) +
    round(4 * (3 * matrices + 1)) +
    round(4)
  );
}

export function scalarSpace(n: number, vectors: boolean): Space<ScalarConfig> {
  return {
    parameters: [
      {
        name: "threads",
        values: [4, 8, 16, 32, 64, 128, 256, 512, 1024],
        unit: "threads a matrix",
        doc: "threads that share a matrix; a round has n/2 turns to find and about n^2/2 groups of elements to turn",
      },
      {
        name: "matrices",
        values: [1, 2, 4, 8, 16],
        unit: "matrices a workgroup",
        doc: "matrices that share a workgroup and wait for one another at its barriers",
      },
      {
        name: "memory",
        values: ["both", "matrix", "global"],
        doc: "what stays in workgroup memory: the matrix and its vectors, the matrix alone, or neither",
      },
      {
        name: "padding",
        values: [0, 1],
        unit: "elements",
        doc: "elements added to a row in workgroup memory, so that columns spread over banks",
      },
    ],
    constraints: [
      {
        name: "workgroup-size",
        doc: `threads * matrices is 16 to ${MOST_THREADS}`,
        parameters: ["threads", "matrices"],
        holds: ({ threads, matrices }) => threads * matrices >= 16 && threads * matrices <= MOST_THREADS,
      },
      {
        name: "fits-any-device",
        doc: `workgroup memory is at most ${MOST_BYTES} bytes`,
        parameters: ["matrices", "memory", "padding"],
        holds: (config) => scalarWorkgroupBytes(n, vectors, config) <= MOST_BYTES,
      },
      {
        name: "vectors-somewhere",
        doc: "without vectors the matrix alone is all there is to keep",
        parameters: ["memory"],
        holds: ({ memory }) => vectors || memory !== "matrix",
      },
      {
        name: "padding-of-workgroup-memory",
        doc: "global memory has no banks to spread over",
        parameters: ["memory", "padding"],
        holds: ({ memory, padding }) => memory !== "global" || padding === 0,
      },
    ],
  };
}
