import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type Comparison,
  type Operation,
  type SessionEvidence,
  SIDES,
  type TuningTable,
} from "@tunelab/contract";
import {
  autoPage,
  type OperationCosts,
  REPORT_FOLDERS,
  reportFiles,
  tablePage,
  unprovenOf,
} from "@tunelab/report";
import {
  checkShipped,
  commitOf,
  fitCosts,
  fold,
  foldStudies,
  type Retraction,
  renderShipped,
  ruleSets,
  SHIPPED_FOLDER,
  type StaleRow,
  serialiseTable,
  staleLookup,
  tablePath,
  takenOverOf,
  withoutRetracted,
  withoutStudies,
} from "@tunelab/selection";
import { driftOf } from "./drift.ts";
import type { Cited } from "./history.ts";
import { generatedKnownChanges } from "./known-changes.ts";
import { otherPages } from "./other-pages.ts";
import { generatedOwnBorrowing } from "./own-borrowing-report.ts";
import { loadEpochs, loadOperations, loadReferences } from "./registry.ts";
import { generatedSearch } from "./search-report.ts";
import { boundsOf, writeWhole } from "./session.ts";
import { generatedSpirv } from "./spirv/page.ts";
import { choosingStudies, generatedStudies } from "./study-tables.ts";
import { TABLE_SCHEMA_PATH, tableSchemaText } from "./table-schema.ts";

/** Files that are generated from published evidence: their path from the checkout's root, and their text. */
export type Generated = ReadonlyMap<string, string>;

/** What the checkout publishes, folded and compared with the code. */
export interface Publication {
  readonly evidence: readonly SessionEvidence[];
  readonly retracted: readonly Retraction[];
  readonly operations: readonly Operation[];
  readonly tables: readonly TuningTable[];
  /** Rows whose plan or epoch is no longer what the code has. */
  readonly stale: readonly StaleRow[];
  readonly comparisons: readonly Comparison[];
  /** Why comparisons were withdrawn, by their ids. */
  readonly retractedComparisons: ReadonlyMap<string, string>;
}

export async function loadPublication(root: string): Promise<Publication> {
  const { loadPublished, publishedComparisons, retractedComparisons } = await import("@tunelab/store");
  const { evidence, retracted } = await loadPublished(join(root, "tables"));
  const comparisons = await publishedComparisons(join(root, "tables"));
  const operations = await loadOperations();
  const tables = fold(withoutStudies(evidence), { bounds: boundsOf(operations), retracted });
  const stale = await checkShipped(tables, operations, await loadEpochs());
  const withdrawn = await retractedComparisons(join(root, "tables"));
  return {
    ...{ evidence, retracted, operations, tables, stale },
    ...{ comparisons, retractedComparisons: withdrawn },
  };
}

/** `tables/**` beside the evidence, and the reports: what `pnpm tables` writes. */
export async function generatedTables(root: string, publication: Publication): Promise<Generated> {
  const { tables, stale } = publication;
  const files = new Map([
    [TABLE_SCHEMA_PATH, await tableSchemaText(root)],
    generatedOwnBorrowing(publication),
  ]);
  const isStale = staleLookup(stale);
  const standing = withoutRetracted(publication.evidence, publication.retracted);
  for (const table of tables) {
    const path = `tables/${tablePath(table)}`;
    files.set(path, serialiseTable(table));
    files.set(path.replace(/json$/, "md"), tablePage(table, isStale, unprovenOf(table, standing)));
  }
  const studies = foldStudies(publication.evidence, publication.retracted);
  for (const [path, text] of await generatedStudies(root, studies)) files.set(path, text);
  const references = await loadReferences();
  const input = { ...publication, isStale, references, studies };
  files.set(
    "reports/selection/auto.md",
    (await autoPage(input, await choosingStudies(), await costsOf(publication))).markdown(),
  );
  for (const [path, text] of await generatedSearch(root, withoutStudies(standing))) files.set(path, text);
  for (const [path, text] of await generatedKnownChanges(root)) files.set(path, text);
  for (const [path, text] of await generatedSpirv(root, tables)) files.set(path, text);
  const reports = await reportFiles({ ...input, others: await otherPages(root, files) });
  for (const [path, text] of reports) files.set(`reports/${path}`, text);
  return files;
}

/** The commits that measured what stands in a table or study, or was compared. */
export function citedByPublication({
  evidence,
  retracted,
  tables,
  comparisons,
  retractedComparisons,
}: Publication): readonly Cited[] {
  const studies = foldStudies(evidence, retracted).map(({ session }) => session);
  const standing = new Set([...tables.flatMap(({ sessions }) => sessions), ...studies]);
  return [
    ...evidence
      .filter(({ header }) => standing.has(header.id))
      .flatMap((session) => [
        { what: `session ${session.header.id}`, commit: commitOf(session) },
        ...takenOverOf(session).map(({ session: origin, commit }) => ({ what: `session ${origin}`, commit })),
      ]),
    ...comparisons
      .filter(({ id }) => !retractedComparisons.has(id))
      .flatMap(({ id, names }) =>
        SIDES.map((side) => ({ what: `comparison ${id}, ${side},`, commit: names[side].commit })),
      ),
  ];
}

/** Cost models of every operation, on every device that measured it. */
function costsOf({ evidence, retracted, operations }: Publication): Promise<readonly OperationCosts[]> {
  const all = operations.map(async (operation) => ({
    operation: operation.name,
    devices: await fitCosts(evidence, retracted, operation),
  }));
  return Promise.all(all);
}

/** `packages/runtime/src/generated/**`: what `pnpm ship` writes. */
export async function generatedShip({
  tables,
  operations,
  evidence,
  retracted,
}: Publication): Promise<Generated> {
  const studies = foldStudies(evidence, retracted);
  const ruled = new Set((await choosingStudies()).map(({ operation }) => operation));
  const sets = operations
    .filter(({ name }) => ruled.has(name))
    .map(async (operation) => {
      const costs = await fitCosts(evidence, retracted, operation);
      return [operation.name, ruleSets(studies, operation.name, costs)] as const;
    });
  return renderShipped(tables, operations, new Map(await Promise.all(sets)));
}

/** Folders whose generated files are all known: what else lies there is left over from evidence that is gone. */
export type Owned = readonly { readonly folder: string; readonly owns: (path: string) => boolean }[];

/** What `pnpm tables` owns. */
export const TABLES_OWN: Owned = [
  {
    folder: "tables",
    owns: (path) => /^tables\/(?!evidence\/|published\.json).*\.(json|md|svg)$/.test(path),
  },
  ...REPORT_FOLDERS.map((folder) => ({ folder: `reports/${folder}`, owns: () => true })),
  { folder: "reports/search", owns: (path) => /\.(md|svg)$/.test(path) },
];

/** What `pnpm ship` owns. */
export const SHIP_OWNS: Owned = [{ folder: SHIPPED_FOLDER, owns: () => true }];

/** A file that is not what the evidence gives. */
export interface Difference {
  readonly path: string;
  /** One line: missing, left over, or where it differs first. */
  readonly why: string;
}

/** Files that differ from what the evidence gives, left-over ones in the owned folders among them. */
export async function differences(
  root: string,
  files: Generated,
  owned: Owned,
): Promise<readonly Difference[]> {
  const extra = await leftovers(root, files, owned);
  const found: Difference[] = [];
  for (const path of [...files.keys(), ...extra]) {
    const text = await readFile(join(root, path), "utf8").catch(() => undefined);
    const why = driftOf(path, text, files.get(path));
    if (why) found.push({ path, why });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function leftovers(root: string, files: Generated, owned: Owned): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { folder, owns } of owned) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1);
      if (entry.isFile() && owns(path) && !files.has(path)) found.push(path);
    }
  }
  return found;
}

/** Writes the files, each whole or not at all, and removes what is left over. */
export async function writeGenerated(root: string, files: Generated, owned: Owned): Promise<void> {
  for (const [path, text] of files) await writeWhole(join(root, path), text);
  for (const path of await leftovers(root, files, owned)) await rm(join(root, path));
}
