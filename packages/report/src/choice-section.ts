import { problemKey, type TuningTable } from "@tunelab/contract";
import { type Choice, choices, SCREENED_GATE } from "./choices.ts";
import { formatPercent, formatRatio, formatTime, NOTHING } from "./format.ts";
import { columns, gridMarkdown } from "./grid.ts";
import { problemLabels } from "./labels.ts";
import { anchorOf, codeSpan, escapeMarkdown } from "./markdown.ts";
import type { Page } from "./page.ts";
import type { Point } from "./points.ts";
import { bestRow, orderedEntries } from "./summary.ts";

/** A table among those of its device. */
export const choiceWords = ({ operation, device: { identity }, profile }: TuningTable): string =>
  `${operation}, ${identity.compiler} on ${identity.backend}, ${profile}`;

const choiceTitle = (table: TuningTable): string => `What to choose: ${choiceWords(table)}`;

/** Whether a table's part of the page has anything to choose. */
export const hasChoices = (table: TuningTable): boolean => table.entries.some((entry) => bestRow(entry));

/** A link to what a table says to choose, from the device's own page (`page` empty) or from another. */
export const choiceLink = (table: TuningTable, words: string, page: string = ""): string =>
  `[${escapeMarkdown(words)}](${page}#${encodeURIComponent(anchorOf(choiceTitle(table)))})`;

/** What each problem should use, how sure that is, and what every other value costs. */
export function choiceSection(page: Page, table: TuningTable, points: readonly Point[]): void {
  const entries = orderedEntries(table).filter((entry) => bestRow(entry));
  const { label, common } = problemLabels(entries.map(({ problem }) => problem));
  const found = entries.map((entry) => {
    const best = bestRow(entry)!;
    const own = points.filter(
      (point) => point.key === problemKey(entry.problem) && point.algorithm === best.algorithm,
    );
    return { entry, best, choices: choices(entry, own, table.noisy) };
  });
  if (found.length === 0) return;
  const parameters = [...new Set(found.flatMap(({ best }) => Object.keys(best.config)))];
  page.heading(3, choiceTitle(table));
  page.text(
    `The best variant of each problem, its parameters one by one${common ? ` (${codeSpan(common)} everywhere)` : ""}. After ≈ stand the values that are not told apart from it; the others are slower beyond the noise.`,
  );
  page.text(
    gridMarkdown({
      columns: columns("problem", ">time", "algorithm", ...parameters),
      rows: found.map(({ entry, best, choices: made }) => [
        label(entry.problem),
        formatTime(best.minUs),
        best.algorithm,
        ...parameters.map((parameter) =>
          chosenText(
            made.find((one) => one.parameter === parameter),
            best.config[parameter],
          ),
        ),
      ]),
    }),
  );
  const told = found.filter(({ choices: made }) => made.length > 0);
  if (told.length === 0) return;
  page.text(
    `What the other choices cost, problem by problem, what matters most first: for each other value the fastest variant that has it, every other parameter free, over the best variant; in parentheses how many variants with it were timed. Few of them found little: then the cost is an upper bound. What was only screened has a few samples, which may lie ${formatPercent(SCREENED_GATE)} above the least of many.`,
  );
  for (const { entry, best, choices: made } of told) {
    page.heading(4, `${label(entry.problem)}: ${formatTime(best.minUs)}`);
    page.text(
      gridMarkdown({
        columns: columns("`parameter`", "use", "how sure", "others cost"),
        rows: made.map((choice) => [
          choice.parameter,
          choice.value,
          sureText(choice),
          choice.others.map(otherText).join(", "),
        ]),
      }),
    );
  }
}

function chosenText(choice: Choice | undefined, only: unknown): string {
  if (!choice) return only === undefined ? NOTHING : String(only);
  const ties = choice.others.filter(({ standing }) => standing !== "slower").map(({ value }) => value);
  return ties.length > 0 ? `${choice.value} ≈ ${ties.join(", ")}` : choice.value;
}

/** Variants of one value up to this are few: what they cost says little of the value. */
const FEW = 2;

/** `resolved`; `ties with walk; table only screened`. */
function sureText({ others }: Choice): string {
  const of = (standing: Choice["others"][number]["standing"]): string =>
    others
      .filter((other) => other.standing === standing)
      .map(({ value }) => value)
      .join(", ");
  const [ties, screened] = [of("tied"), of("screened")];
  const doubts = [...(ties ? [`ties with ${ties}`] : []), ...(screened ? [`${screened} only screened`] : [])];
  if (doubts.length > 0) return doubts.join("; ");
  return others.every(({ timed }) => timed <= FEW) ? "resolved, few tried" : "resolved";
}

const otherText = ({ value, factor, timed }: Choice["others"][number]): string =>
  `${value} ${formatRatio(factor)} (${timed})`;
