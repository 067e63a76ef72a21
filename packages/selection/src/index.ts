export type { Demand } from "./admit.ts";
export { type Borrowing, borrowing } from "./borrowing.ts";
export { type DeviceCosts, fitCosts } from "./cost/evidence.ts";
export { type Expectation, type Expecting, expectingOf } from "./cost/expect.ts";
export { boundUs, expectedUs, fitCost, type Load, type TimedLoad } from "./cost/model.ts";
export { type CurrentEvidence, currentEvidence } from "./current.ts";
export {
  CLOSENESS,
  type Closeness,
  capabilityDistance,
  deviceDistance,
  problemDistance,
  vendorOf,
} from "./distance.ts";
export {
  ceilingsOf,
  commitOf,
  machineOf,
  type Retraction,
  takenOverOf,
  withoutRetracted,
} from "./evidence.ts";
export { type Explanation, explain } from "./explain.ts";
export { type FoldOptions, fold, tablePath } from "./fold.ts";
export { type Fractions, fractionsAt } from "./fractions.ts";
export {
  type LeftOutMember,
  type MeasuredMember,
  type OwnBorrowing,
  ownBorrowing,
  type SetOn,
  type ShapeBorrowing,
} from "./own-borrowing.ts";
export {
  bestSetOfAtMost,
  judge,
  type Member,
  type Portfolio,
  portfolio,
  portfolioOfAtMost,
} from "./portfolio.ts";
export { apart, type Spread } from "./rank.ts";
export type { ShelvedTable, TableSource } from "./rank-tables.ts";
export { preferences } from "./rule/apply.ts";
export { type ChoiceRow, type ChoiceSpace, type Cost, fitRule } from "./rule/fit.ts";
export { heldOutRegret, pickOf, regretOf } from "./rule/regret.ts";
export { type Ruling, rulingOf } from "./rule/ruling.ts";
export { type RuleSet, ruleSets, type ShippedRule } from "./rule/shelf.ts";
export { referenceAuto } from "./rule/study.ts";
export { regretText, ruleText, sizeText } from "./rule/text.ts";
export {
  floorOf,
  median,
  NOISY_GATE,
  PORTFOLIO_WITHIN,
  RESOLVED_GATE,
  ROWS_KEPT,
  scatterOf,
} from "./rules.ts";
export {
  EXHAUSTIVE,
  problemsOf,
  type SearchAccount,
  type SearchVerdict,
  searchVerdicts,
  verdictOf,
} from "./search-verdict.ts";
export {
  type Calibrated,
  type Candidate,
  type Origin,
  type Refusal,
  type Selection,
  type SelectRequest,
  select,
} from "./select.ts";
export { shelve, type TableContents, type TableHeader } from "./shelf.ts";
export { renderShipped, SHIPPED_FOLDER, sessionDay } from "./ship.ts";
export type { ShippedEntry, ShippedRow, ShippedTable } from "./shipped.ts";
export { checkShipped, replan, type StaleRow, staleLookup } from "./stale.ts";
export {
  derivedOf,
  foldStudies,
  studyPath,
  studyPlanOf,
  studyResult,
  withoutStudies,
} from "./study-fold.ts";
export { checkTable, parseTable, serialiseTable } from "./table-text.ts";
