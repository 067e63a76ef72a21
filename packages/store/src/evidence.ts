import { extname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  asFault,
  canonicalJson,
  Fault,
  type SessionEvent,
  type SessionEvidence,
  sha256,
  type Trial,
} from "@tunelab/contract";
import { damaged, openMemory, quotedPath, rowsOf, withSnapshot } from "./database.ts";
import { exists } from "./files.ts";
import { readJournal } from "./journal.ts";
import { acceptSchema, encodeJson, parseEvent, parseHeader } from "./records.ts";
import { refuseNewer, trialOf } from "./schema.ts";

/**
 * One session's records, in sequence order, from a sealed file (`.parquet`), a session file (`.duckdb`, also while it is
 * being written) or a journal (`.jsonl`; its bad lines are left out, `readJournal` lists them). Throws `Fault` usage when
 * the file is absent, data naming it when it is damaged or newer than this tool; the file is kept.
 */
export async function readEvidence(path: string): Promise<SessionEvidence> {
  const format = extname(path);
  if (format === ".parquet") {
    const memory = await openMemory();
    try {
      return await readSealed(memory.connection, path);
    } finally {
      memory.close();
    }
  }
  if (format === ".duckdb") {
    await present(path);
    return withSnapshot(path, (connection) => readDatabase(connection, path));
  }
  if (format === ".jsonl") return (await readJournal(path)).evidence;
  throw new Fault("usage", `${path} is no session: expected a .parquet, .duckdb or .jsonl file`);
}

/** The records of an open session database. */
export async function readDatabase(connection: DuckDBConnection, path: string): Promise<SessionEvidence> {
  return guarded(path, async () => {
    await refuseNewer(connection, path);
    const [session] = await rowsOf(connection, "SELECT header FROM session");
    const header = parseHeader(JSON.parse(String(session?.header ?? null)));
    const events = await rowsOf(connection, "SELECT event FROM events ORDER BY sequence");
    const trials = await rowsOf(connection, "SELECT * FROM trials ORDER BY sequence");
    const evidence = { header, events: events.map(eventOf), trials: trials.map(trialOf) };
    refuseDoubled(evidence.trials, path);
    return evidence;
  });
}

/** The records of a sealed file, read through a connection to any database; the seal is checked. */
export async function readSealed(connection: DuckDBConnection, path: string): Promise<SessionEvidence> {
  await present(path);
  return guarded(path, async () => {
    const source = quotedPath(path);
    const pairs = await rowsOf(
      connection,
      `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(${source})`,
    );
    const about = new Map(pairs.map(({ key, value }) => [String(key), String(value)]));
    acceptSchema(Number(about.get("schema")), path);
    const header = parseHeader(JSON.parse(about.get("header") ?? "null"));
    const events = JSON.parse(about.get("events") ?? "null").map(parseEvent) as SessionEvent[];
    const rows = await rowsOf(connection, `SELECT * FROM read_parquet(${source}) ORDER BY sequence`);
    const trials: Trial[] = rows.map(trialOf);
    refuseDoubled(trials, path);
    const evidence = { header, events, trials };
    if ((await sealOf(evidence)) !== about.get("seal"))
      throw damaged(path, "its seal does not match its contents");
    return evidence;
  });
}

/** SHA-256 over the canonical JSON of all records: what a sealed file carries to prove that nothing was changed. */
export async function sealOf(evidence: SessionEvidence): Promise<string> {
  return sha256(canonicalJson(JSON.parse(encodeJson(evidence))));
}

/** Two rows for one trial would count it twice, and nothing says which of them was measured. */
function refuseDoubled(trials: readonly Trial[], path: string): void {
  const seen = new Set<string>();
  for (const { id } of trials) {
    if (seen.has(id)) throw damaged(path, `it holds two rows for trial ${id}`);
    seen.add(id);
  }
}

const eventOf = (row: Readonly<Record<string, unknown>>): SessionEvent =>
  parseEvent(JSON.parse(String(row.event)));

async function present(path: string): Promise<void> {
  if (!(await exists(path))) throw new Fault("usage", `there is no file ${path}`, { path });
}

/** Runs a reader; whatever it meets in the contents becomes a `Fault` that names the file. */
async function guarded<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    // DuckDB's own words name the path as well, but say neither that the file is kept nor what it is.
    if (error instanceof Fault && (error.details.path === path || error.message.includes(path))) throw error;
    throw damaged(path, asFault(error, "data").message);
  }
}
