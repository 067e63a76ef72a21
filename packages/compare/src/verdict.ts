import type {
  ComparisonRow,
  PairedSeries,
  PairJudgement,
  PairOutcome,
  PerSide,
  RowVerdict,
  Side,
  Status,
} from "@tunelab/contract";
import { misjudged, SIDES } from "@tunelab/contract";
import {
  benjaminiHochberg,
  judgeProcesses,
  judgeReferences,
  QUADS,
  type QuadRules,
  quadStatistic,
  referenceLogs,
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

/** Median time of one repeat by side over the kept slots (or reference timings) of every process, ns; undefined without any. */
export function timesOf(outcomes: readonly PairOutcome[]): PerSide<number> | undefined {
  const slots = { A: [] as number[], B: [] as number[] };
  for (const { total, references = {} } of outcomes) {
    for (const { quads } of total?.placements ?? (total ? [total] : [])) {
      for (const { first, slotsNs } of quads.slice(QUADS.dropped))
        for (const [index, ns] of slotsNs.entries()) slots[slotSide(first, index)].push(ns);
    }
    for (const side of SIDES) {
      const { samplesNs = [], repeats = 1 } = references[side] ?? {};
      slots[side === "base" ? "A" : "B"].push(...samplesNs.map((ns) => ns / repeats));
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

/** What outcomes say together, by quads or by reference ratios; undefined without times. */
function judged(outcomes: readonly PairOutcome[], rules: QuadRules): PairJudgement | undefined {
  const logs = logsOf(outcomes);
  if (SIDES.every((side) => logs[side].length > 0)) return judgeReferences(logs, rules);
  return judgementOf(
    outcomes.flatMap(({ total }) => total ?? []),
    rules,
  );
}

/** The logs of each process by side that were told by a reference kernel. */
function logsOf(outcomes: readonly PairOutcome[]): PerSide<readonly (readonly number[])[]> {
  const of = (side: Side) =>
    outcomes
      .flatMap(({ references }) => references?.[side] ?? [])
      .filter(({ fault }) => fault === undefined)
      .map(referenceLogs)
      .filter(({ length }) => length > 0);
  return { base: of("base"), candidate: of("candidate") };
}

/** The base's odd processes against its even ones by reference ratios: what that procedure makes of no difference. */
export function referenceControl(
  outcomes: readonly PairOutcome[],
  rules: QuadRules,
): PairJudgement | undefined {
  const { base } = logsOf(outcomes);
  const [odd, even] = [0, 1].map((rest) => base.filter((_, index) => index % 2 === rest));
  return even!.length > 1 ? judgeReferences({ base: odd!, candidate: even! }, rules) : undefined;
}

/** Whether any buffer differs in its bits at any shape; buffers that differ from themselves have none to keep. */
export function bitsDiffer(outcomes: readonly PairOutcome[]): boolean {
  return outcomes.some(({ shapes }) =>
    shapes.some(({ buffers }) => buffers.some(({ differing, unstable }) => differing > 0 && unstable === 0)),
  );
}

/** What may lie behind a status, and what to do about it. */
const HINTS: Partial<Record<Status, string>> = {
  hung: " (an endless loop, or a problem too large for this device: try a smaller --problem or a longer --deadline)",
};

/** One line on what is wrong with the sides; undefined when both ran and are right. */
function faultOf({ routes }: Pick<Bout, "routes">, outcomes: readonly PairOutcome[]): string | undefined {
  const said: string[] = [];
  for (const side of SIDES) {
    const route = routes[side];
    if ("refused" in route) said.push(`${side}: ${route.refused}`);
    const report = outcomes.map(({ sides }) => sides[side]).find((one) => one && one.status !== "ok");
    if (report)
      said.push(`${side} ${report.status}: ${report.reason ?? ""}${HINTS[report.status] ?? ""}`.trim());
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
  const judgement = judged(outcomes, rules);
  const ns = timesOf(outcomes);
  const timed = { ...known, ...(ns ? { ns } : {}), ...(judgement ? { judgement } : {}) };
  if (fault !== undefined) return { ...timed, verdict: "invalid", reason: fault };
  if (requireParity && bitsDiffer(outcomes))
    return { ...timed, verdict: "invalid", reason: "bits differ, and parity is required" };
  if (outcomes.length > 0 && outcomes.every(({ identical }) => identical)) return identicalRow(timed);
  const ended = outcomes
    .flatMap(({ total, references = {} }) => [total, ...SIDES.map((side) => references[side])])
    .find((series) => series?.fault !== undefined)?.fault;
  return { ...timed, verdict: verdictOf(judgement), ...(ended === undefined ? {} : { reason: ended }) };
}

/** Plans of one hash stay identical whatever a forced timing says; a `changed` there is the procedure's fault, said aloud. */
function identicalRow(row: Omit<ComparisonRow, "verdict">): ComparisonRow {
  const changed = misjudged({ ...row, verdict: "identical" });
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
  const unsound = control?.verdict === "changed" || rows.some(misjudged);
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
