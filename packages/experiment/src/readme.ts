import { problemKey } from "@tunelab/contract";
import {
  chartSvg,
  columns,
  escapeMarkdown,
  formatError,
  formatPercent,
  formatRatio,
  formatTime,
  gridMarkdown,
  NOTHING,
} from "@tunelab/report";
import { armsChart } from "./chart.ts";
import type { NamedExperiment } from "./definition.ts";
import { type ExperimentResult, type ExperimentRun, runKey } from "./result.ts";
import { ALPHA, floorOf, type Judged, judgeRun, overall } from "./verdict.ts";

/** Files of an experiment's folder that are written from its definition and its result. */
export async function experimentFiles(
  named: NamedExperiment,
  result: ExperimentResult | undefined,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map([["README.md", readmeText(named, result)]]);
  for (const run of result?.runs ?? []) {
    const chart = armsChart(run);
    if (chart) files.set(pictureName(run), await chartSvg(chart));
  }
  return files;
}

const pictureName = (run: ExperimentRun): string => `${runKey(run)}.svg`;

function readmeText(named: NamedExperiment, result: ExperimentResult | undefined): string {
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
      columns: columns("claim", "figure", ">predicted"),
      rows: claims.map(({ text, figure, predicted, within, of, over }) => [
        text,
        `${figure} of ${of} over ${over}`,
        formatRatio(predicted) + (within === undefined ? "" : ` within ${formatPercent(within)}`),
      ]),
    }),
  ];
  if (runs.length === 0) parts.push("Not measured yet.");
  else {
    parts.push("## Verdicts", verdictGrid(named, runs));
    for (const run of runs) parts.push(...runParts(named, run));
  }
  return `${parts.join("\n\n")}\n`;
}

function verdictGrid({ experiment }: NamedExperiment, runs: readonly ExperimentRun[]): string {
  return gridMarkdown({
    columns: columns("device", "profile", "verdict"),
    rows: runs.map((run) => [run.device, run.profile, overall(judgeRun(experiment, run))]),
  });
}

function runParts({ experiment }: NamedExperiment, run: ExperimentRun): readonly string[] {
  const judged = judgeRun(experiment, run);
  const chart = armsChart(run);
  return [
    `## ${escapeMarkdown(run.device)}, ${run.profile}`,
    `${escapeMarkdown(run.implementation)} (${escapeMarkdown(run.compiler)}) on ${escapeMarkdown(run.backend)}, driver ${escapeMarkdown(run.driver)}; session ${run.session}, commit ${run.commit.slice(0, 12) || "unknown"}${run.dirty ? " with uncommitted changes" : ""}. ${run.rounds} rounds; intervals of ${formatPercent(1 - ALPHA)}; differences under ${formatPercent(floorOf(run))} are not told from none here.`,
    gridMarkdown({
      columns: columns("claim", ">predicted", ">measured", "interval", "verdict"),
      rows: judged.map((one) => [one.claim.text, formatRatio(one.claim.predicted), ...measuredCells(one)]),
    }),
    ...(chart ? [`![time of each arm, round by round](${pictureName(run)})`] : []),
    gridMarkdown({
      columns: columns(
        "arm",
        "`variant`",
        "problem",
        ">median of rounds",
        ">least",
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
          formatError(arm.error),
          `${arm.matched}/${arm.total}`,
          arm.reason ? `${arm.status}: ${arm.reason}` : arm.status,
        ];
      }),
    }),
  ];
}

function measuredCells({ claim, verdict, ratio, low, high, why }: Judged): readonly string[] {
  if (ratio === undefined) return [NOTHING, NOTHING, why ? `${verdict}: ${why}` : verdict];
  const interval =
    claim.figure === "error" ? "the same in every run" : `${boundText(low)} to ${boundText(high)}`;
  return [formatRatio(ratio), interval, verdict];
}

/** An end of an interval in words: fewer than six rounds bound nothing. */
export const boundText = (ratio: number | undefined): string =>
  ratio !== undefined && Number.isFinite(ratio) && ratio > 0 ? formatRatio(ratio) : "unbounded";

function medianOf(sorted: readonly number[]): number | undefined {
  const half = sorted.length >> 1;
  if (sorted.length === 0) return undefined;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1]! + sorted[half]!) / 2;
}
