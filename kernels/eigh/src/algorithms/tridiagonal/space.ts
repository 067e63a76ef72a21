import type { Space } from "@tunelab/contract";
import { onlyWhen } from "@tunelab/variants";
import { MOST_BYTES } from "../../wgsl/lanes.ts";
import { reduceBytes } from "./reduce.ts";
import { shapeOf } from "./shape.ts";

export type TridiagonalConfig = {
  readonly threads: number;
  readonly memory: "workgroup" | "global";
  readonly reduction: "workgroup" | "subgroup";
  readonly solver: "ql" | "divide";
  readonly sweeps: number;
};

export function tridiagonalSpace(n: number): Space<TridiagonalConfig> {
  return {
    parameters: [
      {
        name: "threads",
        values: [32, 64, 128, 256, 512],
        unit: "threads a matrix",
        doc: "threads of a workgroup, which has a matrix to itself",
      },
      {
        name: "memory",
        values: ["workgroup", "global"],
        doc: "where the matrix lies while it is reduced to a tridiagonal one",
      },
      {
        name: "reduction",
        values: ["workgroup", "subgroup"],
        doc: "who sums a column's squares and products: every thread for itself, or the lanes of every subgroup together, at any width",
      },
      {
        name: "solver",
        values: ["ql", "divide"],
        doc: "what decomposes the tridiagonal matrix: QL, whose rotations one thread finds, or divide and conquer, all threads and several workgroups",
      },
      {
        name: "sweeps",
        values: [1, 2, 4, 8],
        unit: "sweeps",
        doc: "QL sweeps whose rotations pass over the vectors together",
      },
    ],
    constraints: [
      onlyWhen("sweeps", 2, ["solver"], ({ solver }) => solver === "ql", "divide and conquer sweeps nothing"),
      {
        name: "fits-any-device",
        doc: `workgroup memory is at most ${MOST_BYTES} bytes`,
        parameters: ["threads", "memory"],
        holds: ({ threads, memory }) =>
          reduceBytes(shapeOf(n, threads), memory === "workgroup") <= MOST_BYTES,
      },
      {
        name: "threads-for-work",
        doc: "no more threads than a matrix has elements, four a thread",
        parameters: ["threads"],
        holds: ({ threads }) => threads === 32 || 4 * threads <= Math.max(n, 8) ** 2,
      },
    ],
  };
}
