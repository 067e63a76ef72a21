import type { StrategyScore } from "@tunelab/contract";
import { fractionsOverEvaluationsChart } from "./charts/search.ts";
import { columns, gridMarkdown } from "./grid.ts";
import { PAGE_FILE, type ReportFile } from "./input.ts";
import { Page } from "./page.ts";

/** Evaluations quoted in the summary, where they were replayed. */
const QUOTED = ["10", "25", "50", "100", "200", "500"] as const;

/** A comparison of strategies: where it stands, and what they were replayed on. */
export interface SearchSubject {
  /** Of the page and its chart. */
  readonly name: string;
  readonly title: string;
  /** In words: `exhaustively measured spaces of ...`. */
  readonly spaces: string;
  /** The folder of score files beside the page. */
  readonly scores: string;
}

/**
 * The comparison of search strategies: mean score and fraction of the optimum over the spaces, best first, a chart, and the score
 * on each space. Undefined without scores.
 */
export function searchPage(scores: readonly StrategyScore[], subject: SearchSubject): Page | undefined {
  const ranked = [...scores].sort(
    (a, b) => (b.score ?? -1) - (a.score ?? -1) || (a.strategy < b.strategy ? -1 : 1),
  );
  const [first] = ranked;
  if (!first) return undefined;
  const page = new Page(subject.title);
  page.text(
    `Each strategy replayed on ${subject.spaces}, with one setting for all of them. Rebuilt by \`pnpm tables\` from the score files beside this page (\`${subject.scores}/\`), which \`pnpm lab replay FILES --save reports/search/${subject.scores}\` writes.`,
  );
  page.text(
    [
      "- *of optimum @n*: optimum / best time found after n evaluations, failed ones included; mean over runs, then over spaces.",
      "- *score*: how far the best time found (median over runs) lies from what random search finds to the optimum, averaged over the evaluations that random search needs to come within 5% of the way from the median to the optimum (at most 500). 1 is the optimum at once, 0 random search.",
    ].join("\n"),
  );
  page.heading(2, "All spaces");
  const counts = QUOTED.filter((count) => ranked.every((one) => one.fractionOfOptimum[count] !== undefined));
  page.text(
    gridMarkdown({
      columns: columns("`strategy`", ">score", ...counts.map((count) => `>of optimum @${count}`), ">runs"),
      rows: ranked.map((one) => [
        one.strategy,
        three(one.score),
        ...counts.map((count) => three(one.fractionOfOptimum[count])),
        String(one.runs),
      ]),
    }),
  );
  page.chart(
    subject.name,
    "Fraction of the optimum against evaluations, mean over the spaces",
    fractionsOverEvaluationsChart(ranked),
  );
  page.heading(2, "Scores by space");
  page.text(
    gridMarkdown({
      columns: columns(
        "`space`",
        "device",
        ">valid",
        ">optimum",
        ">median",
        ">evaluations scored",
        ...ranked.map(({ strategy }) => `>${strategy}`),
      ),
      rows: first.spaces.map((space) => [
        space.space,
        space.device || "--",
        `${space.valid} of ${space.configurations}`,
        `${space.optimumMs.toPrecision(4)} ms`,
        `${space.medianMs.toPrecision(4)} ms`,
        String(space.budget),
        ...ranked.map(({ spaces }) => three(spaces.find((one) => one.space === space.space)?.score)),
      ]),
    }),
  );
  return page;
}

/** A page and its charts as files of reports/search/, where several pages stand side by side; none without a page. */
export async function filesBeside(page: Page | undefined, name: string): Promise<readonly ReportFile[]> {
  const files = (await page?.files()) ?? [];
  return files.map(({ file, text }) => ({
    file: `search/${file === PAGE_FILE ? `${name}.md` : file}`,
    text,
  }));
}

/** The page and its chart, with their paths below reports/. */
export const searchFiles = (
  scores: readonly StrategyScore[],
  subject: SearchSubject,
): Promise<readonly ReportFile[]> => filesBeside(searchPage(scores, subject), subject.name);

const three = (value: number | undefined): string => value?.toFixed(3) ?? "--";
