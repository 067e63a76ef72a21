import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { COMPARISON_SCHEMA, type Comparison, type ComparisonRow, Fault, problemKey } from "@tunelab/contract";
import { decodeJson } from "./comparison-record.ts";
import { appendRows, damaged, openWriter, type Row, rowsOf, withSnapshot } from "./database.ts";
import { ensureDirectory, exists, writeFault } from "./files.ts";
import { encodeJson } from "./records.ts";
import { type Migration, migrate, refuseNewer } from "./schema.ts";

/** What is known before the first row; the rest comes when the comparison ends. */
export type ComparisonHeader = Omit<Comparison, "rows" | "control" | "stopped">;

/** Where a comparison's rows go as they are made. */
export interface ComparisonSink {
  readonly path: string;
  /** Resolves when the row is durable. */
  row(row: ComparisonRow): Promise<void>;
  /** Records the whole, withdrawn claims and the control included, and lets go of the file. */
  finish(comparison: Comparison): Promise<void>;
}

/** Columns that get queried; `row` is the whole record, raw quads included. */
const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: [
      "CREATE TABLE comparison (record JSON NOT NULL)",
      `CREATE TABLE rows (
        sequence INTEGER NOT NULL, operation VARCHAR NOT NULL, problem_key VARCHAR NOT NULL, base_variant VARCHAR,
        candidate_variant VARCHAR, base_plan VARCHAR, candidate_plan VARCHAR, verdict VARCHAR NOT NULL, reason VARCHAR,
        ratio DOUBLE, low DOUBLE, high DOUBLE, mde DOUBLE, quads INTEGER, base_ns DOUBLE, candidate_ns DOUBLE, "row" JSON NOT NULL
      )`,
    ],
  },
  // Reference ratios and the candidate's own place live in the records alone.
  { version: COMPARISON_SCHEMA, statements: [] },
];

const folderOf = (labDir: string): string => join(labDir, "comparisons");
const pathOf = (labDir: string, id: string): string => join(folderOf(labDir), `${id}.duckdb`);

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

/** The figures of a row in columns, and the whole row as JSON. */
export function comparisonRow(row: ComparisonRow, sequence: number): Row {
  const { base, candidate } = row.routes;
  const { judgement, ns } = row;
  return {
    sequence,
    operation: row.operation,
    problem_key: problemKey(row.problem),
    base_variant: "variant" in base ? base.variant : null,
    candidate_variant: "variant" in candidate ? candidate.variant : null,
    base_plan: "planHash" in base ? base.planHash : null,
    candidate_plan: "planHash" in candidate ? candidate.planHash : null,
    verdict: row.verdict,
    reason: row.reason ?? null,
    ratio: finite(judgement?.ratio),
    low: finite(judgement?.low),
    high: finite(judgement?.high),
    mde: finite(judgement?.mde),
    quads: judgement?.count ?? null,
    base_ns: finite(ns?.base),
    candidate_ns: finite(ns?.candidate),
    row: encodeJson(row),
  };
}

/**
 * Starts `<labDir>/comparisons/<id>.duckdb`. Rows are durable as they come; `finish` replaces them by what the whole run makes
 * of them. @throws Fault `environment` when the folder cannot be written.
 */
export async function createComparison(labDir: string, header: ComparisonHeader): Promise<ComparisonSink> {
  const path = pathOf(labDir, header.id);
  await ensureDirectory(dirname(path));
  if (await exists(path)) throw new Fault("usage", `comparison ${header.id} is already in ${labDir}`);
  const database = await openWriter(path);
  const { connection } = database;
  try {
    await migrate(connection, path, MIGRATIONS);
    await appendRows(connection, "comparison", [{ record: encodeJson(header) }]);
  } catch (error) {
    database.close();
    await rm(path, { force: true });
    throw writeFault(error, dirname(path));
  }
  let sequence = 0;
  return {
    path,
    row: (row) => appendRows(connection, "rows", [comparisonRow(row, sequence++)]),
    finish: async ({ rows, ...whole }) => {
      try {
        await connection.run("BEGIN");
        await connection.run("DELETE FROM rows");
        await connection.run("DELETE FROM comparison");
        await appendRows(connection, "comparison", [{ record: encodeJson(whole) }]);
        await appendRows(connection, "rows", rows.map(comparisonRow));
        await connection.run("COMMIT");
      } finally {
        database.close();
      }
    },
  };
}

/** A stored comparison; one that was killed has the rows that were made. @throws Fault `usage` when there is none, `data` when damaged. */
export async function readComparison(labDir: string, id: string): Promise<Comparison> {
  const path = pathOf(labDir, id);
  if (!/^\w+$/.test(id) || !(await exists(path)))
    throw new Fault(
      "usage",
      `there is no comparison ${id} in ${labDir}: \`lab comparisons list\` shows them`,
    );
  return withSnapshot(path, async (connection) => {
    await refuseNewer(connection, path, MIGRATIONS);
    const [header] = await rowsOf(connection, "SELECT record FROM comparison");
    const rows = await rowsOf(connection, 'SELECT "row" FROM rows ORDER BY sequence');
    if (!header) throw damaged(path, "it has no header");
    const whole = decodeJson(String(header.record)) as Omit<Comparison, "rows">;
    return { ...whole, rows: rows.map(({ row }) => decodeJson(String(row)) as ComparisonRow) };
  });
}

/** Ids of the stored comparisons, oldest first. */
export async function listComparisons(labDir: string): Promise<readonly string[]> {
  const names = await readdir(folderOf(labDir)).catch(() => []);
  return names
    .filter((name) => name.endsWith(".duckdb"))
    .map((name) => name.slice(0, -".duckdb".length))
    .sort();
}
