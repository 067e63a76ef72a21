export { corrReduce } from "./algorithms/corr-reduce/plan.ts";
export type { CorrReduceConfig } from "./algorithms/corr-reduce/space.ts";
export { fused } from "./algorithms/fused/plan.ts";
export type { FusedConfig } from "./algorithms/fused/space.ts";
export { type TileFusedConfig, tileFused } from "./algorithms/tile-fused/plan.ts";
export { type TwoKernelConfig, twoKernel } from "./algorithms/two-kernel/plan.ts";
export { operation } from "./operation.ts";
export { MAXIMUM_N, type MatchedFilterProblem, MINIMUM_N, NO_PEAK, pairFlops } from "./problem.ts";
