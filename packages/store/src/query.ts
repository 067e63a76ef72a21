import { type DuckDBType, DuckDBTypeId } from "@duckdb/node-api";
import { asFault, Fault, firstLine } from "@tunelab/contract";
import { openReader } from "./database.ts";

/** What a column holds, in the words of notebooks. */
export type ColumnKind = "boolean" | "integer" | "number" | "string" | "date" | "other";

/** Rows as JSON data with the kinds of their columns. */
export interface QueryResult {
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const KINDS: ReadonlyMap<DuckDBTypeId, ColumnKind> = new Map([
  [DuckDBTypeId.BOOLEAN, "boolean"],
  [DuckDBTypeId.TINYINT, "integer"],
  [DuckDBTypeId.SMALLINT, "integer"],
  [DuckDBTypeId.INTEGER, "integer"],
  [DuckDBTypeId.BIGINT, "integer"],
  [DuckDBTypeId.HUGEINT, "integer"],
  [DuckDBTypeId.FLOAT, "number"],
  [DuckDBTypeId.DOUBLE, "number"],
  [DuckDBTypeId.DECIMAL, "number"],
  [DuckDBTypeId.VARCHAR, "string"],
  [DuckDBTypeId.DATE, "date"],
  [DuckDBTypeId.TIMESTAMP, "date"],
  [DuckDBTypeId.TIMESTAMP_TZ, "date"],
]);

const kindOf = (type: DuckDBType): ColumnKind => KINDS.get(type.typeId) ?? "other";

/** JSON has no integers beyond 2^53: there the text stays, so that nothing is rounded unseen. */
function plain(value: unknown, kind: ColumnKind): unknown {
  if (Array.isArray(value)) return value.map((part) => plain(part, "integer"));
  if ((kind !== "integer" && kind !== "number") || typeof value !== "string") return value;
  const number = Number(value);
  return kind === "integer" && !Number.isSafeInteger(number) ? value : number;
}

/**
 * Runs one query on the index (`indexSessions` makes it), read-only: any number of readers at once, and none in a writer's
 * way. Throws `Fault` usage with DuckDB's first line when the query is wrong, data when the file cannot be read.
 */
export async function queryIndex(path: string, sql: string): Promise<QueryResult> {
  const database = await openReader(path);
  try {
    const reader = await database.connection.runAndReadAll(sql);
    const types = reader.columnTypes();
    const columns = reader.columnNames().map((name, index) => ({ name, kind: kindOf(types[index]!) }));
    const rows = reader
      .getRowObjectsJson()
      .map((row) => Object.fromEntries(columns.map(({ name, kind }) => [name, plain(row[name], kind)])));
    return { columns, rows };
  } catch (error) {
    throw new Fault("usage", `the query fails: ${firstLine(asFault(error, "usage").message)}`, { sql });
  } finally {
    database.close();
  }
}
