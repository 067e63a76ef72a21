/** The entry point `@tunelab/runtime/matched-filter`: the runtime and the matched filter, and nothing else. */
export * from "./core.ts";
export {
  type BoundMatchedFilter,
  bindMatchedFilter,
  calibrateMatchedFilter,
  explainMatchedFilter,
  type MatchedFilterInput,
  type MatchedFilterPeaks,
  type MatchedFilterShape,
  matchedFilter,
  matchedFilterOperation,
  NO_PEAK,
  prepareMatchedFilter,
} from "./operations/matched-filter/call.ts";
export type { PeakArrays } from "./operations/matched-filter/input.ts";
