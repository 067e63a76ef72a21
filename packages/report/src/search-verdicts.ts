import { bestNs, type Problem } from "@tunelab/contract";
import type { SearchAccount, SearchVerdict } from "@tunelab/selection";
import { type FoundLine, foundChart } from "./charts/found.ts";
import { formatPercent, formatTime, NOTHING } from "./format.ts";
import { columns, type Grid, gridMarkdown } from "./grid.ts";
import type { ReportFile } from "./input.ts";
import { problemLabels } from "./labels.ts";
import { escapeMarkdown } from "./markdown.ts";
import { Page } from "./page.ts";
import { filesBeside } from "./search.ts";

/** A search is held to have found the best when it is within this fraction of it. */
const WITHIN = 0.01;

/** Times that random search is expected to have found after 1, 2, ... `most` of the variants with these times. */
export type RandomExpectation = (timesNs: readonly number[], most: number) => readonly number[];

/** How each search ended beside its exhaustive pass. */
export function verdictsGrid(verdicts: readonly SearchVerdict[]): Grid {
  const label = labelsOf(verdicts);
  return {
    columns: columns(
      ...["problem", ">variants", ">best", "search", ">tried", ">within 1% after", ">its best", ">there"],
      ...[">behind", ">place", "variant"],
    ),
    rows: verdicts.map((verdict) => {
      const { exhaustive, search, best, chosen, there, behind, place } = verdict;
      const after = firstWithin(verdict);
      return [
        label(verdict.problem),
        String(exhaustive.plans),
        timeOf(best),
        `${search.strategy}, seed ${search.seed}`,
        String(search.plans),
        after === undefined ? NOTHING : String(after),
        timeOf(chosen),
        there ? timeOf(there) : NOTHING,
        behind === undefined ? NOTHING : formatPercent(behind),
        place === undefined ? NOTHING : `${place} of ${verdict.timesNs.length}`,
        chosen.variant,
      ];
    }),
  };
}

/** Where the time of each session went. */
export function spentGrid(verdicts: readonly SearchVerdict[]): Grid {
  const label = labelsOf(verdicts);
  const accounts = new Map<string, { problem: Problem; account: SearchAccount }>();
  for (const { problem, exhaustive, search } of verdicts)
    for (const account of [exhaustive, search]) accounts.set(account.session, { problem, account });
  const names = [...new Set([...accounts.values()].flatMap(({ account }) => Object.keys(account.spentMs)))];
  return {
    columns: columns(
      "`session`",
      "problem",
      "strategy",
      ">trials",
      ">time",
      ...names.map((name) => `>${name}`),
    ),
    rows: [...accounts.values()].map(({ problem, account }) => {
      const total = Object.values(account.spentMs).reduce((sum, ms) => sum + ms, 0);
      return [
        ...[account.session, label(problem), account.strategy, String(account.trials)],
        total > 0 ? formatTime(total * 1000) : NOTHING,
        ...names.map((name) => (total > 0 ? formatPercent((account.spentMs[name] ?? 0) / total) : NOTHING)),
      ];
    }),
  };
}

/** The page on searches beside exhaustive passes over what they searched; undefined where none is published. */
export function verdictsPage(
  verdicts: readonly SearchVerdict[],
  random: RandomExpectation,
): Page | undefined {
  if (verdicts.length === 0) return undefined;
  const page = new Page("Searches beside exhaustive passes");
  page.text(
    "Each published search of which another session of the same device and profile measured every variant: did it find the best? Written by `pnpm tables` from both sessions; the search knew nothing of the exhaustive one.",
  );
  page.text(
    [
      "- *best*, *its best*: the first of the exhaustive pass and of the search, certified where any was.",
      "- *there*: what the search chose, by its time in the exhaustive pass; *behind* and *place* compare it with the best there, so that nothing but the choice is judged.",
      "- *within 1% after*: variants that the search had tried when it had one within 1% of the best, by the exhaustive pass's times.",
    ].join("\n"),
  );
  const places = [
    ...new Set(
      verdicts.map(({ operation, device, profile }) => `${operation} on ${device}, profile ${profile}`),
    ),
  ];
  for (const place of places) {
    const own = verdicts.filter(
      ({ operation, device, profile }) => `${operation} on ${device}, profile ${profile}` === place,
    );
    page.heading(2, place);
    const { common } = problemLabels(own.map(({ problem }) => problem));
    if (common) page.text(`All: ${escapeMarkdown(common)}.`);
    page.text(gridMarkdown(verdictsGrid(own)));
    page.chart(
      places.length === 1 ? "exhaustive" : `exhaustive-${places.indexOf(place) + 1}`,
      "Fraction of the optimum against variants tried, beside what random search is expected to find",
      foundChart(foundLines(own, random)),
    );
    page.text("Where the sessions' time went:");
    page.text(gridMarkdown(spentGrid(own)));
  }
  page.text(
    "The same of two journals: `pnpm lab regret EXHAUSTIVE.jsonl SEARCH.jsonl`; `pnpm lab results export SESSION --journal FILE` writes one, and `--replay FOLDER` the measured space for `pnpm lab replay`.",
  );
  return page;
}

/** The page and its charts, with their paths below reports/. */
export const verdictsFiles = (
  verdicts: readonly SearchVerdict[],
  random: RandomExpectation,
): Promise<readonly ReportFile[]> => filesBeside(verdictsPage(verdicts, random), "exhaustive");

/** Variants that the search had tried when the best so far was within 1% of the best; undefined where it never was. */
export function firstWithin({ best, foundNs }: SearchVerdict): number | undefined {
  const at = foundNs.findIndex((ns) => ns <= bestNs(best)! * (1 + WITHIN));
  return at < 0 ? undefined : at + 1;
}

const timeOf = (trial: Parameters<typeof bestNs>[0]): string => formatTime(bestNs(trial)! / 1000);

const labelsOf = (verdicts: readonly SearchVerdict[]): ((problem: Problem) => string) =>
  problemLabels(verdicts.map(({ problem }) => problem)).label;

function foundLines(verdicts: readonly SearchVerdict[], random: RandomExpectation): readonly FoundLine[] {
  const label = labelsOf(verdicts);
  const lines = verdicts.map(({ problem, search, timesNs, foundNs }): FoundLine => {
    return {
      id: search.session,
      problem: label(problem),
      by: search.strategy,
      points: curve(timesNs, foundNs),
    };
  });
  const longest = new Map<string, SearchVerdict>();
  for (const verdict of verdicts) {
    const key = verdict.exhaustive.session + label(verdict.problem);
    if (verdict.foundNs.length > (longest.get(key)?.foundNs.length ?? 0)) longest.set(key, verdict);
  }
  const expected = [...longest.values()].map(({ exhaustive, problem, timesNs, foundNs }): FoundLine => {
    return {
      id: `random ${exhaustive.session}`,
      problem: label(problem),
      by: "random search, expected",
      points: curve(timesNs, random(timesNs, foundNs.length)),
    };
  });
  return [...lines, ...expected];
}

/** The points at which a line steps, and its end. */
function curve(timesNs: readonly number[], foundNs: readonly number[]): FoundLine["points"] {
  return foundNs
    .map((ns, index) => ({ evaluations: index + 1, fraction: timesNs[0]! / ns }))
    .filter(({ fraction }, index, all) => index === all.length - 1 || fraction !== all[index - 1]?.fraction);
}
