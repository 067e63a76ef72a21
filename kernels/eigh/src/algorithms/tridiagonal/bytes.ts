import type { EighProblem } from "../../problem.ts";
import { finishBytes } from "./finish.ts";
import { formBytes } from "./form.ts";
import { mergeBytes } from "./merge.ts";
import { multiplyBytes } from "./multiply.ts";
import { qlBytes } from "./ql.ts";
import { reduceBytes } from "./reduce.ts";
import { shapeOf } from "./shape.ts";
import type { TridiagonalConfig } from "./space.ts";
import { wideBytes } from "./wide.ts";

/** Bytes of `var<workgroup>` of the hungriest of a variant's kernels. */
export function tridiagonalBytes(problem: EighProblem, config: TridiagonalConfig): number {
  const { n, vectors } = problem;
  const { threads, memory, groups, solver } = config;
  const shape = shapeOf(n, threads);
  const wanted = vectors === "yes";
  return Math.max(
    groups > 1 ? wideBytes(shape) : reduceBytes(shape, memory === "workgroup"),
    wanted ? formBytes(n) : 0,
    solver === "ql" ? qlBytes(problem, config) : mergeBytes(n, threads),
    solver === "divide" && wanted ? multiplyBytes() : 0,
    finishBytes(problem),
  );
}
