export { readEvidence } from "./evidence.ts";
export { sessionPaths } from "./files.ts";
export {
  createJournal,
  type Journal,
  type JournalProblem,
  newSessionId,
  openJournal,
  readJournal,
} from "./journal.ts";
export { sealSession } from "./seal.ts";
export { createSession, openSession } from "./session.ts";
