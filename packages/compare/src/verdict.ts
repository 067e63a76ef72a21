import type {
  ComparisonRow,
  PairedSeries,
  PairJudgement,
  PairOutcome,
  PerSide,
  RowVerdict,
} from "@tunelab/contract";
import { SIDES } from "@tunelab/contract";
import {
  benjaminiHochberg,
  judgeProcesses,
  QUADS,
  type QuadRules,
  quadStatistic,
  slotSide,
} from "@tunelab/harness";
import type { Bout } from "./offer.ts";

/** Statistics of a series' kept quads: log of the candidate's time over the base's. */
const statisticsOf = ({ quads }: PairedSeries): readonly number[] =>
  quads.slice(QUADS.dropped).map(quadStatistic);

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** Median time of one repeat by side over the kept slots of every process, ns; undefined without any. */
export function timesOf(outcomes: readonly PairOutcome[]): PerSide<number> | undefined {
  const slots = { A: [] as number[], B: [] as number[] };
  for (const { total } of outcomes) {
    for (const { first, slotsNs } of total?.quads.slice(QUADS.dropped) ?? []) {
      for (const [index, ns] of slotsNs.entries()) slots[slotSide(first, index)].push(ns);
    }
  }
  if (slots.A.length === 0 || slots.B.length === 0) return undefined;
  return { base: median(slots.A), candidate: median(slots.B) };
}

/** What the series of one or of several processes say together; undefined without any. */
export function judgementOf(series: readonly PairedSeries[], rules: QuadRules): PairJudgement | undefined {
  const [first] = series;
  if (!first) return undefined;
  if (series.length === 1) {
    const { verdict, ratio, low, high, confidence, p, mde, count } = first;
    return { verdict, ratio, low, high, confidence, p, mde, count };
  }
  const { publishable: _, ...judgement } = judgeProcesses(series.map(statisticsOf), rules);
  return judgement;
}

/** Whether any buffer differs in its bits at any shape; buffers that differ from themselves have none to keep. */
export function bitsDiffer(outcomes: readonly PairOutcome[]): boolean {
  return outcomes.some(({ shapes }) =>
    shapes.some(({ buffers }) => buffers.some(({ differing, unstable }) => differing > 0 && unstable === 0)),
  );
}

/** One line on what is wrong with the sides; undefined when both ran and are right. */
function faultOf({ routes }: Pick<Bout, "routes">, outcomes: readonly PairOutcome[]): string | undefined {
  const said: string[] = [];
  for (const side of SIDES) {
    const route = routes[side];
    if ("refused" in route) said.push(`${side}: ${route.refused}`);
    const report = outcomes.map(({ sides }) => sides[side]).find((one) => one && one.status !== "ok");
    if (report) said.push(`${side} ${report.status}: ${report.reason ?? ""}`.trim());
  }
  return said.length > 0 ? said.join("; ") : undefined;
}

export interface RowRules {
  readonly rules: QuadRules;
  readonly requireParity: boolean;
}

/** The row that outcomes give. */
export function rowOf(
  bout: Bout,
  outcomes: readonly PairOutcome[],
  { rules, requireParity }: RowRules,
): ComparisonRow {
  const { operation, problem, routes, accuracy } = bout;
  const known = { operation, problem, routes, accuracy, outcomes };
  const fault = faultOf(bout, outcomes);
  const judgement = judgementOf(
    outcomes.flatMap(({ total }) => total ?? []),
    rules,
  );
  const ns = timesOf(outcomes);
  const timed = { ...known, ...(ns ? { ns } : {}), ...(judgement ? { judgement } : {}) };
  if (fault !== undefined) return { ...timed, verdict: "invalid", reason: fault };
  if (requireParity && bitsDiffer(outcomes))
    return { ...timed, verdict: "invalid", reason: "bits differ, and parity is required" };
  if (outcomes.length > 0 && outcomes.every(({ identical }) => identical)) return identicalRow(timed);
  const ended = outcomes.map(({ total }) => total?.fault).find((text) => text !== undefined);
  return { ...timed, verdict: verdictOf(judgement), ...(ended === undefined ? {} : { reason: ended }) };
}

/** Plans of one hash stay identical whatever a forced timing says; a `changed` there is the procedure's fault, said aloud. */
function identicalRow(row: Omit<ComparisonRow, "verdict">): ComparisonRow {
  const changed = row.judgement?.verdict === "changed";
  const reason = "one plan on both sides read as changed: times of this run are not to be believed";
  return { ...row, verdict: "identical", ...(changed ? { reason } : {}) };
}

function verdictOf(judgement: PairJudgement | undefined): RowVerdict {
  if (!judgement || judgement.verdict === "unresolved") return "unresolved";
  if (judgement.verdict === "same") return "same";
  return judgement.ratio > 1 ? "slower" : "faster";
}

const RESOLVED: readonly RowVerdict[] = ["faster", "slower"];

/**
 * Withdraws claims that the whole run does not carry: all of them when base against base read as changed; in a report over
 * several rows those that Benjamini-Hochberg does not keep.
 */
export function withdraw(
  rows: readonly ComparisonRow[],
  control: PairJudgement | undefined,
  report: boolean,
): readonly ComparisonRow[] {
  const unsound =
    control?.verdict === "changed" || rows.some((row) => row.verdict === "identical" && row.reason);
  const claims = rows.filter(({ verdict }) => RESOLVED.includes(verdict));
  const kept = report
    ? benjaminiHochberg(
        rows.map(({ judgement }) => judgement?.p ?? Number.NaN),
        QUADS.falseDiscovery,
      )
    : rows.map(() => true);
  return rows.map((row, index) => {
    if (!claims.includes(row)) return row;
    if (unsound) return { ...row, verdict: "unresolved", reason: "the base against itself read as changed" };
    if (kept[index]) return row;
    return {
      ...row,
      verdict: "unresolved",
      reason: `not kept by Benjamini-Hochberg over ${rows.length} rows`,
    };
  });
}
