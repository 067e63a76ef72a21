import type { Space } from "@tunelab/contract";
import { onlyWhen } from "@tunelab/variants";
import type { EighProblem } from "../../problem.ts";
import { MOST_BYTES } from "../../wgsl/lanes.ts";
import { tridiagonalBytes } from "./bytes.ts";
import { qlThreads, sweepsADispatch } from "./ql.ts";

export type TridiagonalConfig = {
  readonly threads: number;
  readonly memory: "workgroup" | "global";
  readonly groups: number;
  readonly reduction: "workgroup" | "subgroup";
  readonly solver: "ql" | "divide";
  readonly sweeps: number;
  readonly matrices: number;
};

/** Most threads that WebGPU's devices grant a workgroup. */
const MOST_THREADS = 1024;

export function tridiagonalSpace(problem: EighProblem): Space<TridiagonalConfig> {
  const { n } = problem;
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
        doc: "where the matrix lies while it is reduced to a tridiagonal one, and its vectors while QL turns them",
      },
      {
        name: "groups",
        values: [1, 2, 4, 8, 16, 32],
        unit: "workgroups a matrix",
        doc: "workgroups that share a matrix while it is reduced, a dispatch a column where they are several",
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
      {
        name: "matrices",
        values: [1, 2, 4, 8, 16],
        unit: "matrices",
        doc: "matrices of a workgroup while QL turns them: one, or several with no more threads each than they have rows",
        absent: 1,
      },
    ],
    constraints: [
      onlyWhen(
        "groups",
        1,
        ["memory"],
        ({ memory }) => memory === "global",
        "a workgroup's memory is its own",
      ),
      {
        name: "rows-for-all",
        doc: "every workgroup of a matrix has four rows",
        parameters: ["groups"],
        holds: ({ groups }) => groups === 1 || 4 * groups <= n,
      },
      onlyWhen("sweeps", 2, ["solver"], ({ solver }) => solver === "ql", "divide and conquer sweeps nothing"),
      onlyWhen(
        "matrices",
        1,
        ["solver"],
        ({ solver }) => solver === "ql" && !Number.isFinite(sweepsADispatch(n)),
        "only QL that ends in one dispatch takes several a workgroup",
      ),
      {
        name: "shared-threads",
        doc: `a workgroup has at most ${MOST_THREADS} threads`,
        parameters: ["threads", "matrices"],
        holds: (config) => qlThreads(n, config) <= MOST_THREADS,
      },
      {
        name: "fits-any-device",
        doc: `workgroup memory is at most ${MOST_BYTES} bytes`,
        parameters: ["threads", "memory", "groups", "solver", "sweeps", "matrices"],
        holds: (config) => tridiagonalBytes(problem, config) <= MOST_BYTES,
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
