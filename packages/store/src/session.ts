import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import {
  asFault,
  Fault,
  type SessionEvent,
  type SessionEvidence,
  type SessionHeader,
  type SessionSink,
  type Trial,
} from "@tunelab/contract";
import { appendRows, type Database, openWriter } from "./database.ts";
import { readDatabase, readEvidence } from "./evidence.ts";
import {
  ensureDirectory,
  exists,
  moveIntoPlace,
  type SessionPaths,
  sessionPaths,
  writeFault,
} from "./files.ts";
import { admit, encodeJson, normalise, parseEvent, parseHeader, parseTrial } from "./records.ts";
import { eventRow, migrate, trialRow } from "./schema.ts";
import { guardedMigrate, sealDatabase } from "./seal.ts";

/**
 * Starts `<labDir>/sessions/<id>.duckdb`. A trial is durable when `trial()` resolves; `close()` seals the session to
 * `<id>.parquet`. Throws `Fault` environment when the directory cannot be written, usage when the session exists.
 */
export async function createSession(labDir: string, header: SessionHeader): Promise<SessionSink> {
  const record = normalise(header, parseHeader);
  const paths = sessionPaths(labDir, record.id);
  await ensureDirectory(dirname(paths.database));
  if ((await exists(paths.database)) || (await exists(paths.sealed)))
    throw new Fault("usage", `session ${record.id} exists in ${labDir}: continue it with --resume`);
  await writeDatabase({ header: record, events: [], trials: [] }, paths.database);
  return openDatabase(paths, record.id);
}

/**
 * Opens an interrupted session to go on: left open by a kill, or sealed without its `finished` event. Throws `Fault`
 * usage when there is none, it is finished or somebody writes it; data when its file is damaged or newer (it is kept).
 */
export async function openSession(labDir: string, session: string): Promise<SessionSink> {
  const paths = sessionPaths(labDir, session);
  const file = (await exists(paths.database)) ? paths.database : paths.sealed;
  if (!(await exists(file)))
    throw new Fault("usage", `there is no session ${session} in ${labDir}: \`lab results list\` shows them`);
  const evidence = await readEvidence(file);
  if (evidence.events.some(({ kind }) => kind === "finished"))
    throw new Fault("usage", `session ${session} is finished and never changes: start a new one`);
  if (file === paths.sealed) await writeDatabase(evidence, paths.database);
  return openDatabase(paths, session);
}

/** Makes a session file that holds `evidence`, whole or not at all. */
async function writeDatabase(evidence: SessionEvidence, path: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const database = await openWriter(temporary);
    try {
      await migrate(database.connection, path);
      await appendRows(database.connection, "session", [{ header: encodeJson(evidence.header) }]);
      await appendRows(database.connection, "events", evidence.events.map(eventRow));
      await appendRows(database.connection, "trials", evidence.trials.map(trialRow));
    } finally {
      database.close();
    }
    await moveIntoPlace(temporary, path);
  } catch (error) {
    throw writeFault(error, dirname(path));
  } finally {
    await rm(temporary, { force: true });
    await rm(`${temporary}.wal`, { force: true });
  }
}

async function openDatabase(paths: SessionPaths, session: string): Promise<SessionSink> {
  const database = await openWriter(paths.database);
  await guardedMigrate(database, paths.database);
  const { events, trials } = await readDatabase(database.connection, paths.database).catch(
    (error: unknown) => {
      database.close();
      throw asFault(error, "data");
    },
  );
  return databaseSink(database, paths, session, new Set(trials.map(({ id }) => id)), events.length);
}

function databaseSink(
  database: Database,
  paths: SessionPaths,
  session: string,
  known: Set<string>,
  eventCount: number,
): SessionSink {
  let sealed: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  let events = eventCount;
  // One append at a time on the one connection, in the order of the calls.
  const write = (append: () => Promise<void>): Promise<void> => {
    if (sealed)
      return Promise.reject(new Fault("usage", `session ${session} is sealed: nothing can be added`));
    const written = last.then(append).catch((error: unknown) => {
      throw writeFault(error, dirname(paths.database));
    });
    last = written.catch(() => undefined);
    return written;
  };
  return {
    session,
    async trial(trial: Trial): Promise<void> {
      const record = normalise(trial, parseTrial);
      admit(record, session, known);
      await write(() => appendRows(database.connection, "trials", [trialRow(record)])).catch(
        (error: unknown) => {
          known.delete(record.id); // not durable: the caller may try again
          throw error;
        },
      );
    },
    async event(event: SessionEvent): Promise<void> {
      const record = normalise(event, parseEvent);
      const sequence = events++;
      await write(() => appendRows(database.connection, "events", [eventRow(record, sequence)]));
    },
    close(): Promise<void> {
      sealed ??= last.then(() => sealDatabase(database, paths));
      return sealed;
    },
  };
}
