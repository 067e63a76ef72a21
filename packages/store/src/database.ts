import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import { asFault, Fault, firstLine } from "@tunelab/contract";
import { errorCode, writeFault } from "./files.ts";

/** Values of one row by column name; a column that is not named is NULL. */
export type Row = Readonly<Record<string, DuckDBValue>>;

const OPTIONS: Readonly<Record<string, string>> = {
  // Nothing here needs an extension, and a download must never start by itself.
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  // One thread writes rows in one order, so that a sealed file has the same bytes every time.
  threads: "1",
};

/**
 * While a session is written its rows stay in the write-ahead log and the main file does not change, so that a copy of
 * both is a consistent snapshot at any moment. 1,000 trials make a log of about 10 MB, replayed in 0.1 s.
 */
const WRITER_OPTIONS: Readonly<Record<string, string>> = { ...OPTIONS, checkpoint_threshold: "1TB" };

/** Rows that one DuckDB data chunk holds. */
const CHUNK_ROWS = 2048;

export interface Database {
  readonly connection: DuckDBConnection;
  /** Flushes the log into the file and lets go of it. */
  close(): void;
}

/**
 * Databases this process has open for writing. A reader here must use them: opening the file again and closing it would
 * drop the writer's lock (POSIX locks belong to the process).
 */
const writers = new Map<string, Promise<Database>>();

/**
 * Opens a database file for writing, made when absent; one writer at a time. Throws `Fault` usage when this or another
 * process writes it, data when it cannot be read (the file is kept).
 */
export async function openWriter(path: string): Promise<Database> {
  const key = resolve(path);
  if (writers.has(key)) throw new Fault("usage", `${path} is being written by this process already`);
  const opening = connect(key, WRITER_OPTIONS);
  const writer = opening.then(({ connection, close }) => ({
    connection,
    close(): void {
      writers.delete(key);
      close();
    },
  }));
  writers.set(key, writer);
  writer.catch(() => writers.delete(key));
  return writer;
}

/** Opens a database file to read; it must exist. Several readers coexist; a writer elsewhere locks them out. */
export async function openReader(path: string): Promise<Database> {
  return connect(path, { ...OPTIONS, access_mode: "READ_ONLY" });
}

/** Opens an empty database in memory. */
export async function openMemory(): Promise<Database> {
  return connect(":memory:", OPTIONS);
}

/**
 * Lets `use` read a database file without ever locking it: through the writer when this process has it open, else
 * from a copy. Throws `Fault` data naming the file when it cannot be read; the file is kept.
 */
export async function withSnapshot<T>(
  path: string,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const writer = await writers.get(resolve(path));
  if (writer) return use(writer.connection);
  const directory = await mkdtemp(join(tmpdir(), "tunelab-snapshot-"));
  try {
    const copy = join(directory, "snapshot.duckdb");
    await copyFile(path, copy);
    await copyFile(`${path}.wal`, `${copy}.wal`).catch((error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw error;
    });
    const database = await connect(copy, OPTIONS, path);
    try {
      return await use(database.connection);
    } finally {
      database.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function connect(
  path: string,
  options: Readonly<Record<string, string>>,
  name: string = path,
): Promise<Database> {
  let instance: DuckDBInstance;
  try {
    instance = await DuckDBInstance.create(path, { ...options });
  } catch (error) {
    throw openFault(error, name);
  }
  const connection = await instance.connect();
  return {
    connection,
    close(): void {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** What a failure to open a database file means: its writer, its disk, or its contents. */
export function openFault(error: unknown, path: string): Fault {
  const { message } = asFault(error, "data");
  // DuckDB gives no error codes; the lock message is the one that has another remedy than a damaged file.
  if (/could not set lock/i.test(message)) {
    const holder = /PID (\d+)/.exec(message);
    return new Fault(
      "usage",
      `${path} is being written by ${holder ? `process ${holder[1]}` : "another process"}: wait for it to end`,
      { path },
    );
  }
  // Opening writes the first block: on a full disk nothing is damaged, there is only no room.
  const unwritable = writeFault(error, dirname(path));
  if (unwritable.details.directory) return unwritable;
  return damaged(path, message);
}

/** The fault of a file whose contents are not what was written. */
export function damaged(path: string, why: string): Fault {
  return new Fault("data", `${path} cannot be read and is kept as it is (${firstLine(why)})`, {
    path,
    why,
  });
}

/** Runs a statement and gives its rows as plain JavaScript values: BIGINT as bigint, lists as arrays. */
export async function rowsOf(
  connection: DuckDBConnection,
  sql: string,
  values: DuckDBValue[] = [],
): Promise<Record<string, unknown>[]> {
  const reader = await connection.runAndReadAll(sql, values);
  return reader.getRowObjectsJS();
}

/** Appends rows to a table and commits them: durable when this resolves. Columns are matched by name. */
export async function appendRows(
  connection: DuckDBConnection,
  table: string,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = await rowsOf(
    connection,
    "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND NOT internal ORDER BY column_index",
    [table],
  );
  const names = columns.map((column) => String(column.column_name));
  const appender = await connection.createAppender(table);
  try {
    const types: DuckDBType[] = names.map((_, index) => appender.columnType(index));
    for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
      const part = rows.slice(start, start + CHUNK_ROWS);
      const chunk = DuckDBDataChunk.create(types, part.length);
      chunk.setColumns(names.map((name) => part.map((row) => row[name] ?? null)));
      appender.appendDataChunk(chunk);
    }
    appender.flushSync();
  } finally {
    appender.closeSync();
  }
}

/** A text as an SQL literal, for statements that take no parameters. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A path as a literal that DuckDB does not take for a glob pattern. */
export const quotedPath = (path: string): string => quoted(resolve(path).replace(/[[*?]/g, "[$&]"));
