import { problemKey } from "@tunelab/contract";
import {
  chartSvg,
  columns,
  escapeMarkdown,
  formatError,
  formatPercent,
  formatRate,
  formatRatio,
  formatTime,
  gridMarkdown,
  NOTHING,
} from "@tunelab/report";
import { floorOf } from "@tunelab/selection";
import { armsChart } from "./chart.ts";
import type { Claim, NamedExperiment } from "./definition.ts";
import { VERDICTS_MEAN } from "./overview.ts";
import {
  type ArmResult,
  type ExperimentResult,
  type ExperimentRun,
  runKey,
  type WithdrawnRun,
} from "./result.ts";
import type { RunStanding } from "./standing.ts";
import { ALPHA, type Judged, judgeRun, overall } from "./verdict.ts";

/** What each run still stands for, by session; a run without an entry stands as it is. */
export type Standings = ReadonlyMap<string, RunStanding>;

/** Files of an experiment's folder that are written from its definition and its result. */
export async function experimentFiles(
  named: NamedExperiment,
  result: ExperimentResult | undefined,
  standings: Standings = new Map(),
): Promise<ReadonlyMap<string, string>> {
  const files = new Map([["README.md", readmeText(named, result, standings)]]);
  for (const run of result?.runs ?? []) {
    const chart = armsChart(run);
    if (chart) files.set(pictureName(run), await chartSvg(chart));
  }
  return files;
}

const pictureName = (run: ExperimentRun): string => `${runKey(run)}.svg`;

function readmeText(
  named: NamedExperiment,
  result: ExperimentResult | undefined,
  standings: Standings,
): string {
  const { name, experiment } = named;
  const { question, hypothesis, source, varies, operation, claims } = experiment;
  const runs = result?.runs ?? [];
  const parts = [
    `# ${escapeMarkdown(question)}`,
    `\`${name}\`, operation ${escapeMarkdown(operation)}. Written by \`pnpm lab experiment\` from experiment.ts and result.json; never edited by hand.`,
    `**Hypothesis.** ${escapeMarkdown(hypothesis)}`,
    `**Varied.** ${escapeMarkdown(varies)}`,
    ...(source ? [`**Source.** ${escapeMarkdown(source)}`] : []),
    gridMarkdown({
      columns: columns("claim", "figure", ">predicted", ...theirTitle(claims)),
      rows: claims.map((claim) => [
        claim.text,
        `${claim.figure} of ${claim.of} over ${claim.over}`,
        formatRatio(claim.predicted) +
          (claim.within === undefined ? "" : ` within ${formatPercent(claim.within)}`),
        ...theirCell(claims, claim),
      ]),
    }),
  ];
  const withdrawn = result?.withdrawn ?? [];
  if (runs.length === 0) parts.push("Not measured yet.");
  if (runs.length + withdrawn.length > 0)
    parts.push("## Verdicts", VERDICTS_MEAN, verdictGrid(named, runs, withdrawn, standings));
  for (const run of runs) parts.push(...runParts(named, run, standings.get(run.session)));
  return `${parts.join("\n\n")}\n`;
}

/** Runs that count, then those that no longer do, struck through with the reason. */
function verdictGrid(
  { experiment }: NamedExperiment,
  runs: readonly ExperimentRun[],
  withdrawn: readonly WithdrawnRun[],
  standings: Standings,
): string {
  const row = (run: ExperimentRun, standing: string): string[] => [
    run.device,
    run.profile,
    run.startedAt.slice(0, 10),
    overall(judgeRun(experiment, run)),
    standing,
  ];
  return gridMarkdown({
    columns: columns("device", "profile", "day", "verdict", "standing"),
    rows: [
      ...runs.map((run) => row(run, standingWord(standings.get(run.session)))),
      ...withdrawn.map(({ run, reason }) => row(run, reason)),
    ],
    struck: withdrawn.map((_, index) => runs.length + index),
  });
}

function standingWord(standing: RunStanding | undefined): string {
  if (standing && standing.mismatches.length > 0) return "not what the definition asks for";
  return standing && standing.stale.length > 0 ? "stale" : "counts";
}

/** A column for what the documents themselves report, where one does; theirs, on their devices. */
const theirTitle = (claims: readonly Claim[]): readonly string[] =>
  claims.some(({ theirs }) => theirs) ? [">theirs, in the document"] : [];

const theirCell = (claims: readonly Claim[], { theirs }: Claim): readonly string[] =>
  theirTitle(claims).map(() => (theirs ? `${formatRatio(theirs.ratio)} (${theirs.device})` : NOTHING));

function runParts(
  { experiment }: NamedExperiment,
  run: ExperimentRun,
  standing: RunStanding | undefined,
): readonly string[] {
  const { claims } = experiment;
  const judged = judgeRun(experiment, run);
  const chart = armsChart(run);
  const shared = run.arms.some(({ ceilingFlopsPerSecond }) => ceilingFlopsPerSecond !== undefined);
  return [
    `## ${escapeMarkdown(run.device)}, ${run.profile}`,
    `${escapeMarkdown(run.implementation)} (${escapeMarkdown(run.compiler)}) on ${escapeMarkdown(run.backend)}, driver ${escapeMarkdown(run.driver)}; session ${run.session}, commit ${run.commit.slice(0, 12) || "unknown"}${run.dirty ? " with uncommitted changes" : ""}. ${run.cpu ? `Peers on one core of ${escapeMarkdown(run.cpu)}. ` : ""}${run.rounds} rounds; intervals of ${formatPercent(1 - ALPHA)}; differences under ${formatPercent(floorOf(run))} are not told from none here.`,
    ...(standing?.mismatches ?? []).map(
      (line) => `**Not what the definition asks for:** ${escapeMarkdown(line)}; run it again.`,
    ),
    ...(standing?.stale ?? []).map((line) => `**Stale:** ${escapeMarkdown(line)}; run it again.`),
    gridMarkdown({
      columns: columns("claim", ">predicted", ...theirTitle(claims), ">measured here", "interval", "verdict"),
      rows: judged.map((one) => [
        one.claim.text,
        formatRatio(one.claim.predicted),
        ...theirCell(claims, one.claim),
        ...measuredCells(one),
      ]),
    }),
    ...(chart ? [`![time of each arm, round by round](${pictureName(run)})`] : []),
    gridMarkdown({
      columns: columns(
        "arm",
        "`variant`",
        "problem",
        ">median of rounds",
        ">least",
        ...(shared ? [">rate", ">its ceiling", ">share"] : []),
        ">max error",
        ">verified",
        "status",
      ),
      rows: run.arms.map((arm) => {
        const times = arm.timesUs.filter((us) => us !== null).sort((a, b) => a - b);
        return [
          arm.name,
          arm.variant,
          problemKey(arm.problem),
          formatTime(medianOf(times)),
          formatTime(times[0]),
          ...(shared ? shareCells(arm, times[0]) : []),
          formatError(arm.error),
          `${arm.matched}/${arm.total}`,
          arm.reason ? `${arm.status}: ${arm.reason}` : arm.status,
        ];
      }),
    }),
  ];
}

/** FLOP/s at the least time, the multiply-adds of what ran it, and the one over the other. */
function shareCells(
  { flops, ceilingFlopsPerSecond }: ArmResult,
  leastUs: number | undefined,
): readonly string[] {
  if (!flops || !ceilingFlopsPerSecond || !leastUs) return [NOTHING, NOTHING, NOTHING];
  const rate = flops / (leastUs * 1e-6);
  return [
    formatRate(rate, "FLOP/s"),
    formatRate(ceilingFlopsPerSecond, "FLOP/s"),
    formatPercent(rate / ceilingFlopsPerSecond),
  ];
}

function measuredCells({ claim, verdict, ratio, low, high, why }: Judged): readonly string[] {
  if (ratio === undefined) return [NOTHING, NOTHING, why ? `${verdict}: ${why}` : verdict];
  const interval = claim.figure === "error" ? "the same in every run" : intervalText(low, high);
  return [formatRatio(ratio), interval, verdict];
}

/** `1.02x to 1.10x`; fewer than six rounds bound nothing. */
export function intervalText(low: number | undefined, high: number | undefined): string {
  const [from, to] = [boundText(low), boundText(high)];
  return from === to && from === UNBOUNDED ? "too few rounds for an interval" : `${from} to ${to}`;
}

const UNBOUNDED = "unbounded";

const boundText = (ratio: number | undefined): string =>
  ratio !== undefined && Number.isFinite(ratio) && ratio > 0 ? formatRatio(ratio) : UNBOUNDED;

function medianOf(sorted: readonly number[]): number | undefined {
  const half = sorted.length >> 1;
  if (sorted.length === 0) return undefined;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1]! + sorted[half]!) / 2;
}
