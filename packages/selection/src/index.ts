export type { Demand } from "./admit.ts";
export { type CurrentEvidence, currentEvidence } from "./current.ts";
export {
  CLOSENESS,
  type Closeness,
  capabilityDistance,
  deviceDistance,
  problemDistance,
} from "./distance.ts";
export { ceilingsOf, machineOf, type Retraction, withoutRetracted } from "./evidence.ts";
export { type Explanation, explain } from "./explain.ts";
export { type FoldOptions, fold, tablePath } from "./fold.ts";
export type { ShelvedTable, TableSource } from "./rank-tables.ts";
export {
  type Candidate,
  type Origin,
  type Refusal,
  type Selection,
  type SelectRequest,
  select,
} from "./select.ts";
export { renderShipped, sessionDay } from "./ship.ts";
export { checkShipped, type StaleRow, staleLookup } from "./stale.ts";
export { parseTable, serialiseTable } from "./table-text.ts";
