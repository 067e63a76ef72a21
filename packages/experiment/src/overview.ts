import { columns, escapeMarkdown, formatPercent, formatRatio, gridMarkdown, NOTHING } from "@tunelab/report";
import type { NamedExperiment } from "./definition.ts";
import type { ExperimentResult, ExperimentRun } from "./result.ts";
import { ALPHA, judgeRun } from "./verdict.ts";

/** What verdicts mean, for whoever reads them on a page. */
export const VERDICTS_MEAN: string = [
  "`kept`: an effect in the predicted direction is certain, and half of what was predicted may be there (half in the logarithm: of 2.25x that is 1.5x); where a ratio is predicted within a band, the",
  "whole interval lies in it. `ruled out`: not even half of the predicted effect can be there, or the whole interval lies outside the band. `inside the noise`: neither.",
  "`not measured`: an arm gave no figure. Intervals are widened by what the device cannot tell. Of several claims the least certain verdict is the experiment's, `ruled out` before all.",
].join(" ");

/** An experiment with what has been measured of it. */
export interface Reported {
  readonly named: NamedExperiment;
  readonly result: ExperimentResult | undefined;
}

/** Every experiment's claims beside what each device measured: the page of the folder of all. */
export function overviewText(all: readonly Reported[]): string {
  const places = [
    ...new Set(all.flatMap(({ result }) => (result?.runs ?? []).map((run) => placeOf(run)))),
  ].sort();
  const grid = ({ named, result }: Reported): string =>
    gridMarkdown({
      columns: columns("claim", ">predicted", ">theirs", ...places.map((place) => `>${place}`)),
      rows: named.experiment.claims.map((claim, index) => [
        claim.text,
        formatRatio(claim.predicted),
        claim.theirs ? `${formatRatio(claim.theirs.ratio)} (${claim.theirs.device})` : NOTHING,
        ...places.map((place) => {
          const run = result?.runs.find((one) => placeOf(one) === place);
          const judged = run && judgeRun(named.experiment, run)[index];
          if (!judged) return NOTHING;
          return judged.ratio === undefined
            ? judged.verdict
            : `${formatRatio(judged.ratio)}, ${judged.verdict}`;
        }),
      ]),
    });
  return `${[
    "# Experiments",
    "Written by `pnpm lab experiment` from the definitions and results below; never edited by hand.",
    `Each asks one question, says beforehand what it expects as a ratio of two arms, and measures both in turn. ${VERDICTS_MEAN} Intervals are of ${formatPercent(1 - ALPHA)}. "Theirs" is what the source that an experiment names reports of its own device. \`pnpm lab experiment run NAME\` measures one on the device in hand.`,
    ...all.flatMap((one) => [
      `## [${escapeMarkdown(one.named.experiment.question)}](${one.named.name}/README.md)`,
      grid(one),
    ]),
  ].join("\n\n")}\n`;
}

const placeOf = ({ device, profile }: ExperimentRun): string => `${device}, ${profile}`;
