import {
  type Problem,
  problemKey,
  type TableEntry,
  type TableRow,
  type TuningTable,
} from "@tunelab/contract";
import {
  formatError,
  formatPercent,
  formatRatio,
  formatTime,
  NOTHING,
  ratio,
  significant,
} from "./format.ts";
import type { Grid } from "./grid.ts";

/** Whether the code still plans what a row measured; see `staleLookup`. */
export type IsStale = (table: TuningTable, problem: Problem, variant: string) => boolean;

/** Where staleness is not asked for. */
export const nothingStale: IsStale = () => false;

/** A faster time than an entry's first place that no certification stands behind. */
export interface UnprovenTime {
  readonly us: number;
  /** It was put to certification, and its samples scattered too much. */
  readonly noisy: boolean;
}

/** Where one was seen; see `unprovenOf`. */
export type Unproven = (entry: TableEntry) => UnprovenTime | undefined;

/** Where the evidence is not asked. */
export const nothingUnproven: Unproven = () => undefined;

/** `unproven: 51.8 µs was timed, not certified`; `unproven: 51.8 µs was timed, too noisy to certify`. */
export const unprovenText = ({ us, noisy }: UnprovenTime): string =>
  `unproven: ${formatTime(us)} was timed, ${noisy ? "too noisy to certify" : "not certified"}`;

/** The row a call would run: rank 1; undefined when nothing measured may be ranked. */
export function bestRow(entry: TableEntry): TableRow | undefined {
  return entry.rows.find(({ rank }) => rank === 1);
}

/** A problem that a session tried and no table has, with the reason in words. */
export interface Absent {
  readonly problem: Problem;
  readonly why: string;
}

/**
 * One row a problem: the best variant with its time, its speed-up over the default configuration and over the median of the
 * space, its share of the measured ceilings, its verification, and whether the first place is resolved, or unproven. Problems in natural
 * order, numbers as numbers. Those that are absent from the table come last; with them alone there need be no table.
 */
export function summaryTable(
  table: TuningTable | undefined,
  isStale: IsStale = nothingStale,
  absent: readonly Absent[] = [],
  unproven: Unproven = nothingUnproven,
): Grid {
  const row = ({ problem, why }: Absent): string[] => [
    problemKey(problem),
    ...Array<string>(9).fill(NOTHING),
    why,
  ];
  return {
    columns: [
      { title: "problem", align: "left" },
      { title: "best variant", align: "left", code: true },
      { title: "time", align: "right" },
      { title: "vs default", align: "right" },
      { title: "vs median", align: "right" },
      { title: "of FMA", align: "right" },
      { title: "of copy", align: "right" },
      { title: "of workgroup memory", align: "right" },
      { title: "verified", align: "right" },
      { title: "max error", align: "right" },
      { title: "first place", align: "left" },
    ],
    rows: [...(table ? entryRows(table, isStale, unproven) : []), ...absent.map(row)],
  };
}

function entryRows(table: TuningTable, isStale: IsStale, unproven: Unproven): readonly string[][] {
  return orderedEntries(table).map((entry) => {
    const best = bestRow(entry);
    const problem = problemKey(entry.problem);
    if (!best) return [problem, ...Array<string>(9).fill(NOTHING), `none of ${entry.measured} ran`];
    return [
      problem,
      best.variant,
      formatTime(best.minUs),
      againstDefault(entry, best),
      formatRatio(ratio(entry.medianUs, best.minUs)),
      formatPercent(best.fractionOfFma),
      formatPercent(best.fractionOfCopy),
      formatPercent(best.fractionOfWorkgroup),
      `${best.matched}/${best.total}`,
      formatError(best.maxError),
      firstPlace(table, entry, isStale(table, entry.problem, best.variant), unproven(entry)),
    ];
  });
}

/** The default's time over the best's; in words where the default is the best, or where no difference to it was shown. */
function againstDefault(entry: TableEntry, best: TableRow): string {
  if (best.isDefault) return "the default";
  const factor = formatRatio(ratio(entry.defaultUs, best.minUs));
  return firstBand(entry).some(({ isDefault }) => isDefault) ? `tied (${factor})` : factor;
}

/** The best and those that tie with it one after another. */
function firstBand(entry: TableEntry): readonly TableRow[] {
  const rows = rowsByRank(entry);
  // The default is kept whatever its rank: where ranks between are left out it is in no band.
  const end = rows.findIndex(({ tie, rank }, index) => index > 0 && (!tie || rank !== index + 1));
  return end < 0 ? rows : rows.slice(0, end);
}

/** "resolved", "tie of 3", "only one", "unproven: ..."; with "noisy", "aged" or "stale" where that holds. `faster`: what is, unproven. */
function firstPlace(
  table: TuningTable,
  entry: TableEntry,
  stale: boolean,
  faster: UnprovenTime | undefined,
): string {
  const tied = firstBand(entry).length;
  const standing = entry.rows.length === 1 ? "only one" : tied > 1 ? `tie of ${tied}` : "resolved";
  const words = [faster ? unprovenText(faster) : standing];
  if (table.noisy) words.push("noisy");
  if (entry.agedOn !== undefined) words.push("aged");
  if (stale) words.push("stale");
  return words.join(", ");
}

/** Every ranked candidate of one problem. */
export function candidatesTable(
  entry: TableEntry,
  isStale: (variant: string) => boolean = () => false,
): Grid {
  const best = bestRow(entry);
  return {
    columns: [
      { title: "rank", align: "right" },
      { title: "variant", align: "left", code: true },
      { title: "minimum", align: "right" },
      { title: "median", align: "right" },
      { title: "CV", align: "right" },
      { title: "anchored", align: "right" },
      { title: "vs best", align: "right" },
      { title: "of FMA", align: "right" },
      { title: "of copy", align: "right" },
      { title: "of workgroup memory", align: "right" },
      { title: "verified", align: "right" },
      { title: "max error", align: "right" },
      { title: "samples", align: "right" },
      { title: "standing", align: "left" },
    ],
    rows: rowsByRank(entry).map((row) => [
      String(row.rank),
      row.variant,
      formatTime(row.minUs),
      formatTime(row.medianUs),
      formatPercent(row.cv),
      anchoredText(row),
      formatRatio(ratio(row.minUs, best?.minUs)),
      formatPercent(row.fractionOfFma),
      formatPercent(row.fractionOfCopy),
      formatPercent(row.fractionOfWorkgroup),
      `${row.matched}/${row.total}`,
      formatError(row.maxError),
      String(row.samples),
      standing(row, isStale(row.variant)),
    ]),
  };
}

/** "3.21 G fma-f32": the anchor does 3.21e9 of its work in the time of one run. */
function anchoredText({ anchored }: TableRow): string {
  return anchored ? `${significant(anchored.work)} G ${anchored.anchor}` : NOTHING;
}

function standing(row: TableRow, stale: boolean): string {
  const words: string[] = [row.status === "ok" ? row.grade : `${row.grade}, ${row.status}`];
  if (row.tie) words.push("ties with the row above");
  if (row.isDefault) words.push("default");
  if (row.cacheServed) words.push("cache-served");
  if (row.underFilled) words.push("under-filled");
  if (stale) words.push("stale");
  return words.join(", ");
}

/** Rows by rank, whatever order the file has them in. */
export function rowsByRank(entry: TableEntry): readonly TableRow[] {
  return [...entry.rows].sort((a, b) => a.rank - b.rank);
}

/** Entries by problem, dimension by dimension in the order of their names: n=512 before n=1024. */
export function orderedEntries(table: TuningTable): readonly TableEntry[] {
  return [...table.entries].sort((a, b) => compareProblems(a, b));
}

function compareProblems({ problem: a }: TableEntry, { problem: b }: TableEntry): number {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  // n is what most operations are read by; the rest in code-unit order.
  for (const name of [...names.filter((one) => one === "n"), ...names.filter((one) => one !== "n")]) {
    const [left, right] = [a[name], b[name]];
    if (left === right) continue;
    if (typeof left === "number" && typeof right === "number") return left - right;
    return String(left) < String(right) ? -1 : 1;
  }
  return 0;
}
