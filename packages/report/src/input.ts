import {
  type Comparison,
  deviceSlug,
  type Operation,
  type SessionEvidence,
  type StudyResult,
  type TuningTable,
  tableFolder,
} from "@tunelab/contract";
import { type Retraction, studyPath, tablePath, withoutRetracted } from "@tunelab/selection";
import type { DimensionWords } from "./charts/times.ts";
import { escapeMarkdown } from "./markdown.ts";
import type { OperationReference } from "./references.ts";
import type { IsStale } from "./summary.ts";

/** What reports are written from: the published tables, the evidence behind them and what was withdrawn of it. */
export interface ReportInput {
  readonly tables: readonly TuningTable[];
  /** Published sessions, oldest first, retracted ones included. */
  readonly evidence: readonly SessionEvidence[];
  readonly retracted: readonly Retraction[];
  readonly isStale: IsStale;
  readonly operations: readonly Operation[];
  /** Others' figures, for the operations' pages. */
  readonly references?: readonly OperationReference[];
  /** Published studies, linked from the pages of their operations and devices and from the index. */
  readonly studies?: readonly StudyResult[];
  /** Published comparisons of two commits, oldest first. */
  readonly comparisons?: readonly Comparison[];
  /** Why comparisons were withdrawn, by their ids. */
  readonly retractedComparisons?: ReadonlyMap<string, string>;
  /** Pages that the index lists besides. */
  readonly others?: readonly OtherPage[];
}

/** A page below reports/ that is not written from the tables: its path there, and its heading as plain text. */
export interface OtherPage {
  readonly path: string;
  readonly title: string;
}

/** A file of a report: its name in the page's folder, and its text. */
export interface ReportFile {
  readonly file: string;
  readonly text: string;
}

/** The page's name in its folder; forges show it by itself. */
export const PAGE_FILE = "README.md";

/** The evidence that still counts. */
export const counted = ({ evidence, retracted }: ReportInput): readonly SessionEvidence[] =>
  withoutRetracted(evidence, retracted);

/** Where a table's own files lie, from the root of the tables. */
export const folderOf = (table: Pick<TuningTable, "device" | "profile">): string =>
  tableFolder(table.device.identity, table.profile);

/** By folder, then by operation: the order in which pages list tables. */
export function inOrder(tables: readonly TuningTable[]): readonly TuningTable[] {
  const key = (table: TuningTable): string => `${folderOf(table)}\n${table.operation}`;
  return [...tables].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

/** Folder names of every device that has a table or a session, also where all of its sessions are withdrawn. */
export function devicesOf({ tables, evidence }: ReportInput): readonly string[] {
  const identities = [...tables, ...evidence.map(({ header }) => header)].map(
    ({ device }) => device.identity,
  );
  return [...new Set(identities.map(deviceSlug))].sort();
}

/** The device's name for people. */
export function deviceTitle(table: Pick<TuningTable, "device">): string {
  const { description, device } = table.device.identity;
  return description.trim() || device.trim() || deviceSlug(table.device.identity);
}

/** What the operation's dimensions count, from their documentation up to the first colon. */
export function wordsOf(operation: Operation | undefined): DimensionWords {
  return Object.fromEntries(
    (operation?.dimensions ?? []).map(({ name, doc }) => [name, doc.split(/[:(]/, 1)[0]!.trim()]),
  );
}

/** The table's own page, from a page two folders below reports/. */
export const tableLink = (table: TuningTable): string =>
  `../../../tables/${tablePath(table).replace(/json$/, "md")}`;

/** The page of a published study, from a page so many folders below reports/. */
export const studyLink = (study: StudyResult, below: number, words: string = study.title): string =>
  `[${escapeMarkdown(words)}](${"../".repeat(below + 1)}tables/${studyPath(study).replace(/json$/, "md")})`;

/** `NVIDIA H200, native`; with compiler and backend where that alone is not one table. */
export function tableName(table: TuningTable, among: readonly TuningTable[]): string {
  const short = `${deviceTitle(table)}, ${table.profile}`;
  const same = among.filter((other) => `${deviceTitle(other)}, ${other.profile}` === short);
  const folders = new Set(same.map(folderOf));
  const { compiler, backend } = table.device.identity;
  return folders.size > 1 ? `${short} (${compiler}, ${backend}, ${folderOf(table)})` : short;
}
