export {
  type ComparisonHeader,
  type ComparisonSink,
  createComparison,
  listComparisons,
  readComparison,
} from "./comparison.ts";
export { decodeComparison, encodeComparison } from "./comparison-record.ts";
export { readEvidence } from "./evidence.ts";
export { sessionPaths } from "./files.ts";
export { type Imported, importJournal } from "./import-journal.ts";
export {
  type EvidenceFilter,
  indexSessions,
  type Loaded,
  listSessions,
  loadEvidence,
  type SessionStatus,
  type SessionSummary,
} from "./index-sessions.ts";
export {
  createJournal,
  type Journal,
  type JournalProblem,
  newSessionId,
  openJournal,
  readJournal,
  writeJournal,
} from "./journal.ts";
export {
  loadPublished,
  loadRetracted,
  type Published,
  publishedSession,
  publishSession,
  type Retraction,
  retract,
} from "./publish.ts";
export {
  publishComparison,
  publishedComparisons,
  retractComparison,
  retractedComparisons,
} from "./publish-comparison.ts";
export { type ColumnKind, type QueryResult, queryIndex } from "./query.ts";
export { sealSession } from "./seal.ts";
export { createSession, openSession } from "./session.ts";
