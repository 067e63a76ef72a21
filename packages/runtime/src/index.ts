export { Fault, type FaultKind, type Operation, type TuningTable } from "@tunelab/contract";
export { type Demand, type Explanation, parseTable } from "@tunelab/selection";
export type { RuntimeEvent } from "./events.ts";
export {
  type BoundMatchedFilter,
  bindMatchedFilter,
  explainMatchedFilter,
  type MatchedFilterInput,
  type MatchedFilterPeaks,
  type MatchedFilterShape,
  matchedFilter,
  matchedFilterOperation,
  NO_PEAK,
  prepareMatchedFilter,
} from "./matched-filter.ts";
export type { PeakArrays } from "./matched-filter-input.ts";
export type { DeviceOptions } from "./open.ts";
export type { Answer, BoundCall, RuntimeOperation } from "./operation.ts";
export { createRuntime, Runtime, type RuntimeOptions, type ShippedOperation } from "./runtime.ts";
