export * from "./across.ts";
export { autoPage, type ChoosingStudy, type OperationCosts } from "./auto.ts";
export * from "./charts/candidates.ts";
export * from "./charts/ceilings.ts";
export * from "./charts/forest.ts";
export * from "./charts/lines.ts";
export * from "./charts/look.ts";
export { fractionsOverEvaluationsChart } from "./charts/search.ts";
export * from "./charts/sensitivity.ts";
export * from "./charts/studies.ts";
export { studyChart } from "./charts/study-table.ts";
export { timesChart } from "./charts/times.ts";
export * from "./charts/timings.ts";
export * from "./choices.ts";
export * from "./comparison.ts";
export { devicePage } from "./device.ts";
export * from "./format.ts";
export * from "./grid.ts";
export type { OtherPage, ReportFile, ReportInput } from "./input.ts";
export { anchorOf, codeSpan, escapeMarkdown } from "./markdown.ts";
export { operationPage } from "./operation.ts";
export * from "./page.ts";
export * from "./points.ts";
export type { OperationReference } from "./references.ts";
export * from "./regret.ts";
export * from "./render.ts";
export * from "./reports.ts";
export { type SearchSubject, searchFiles, searchPage } from "./search.ts";
export {
  type RandomExpectation,
  spentGrid,
  verdictsFiles,
  verdictsGrid,
  verdictsPage,
} from "./search-verdicts.ts";
export * from "./sensitivity.ts";
export { derivedText, type StudyContext, studyGrid, studyPage } from "./study.ts";
export {
  type Absent,
  bestRow,
  candidatesTable,
  type IsStale,
  nothingStale,
  summaryTable,
  type Unproven,
} from "./summary.ts";
export * from "./table.ts";
export { unprovenOf } from "./unproven.ts";
