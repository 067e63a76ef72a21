import { readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  asFault,
  COMPARISON_SCHEMA,
  type Comparison,
  Fault,
  type PairedSeries,
  type QuadNs,
} from "@tunelab/contract";
import { comparisonRow, listComparisons, readComparison } from "./comparison.ts";
import { decodeComparison } from "./comparison-record.ts";
import { appendRows, type Row } from "./database.ts";
import { listNames } from "./files.ts";
import { encodeJson } from "./records.ts";

/** Tables of the index over all comparisons; `comparison_quads` holds every quad's log ratio in the order it was measured. */
const TABLES: readonly string[] = [
  `CREATE TABLE comparisons (
    id VARCHAR NOT NULL, started_at VARCHAR NOT NULL, base VARCHAR NOT NULL, candidate VARCHAR NOT NULL,
    base_commit VARCHAR NOT NULL, candidate_commit VARCHAR NOT NULL, device_slug VARCHAR NOT NULL, device VARCHAR NOT NULL,
    profile VARCHAR NOT NULL, processes INTEGER NOT NULL, gate DOUBLE NOT NULL, equivalence DOUBLE NOT NULL,
    alpha DOUBLE NOT NULL, busy BOOLEAN, stopped VARCHAR, record JSON NOT NULL
  )`,
  `CREATE TABLE comparison_rows (
    comparison VARCHAR NOT NULL, sequence INTEGER NOT NULL, operation VARCHAR NOT NULL, problem_key VARCHAR NOT NULL,
    base_variant VARCHAR, candidate_variant VARCHAR, base_plan VARCHAR, candidate_plan VARCHAR, verdict VARCHAR NOT NULL,
    reason VARCHAR, ratio DOUBLE, low DOUBLE, high DOUBLE, mde DOUBLE, quads INTEGER, base_ns DOUBLE, candidate_ns DOUBLE
  )`,
  `CREATE TABLE comparison_quads (
    comparison VARCHAR NOT NULL, sequence INTEGER NOT NULL, process INTEGER NOT NULL, quad INTEGER NOT NULL,
    log_ratio DOUBLE NOT NULL, base_ns DOUBLE NOT NULL, candidate_ns DOUBLE NOT NULL
  )`,
];

/** A comparison that the index takes, and files that could not be read. */
export interface FoundComparisons {
  readonly comparisons: readonly Comparison[];
  readonly faults: readonly Fault[];
}

/** The laboratory's comparisons and published records (`<folder>/comparisons/*.json`), one an id, oldest first. */
export async function findComparisons(labDir: string, folders: readonly string[]): Promise<FoundComparisons> {
  const found = new Map<string, Comparison>();
  const faults: Fault[] = [];
  const take = async (read: () => Promise<Comparison>): Promise<void> => {
    try {
      const one = await read();
      if (!found.has(one.id)) found.set(one.id, one);
    } catch (error) {
      faults.push(asFault(error, "data"));
    }
  };
  for (const folder of folders) {
    for (const name of await listNames(join(folder, "comparisons")))
      if (extname(name) === ".json") await take(() => readRecord(join(folder, "comparisons", name)));
  }
  for (const id of await listComparisons(labDir)) await take(() => readComparison(labDir, id));
  return { comparisons: [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1)), faults };
}

/** A published record. @throws Fault `data` naming the file when it is none, newer than this tool, or another than its name says. */
export async function readRecord(path: string): Promise<Comparison> {
  const comparison = decodeComparison(await readFile(path, "utf8"), path);
  if (comparison.schema > COMPARISON_SCHEMA)
    throw new Fault(
      "data",
      `${path} was written by a newer tunelab (schema ${comparison.schema}, this one reads ${COMPARISON_SCHEMA}): update first`,
    );
  if (comparison.id !== basename(path, ".json"))
    throw new Fault("data", `${path} holds comparison ${comparison.id}, not its own: restore it from git`);
  return comparison;
}

/** Makes and fills the three tables. */
export async function fillComparisons(
  connection: DuckDBConnection,
  comparisons: readonly Comparison[],
): Promise<void> {
  for (const table of TABLES) await connection.run(table);
  await appendRows(connection, "comparisons", comparisons.map(headRow));
  for (const one of comparisons) {
    const rows = one.rows.map((row, sequence): Row => {
      const { row: _, ...figures } = comparisonRow(row, sequence);
      return { comparison: one.id, ...figures };
    });
    await appendRows(connection, "comparison_rows", rows);
    await appendRows(connection, "comparison_quads", quadRows(one));
  }
}

function headRow(one: Comparison): Row {
  const { names, device, rules, rows: _, ...rest } = one;
  return {
    id: one.id,
    started_at: one.startedAt,
    base: names.base.text,
    candidate: names.candidate.text,
    base_commit: names.base.commit,
    candidate_commit: names.candidate.commit,
    device_slug: one.deviceSlug,
    device: device.identity.description || device.identity.device,
    profile: one.profile,
    processes: rules.processes,
    gate: rules.gate,
    equivalence: rules.equivalence,
    alpha: rules.alpha,
    busy: one.machine?.busy ?? null,
    stopped: one.stopped ?? null,
    record: encodeJson({ ...rest, names, device, rules }),
  };
}

/** Of a series, what was judged. Records of before version 2 may have the ratios of their placements alone, without quads. */
function keptQuads(total: PairedSeries | undefined): readonly QuadNs[] {
  const placed = (total?.placements ?? []).filter((one) => typeof one === "object");
  const judged = placed.length > 0 ? placed : total ? [total] : [];
  return judged.flatMap(({ quads }) => quads.slice(1));
}

/**
 * Half the difference of two sums of two logs (MEASUREMENT, section 4), for the kept quads that were judged, those of further
 * placements where there are any: the first of a placement warmed up.
 */
function quadRows(one: Comparison): readonly Row[] {
  return one.rows.flatMap(({ outcomes }, sequence) =>
    outcomes.flatMap(({ total }, process) =>
      keptQuads(total).map(({ first, slotsNs }, quad): Row => {
        const [a, b, c, d] = slotsNs;
        const [outer, inner] = [Math.sqrt(a * d), Math.sqrt(b * c)];
        const [base, candidate] = first === "A" ? [outer, inner] : [inner, outer];
        return {
          comparison: one.id,
          sequence,
          process,
          quad,
          log_ratio: Math.log(candidate / base),
          base_ns: base,
          candidate_ns: candidate,
        };
      }),
    ),
  );
}
