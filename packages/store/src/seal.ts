import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { asFault, Fault, type SessionEvidence } from "@tunelab/contract";
import { appendRows, type Database, openMemory, openWriter, quoted } from "./database.ts";
import { readDatabase, readSealed, sealOf } from "./evidence.ts";
import { exists, moveIntoPlace, type SessionPaths, sessionPaths, writeFault } from "./files.ts";
import { encodeJson, RECORD_SCHEMA } from "./records.ts";
import { migrate, trialRow } from "./schema.ts";

/**
 * Writes one Parquet file that holds the whole session: a row a trial, in the order given, header and events as metadata
 * of the file, and a seal over all of it. The same evidence gives the same bytes. The file is read back and compared
 * before it takes its name, so that `path` is either whole or not there.
 */
export async function writeSealed(evidence: SessionEvidence, path: string): Promise<void> {
  const seal = await sealOf(evidence);
  const temporary = `${path}.${process.pid}.tmp`;
  const memory = await openMemory();
  try {
    await migrate(memory.connection, path);
    await appendRows(memory.connection, "trials", evidence.trials.map(trialRow));
    const metadata = [
      `schema: ${quoted(String(RECORD_SCHEMA))}`,
      `header: ${quoted(encodeJson(evidence.header))}`,
      `events: ${quoted(encodeJson(evidence.events))}`,
      `seal: ${quoted(seal)}`,
    ];
    await memory.connection.run(
      `COPY trials TO ${quoted(temporary)}
       (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 19, PARQUET_VERSION V2, KV_METADATA { ${metadata.join(", ")} })`,
    );
    await readSealed(memory.connection, temporary);
    await moveIntoPlace(temporary, path);
  } catch (error) {
    throw writeFault(error, dirname(path));
  } finally {
    memory.close();
    await rm(temporary, { force: true });
  }
}

/**
 * Seals a session that was left open (killed, or a machine that went down) and gives the path of its Parquet; the
 * session file goes once the sealed one is proven whole. A sealed session stays as it is. Throws `Fault` usage when
 * there is no such session or somebody writes it, data when its file is damaged (it is kept).
 */
export async function sealSession(labDir: string, session: string): Promise<string> {
  const paths = sessionPaths(labDir, session);
  if (await exists(paths.database)) {
    const database = await openWriter(paths.database);
    await guardedMigrate(database, paths.database);
    await sealDatabase(database, paths);
  } else if (!(await exists(paths.sealed))) {
    throw new Fault("usage", `there is no session ${session} in ${labDir}: \`lab results list\` shows them`);
  }
  return paths.sealed;
}

/** Brings an opened session database to the newest shape, or lets go of it and says why not. */
export async function guardedMigrate(database: Database, path: string): Promise<void> {
  try {
    await migrate(database.connection, path);
  } catch (error) {
    database.close();
    throw asFault(error, "data");
  }
}

/** Seals an opened session database, closes it and removes its file; on failure it is closed and kept. */
export async function sealDatabase(database: Database, paths: SessionPaths): Promise<void> {
  try {
    await writeSealed(await readDatabase(database.connection, paths.database), paths.sealed);
  } finally {
    database.close();
  }
  await rm(paths.database, { force: true });
  await rm(`${paths.database}.wal`, { force: true });
}
