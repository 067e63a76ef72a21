import type { Suite } from "@tunelab/contract";
import { operation } from "./operation.ts";
import { compulsoryBytes, type EighProblem, nominalFlops } from "./problem.ts";
import { inputsOf } from "./suite/inputs.ts";
import { oracleOf } from "./suite/oracle.ts";
import { eighProblem } from "./suite/problems.ts";
import { studies } from "./suite/studies.ts";

export { inputsOf, kindOf, symmetric } from "./suite/inputs.ts";
export { KINDS, type Kind, matrixOf, normal, similar } from "./suite/kinds.ts";
export {
  type Errors,
  eigenvaluesOf,
  type Judge,
  judgeOf,
  oracleOf,
  probedErrors,
  vectorErrors,
} from "./suite/oracle.ts";
export { eighProblem } from "./suite/problems.ts";

/** The sizes at which the H200's peers were measured. */
const PEERS = [
  [8, 8192],
  [16, 8192],
  [32, 8192],
  [64, 1024],
  [128, 256],
  [256, 16],
  [512, 1],
] as const;

const of = (sizes: readonly (readonly [number, number])[], rest: Partial<EighProblem> = {}): EighProblem[] =>
  sizes.map(([n, batch]) => eighProblem(n, batch, rest));

/** Inputs, answers and workloads of the batched eigensolver; kinds of matrices in `suite/kinds.ts`. */
export const suite: Suite<EighProblem> = {
  operation,
  epoch: 1,
  inputs: inputsOf,
  oracle: oracleOf,
  work: (problem) => ({
    flops: problem.batch * nominalFlops(problem),
    bytes: problem.batch * compulsoryBytes(problem),
    items: problem.batch,
  }),
  workloads: {
    quick: of([
      [4, 128],
      [8, 64],
      [16, 16],
    ]),
    standard: of(PEERS),
    full: [
      ...of(PEERS),
      ...of(PEERS, { vectors: "no" }),
      ...of([8, 16, 32, 64].flatMap((n) => [1, 64, 1024].map((batch) => [n, batch] as const))),
      ...of([128, 256].flatMap((n) => [1, 64].map((batch) => [n, batch] as const))),
    ],
  },
  studies,
};
