export { Fault, type FaultKind, type TuningTable } from "@tunelab/contract";
export { type Demand, type Explanation, parseTable } from "@tunelab/selection";
export {
  explainMatchedFilter,
  type MatchedFilterInput,
  type MatchedFilterPeaks,
  type MatchedFilterShape,
  matchedFilter,
  NO_PEAK,
  prepareMatchedFilter,
} from "./matched-filter.ts";
export type { DeviceOptions } from "./open.ts";
export {
  type Answer,
  createRuntime,
  Runtime,
  type RuntimeEvent,
  type RuntimeOptions,
  type ShippedOperation,
} from "./runtime.ts";
