import type { Algorithm, StudyColumn } from "@tunelab/contract";
import { checkConfig } from "@tunelab/variants";
import { block } from "../../algorithms/block/plan.ts";
import { oneSided } from "../../algorithms/one-sided/plan.ts";
import { scalar } from "../../algorithms/scalar/plan.ts";
import { MOST_QL, tridiagonal } from "../../algorithms/tridiagonal/plan.ts";
import type { EighProblem } from "../../problem.ts";

/** An algorithm as it is without tuning; nothing where it does not have the order. */
const form = (
  { name, space, defaultConfig }: Pick<Algorithm<EighProblem>, "name" | "space" | "defaultConfig">,
  doc: string,
): StudyColumn<EighProblem> => ({
  name,
  doc,
  variant: (problem, capabilities) =>
    checkConfig(space(problem), defaultConfig(problem, capabilities)) === undefined
      ? { algorithm: name, config: {} }
      : undefined,
});

/** Every form of the eigensolver as a column. */
export const FORMS: readonly StudyColumn<EighProblem>[] = [
  form(scalar, "two-sided Jacobi on the whole matrix, several threads a matrix"),
  form(oneSided, "one-sided Jacobi in registers"),
  form(block, "one-sided Jacobi by blocks of columns, several dispatches a sweep"),
  form(tridiagonal, `Householder's reduction, then implicit QL, or divide and conquer above n = ${MOST_QL}`),
];
