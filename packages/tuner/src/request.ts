import type { Grade, MeasureRequest, Problem, Suite } from "@tunelab/contract";
import type { Planned } from "./candidate.ts";

/** Inputs verified and items compared in full, by grade: one lucky input proves nothing, so a table's rows see three. */
const EFFORT: Readonly<Record<Grade, { readonly seeds: number; readonly oracleSample: number }>> = {
  screened: { seeds: 1, oracleSample: 4 },
  raced: { seeds: 3, oracleSample: 16 },
  certified: { seeds: 3, oracleSample: 16 },
};

/** What a device is asked to do about one planned variant. `seed` is the first of the input seeds that are verified. */
export function requestFor(
  { suite, problem, seed }: { readonly suite: Suite; readonly problem: Problem; readonly seed: number },
  planned: Planned,
  grade: Grade,
  isDefault: boolean,
): MeasureRequest {
  const { seeds, oracleSample } = EFFORT[grade];
  return {
    operation: suite.operation.name,
    algorithm: planned.algorithm,
    problem,
    config: planned.config,
    isDefault,
    grade,
    seeds: Array.from({ length: seeds }, (_, index) => seed + index),
    oracleSample,
  };
}
