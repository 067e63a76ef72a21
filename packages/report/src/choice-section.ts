import { problemKey, type TuningTable } from "@tunelab/contract";
import { type Choice, choices } from "./choices.ts";
import { formatRatio, formatTime, NOTHING } from "./format.ts";
import { columns, gridMarkdown } from "./grid.ts";
import { problemLabels } from "./labels.ts";
import { codeSpan } from "./markdown.ts";
import type { Page } from "./page.ts";
import type { Point } from "./points.ts";
import { bestRow, orderedEntries } from "./summary.ts";

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
  page.heading(3, "What to choose");
  page.text(
    `The best variant of each problem, its parameters one by one${common ? ` (${codeSpan(common)} everywhere)` : ""}. After ≈ stand the values that are not told apart from it, by a tie or for want of samples; the others are slower beyond the noise.`,
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
  const rows = found.flatMap(({ entry, choices: made }) =>
    made.map((choice) => [
      label(entry.problem),
      choice.parameter,
      choice.value,
      sureText(choice),
      choice.others.map(otherText).join(", "),
    ]),
  );
  if (rows.length === 0) return;
  page.heading(3, "What the other choices cost");
  page.text(
    "For each other value the fastest variant that has it, every other parameter free, over the best variant; in parentheses how many variants with it were timed. Few of them found little: then the cost is an upper bound.",
  );
  page.text(
    gridMarkdown({ columns: columns("problem", "`parameter`", "use", "how sure", "others cost"), rows }),
  );
}

function chosenText(choice: Choice | undefined, only: unknown): string {
  if (!choice) return only === undefined ? NOTHING : String(only);
  const ties = unsure(choice);
  return ties.length > 0 ? `${choice.value} ≈ ${ties.join(", ")}` : choice.value;
}

const unsure = ({ others }: Choice): readonly string[] =>
  others.filter(({ resolved }) => !resolved).map(({ value }) => value);

/** Variants of one value up to this are few: what they cost says little of the value. */
const FEW = 2;

function sureText(choice: Choice): string {
  const ties = unsure(choice);
  if (ties.length > 0) return `not told from ${ties.join(", ")}`;
  return choice.others.every(({ timed }) => timed <= FEW) ? "resolved, few tried" : "resolved";
}

const otherText = ({ value, factor, timed }: Choice["others"][number]): string =>
  `${value} ${formatRatio(factor)} (${timed})`;
