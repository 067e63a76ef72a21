import { dirname } from "node:path";
import { canonicalJson } from "@tunelab/contract";
import { readEvidence } from "./evidence.ts";
import { ensureDirectory, exists, sessionPaths } from "./files.ts";
import { type JournalProblem, readJournal } from "./journal.ts";
import { inOrder } from "./records.ts";
import { sealSession, writeSealed } from "./seal.ts";

export interface Imported {
  readonly session: string;
  /** The sealed file. */
  readonly path: string;
  /** Trials that the lab did not have yet, and all trials of the session now. */
  readonly added: number;
  readonly trials: number;
  /** Lines of the journal that were left out. */
  readonly problems: readonly JournalProblem[];
}

/**
 * Brings a journal into the lab as a sealed session. What the lab has already stays as it is, so importing twice changes
 * nothing and a journal that grew since adds only what is new. Throws `Fault` as `readJournal` and `sealSession` do.
 */
export async function importJournal(labDir: string, path: string): Promise<Imported> {
  const { evidence, problems } = await readJournal(path);
  const { header } = evidence;
  const paths = sessionPaths(labDir, header.id);
  await ensureDirectory(dirname(paths.sealed));
  if (await exists(paths.database)) await sealSession(labDir, header.id);
  const before = (await exists(paths.sealed)) ? await readEvidence(paths.sealed) : undefined;
  const known = new Set(before?.trials.map(({ id }) => id));
  const seen = new Set(before?.events.map(canonicalJson));
  const trials = evidence.trials.filter(({ id }) => !known.has(id));
  const events = evidence.events.filter((event) => !seen.has(canonicalJson(event)));
  const all = inOrder([...(before?.trials ?? []), ...trials]);
  if (!before || trials.length + events.length > 0) {
    const merged = { header, events: [...(before?.events ?? []), ...events], trials: all };
    await writeSealed(merged, paths.sealed);
  }
  return { session: header.id, path: paths.sealed, added: trials.length, trials: all.length, problems };
}
