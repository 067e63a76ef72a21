export { block } from "./algorithms/block/plan.ts";
export type { BlockConfig } from "./algorithms/block/space.ts";
export { oneSided } from "./algorithms/one-sided/plan.ts";
export type { OneSidedConfig } from "./algorithms/one-sided/space.ts";
export { scalar } from "./algorithms/scalar/plan.ts";
export type { ScalarConfig } from "./algorithms/scalar/space.ts";
export { tridiagonal } from "./algorithms/tridiagonal/plan.ts";
export type { TridiagonalConfig } from "./algorithms/tridiagonal/space.ts";
export { operation } from "./operation.ts";
export {
  compulsoryBytes,
  type EighProblem,
  EPSILON,
  expectedSweeps,
  MAXIMUM_N,
  MOST_SWEEPS,
  matrixStride,
  nominalFlops,
  rowStride,
  type Spectrum,
  STATUS,
  type VectorsWanted,
} from "./problem.ts";
export type { Exchange } from "./wgsl/lanes.ts";
