import { problemKey, type TuningTable } from "@tunelab/contract";
import { type Member, portfolio } from "@tunelab/selection";
import { formatPercent, formatRatio, NOTHING } from "./format.ts";
import { columns, gridMarkdown } from "./grid.ts";
import { counted, inOrder, type ReportInput, tableName } from "./input.ts";
import { escapeMarkdown } from "./markdown.ts";
import { Page } from "./page.ts";
import { type Point, pointsOf } from "./points.ts";
import { bestRow } from "./summary.ts";

/** What one device's best variant costs on another. */
export interface Transfer {
  readonly from: TuningTable;
  readonly on: TuningTable;
  readonly problem: string;
  /** Time on `on` of the variant that is best on `from`, over the best of `on`; absent where it was not timed there. */
  readonly factor?: number;
}

/** Every ordered pair of tables of one operation over the problems that both have. */
export function transfers(
  tables: readonly TuningTable[],
  pointsFor: (table: TuningTable) => readonly Point[],
): readonly Transfer[] {
  return tables.flatMap((on) =>
    tables.flatMap((from) => {
      if (from === on) return [];
      const points = pointsFor(on);
      return on.entries.flatMap((entry): Transfer[] => {
        const problem = problemKey(entry.problem);
        const other = from.entries.find((one) => problemKey(one.problem) === problem);
        const [here, theirs] = [bestRow(entry), other && bestRow(other)];
        if (!here || !theirs) return [];
        const us =
          entry.rows.find(({ variant }) => variant === theirs.variant)?.minUs ??
          points.find((point) => point.key === problem && point.variant === theirs.variant)?.us;
        return [{ from, on, problem, ...(us === undefined ? {} : { factor: us / here.minUs }) }];
      });
    }),
  );
}

/** A portfolio's variants are within this of the best everywhere: the lab's own noise floor on shared machines is wider. */
const PORTFOLIO_WITHIN = 0.1;

/** The fewest variants that come close to the best on every device and problem that was measured. */
function portfolioText(
  tables: readonly TuningTable[],
  pointsFor: (table: TuningTable) => readonly Point[],
): string | undefined {
  const members = tables.flatMap((table) => {
    const points = pointsFor(table);
    return table.entries.flatMap((entry): Member[] => {
      const key = problemKey(entry.problem);
      const own = points
        .filter((point) => point.key === key)
        .map(({ variant, us }) => [variant, us] as const);
      const times = new Map([...own, ...entry.rows.map(({ variant, minUs }) => [variant, minUs] as const)]);
      return times.size > 0 ? [{ name: `${tableName(table, tables)}, ${key}`, times }] : [];
    });
  });
  if (members.length < 2) return undefined;
  const { variants, efficiency, worst, smallest } = portfolio(members, PORTFOLIO_WITHIN);
  const serves = (variant: string): string =>
    members
      .filter(({ times }) => {
        const us = times.get(variant);
        return us !== undefined && Math.min(...times.values()) / us >= 1 - PORTFOLIO_WITHIN;
      })
      .map(({ name }) => name)
      .join("; ");
  const mean = efficiency.reduce((sum, one) => sum + one, 0) / efficiency.length;
  return [
    `**Portfolio.** ${smallest ? "The fewest" : "A few"} variants that come within ${formatPercent(PORTFOLIO_WITHIN)} of the best on each of the ${members.length} devices and problems: ${variants.length}, at worst ${formatPercent(worst)} of the best speed, ${formatPercent(mean)} in the mean. A variant counts only where it was timed.`,
    gridMarkdown({
      columns: columns("`variant`", `within ${formatPercent(PORTFOLIO_WITHIN)} on`),
      rows: variants.map((variant) => [variant, serves(variant)]),
    }),
  ].join("\n\n");
}

/** What one device's best variants cost on another, operation by operation, for every problem that both measured. */
export function acrossPage(input: ReportInput): Page {
  const page = new Page("Across devices");
  page.text(
    "What the variant that is best in one row's place costs in one column's place: its time there over the best there. `--` where both measured the problem and that variant was not timed there; under 1.00x it was only screened there, or the two tie.",
  );
  const evidence = counted(input);
  for (const operation of [...new Set(input.tables.map((table) => table.operation))].sort()) {
    const tables = inOrder(input.tables).filter((table) => table.operation === operation);
    page.heading(2, operation);
    const found = transfers(tables, (table) => pointsOf(table, evidence));
    const chosen = portfolioText(tables, (table) => pointsOf(table, evidence));
    const problems = [...new Set(found.map(({ problem }) => problem))].sort(byNumbers);
    if (problems.length === 0) page.text("No two devices measured one problem.");
    for (const problem of problems) {
      const here = found.filter((one) => one.problem === problem);
      const among = tables.filter((table) => here.some(({ from, on }) => from === table || on === table));
      const factor = (from: TuningTable, on: TuningTable): string => {
        if (from === on) return "1.00x";
        const one = here.find((each) => each.from === from && each.on === on);
        return one?.factor === undefined ? NOTHING : formatRatio(one.factor);
      };
      page.text(`**${escapeMarkdown(problem)}**`);
      page.text(
        gridMarkdown({
          columns: columns("best of", ...among.map((table) => `>on ${tableName(table, tables)}`)),
          rows: among.map((from) => [tableName(from, tables), ...among.map((on) => factor(from, on))]),
        }),
      );
    }
    if (chosen) page.text(chosen);
  }
  return page;
}

/** Text with its numbers compared by size. */
function byNumbers(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits)));
  for (const [index, value] of left!.entries()) {
    const other = right![index];
    if (other !== undefined && value !== other) return value - other;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
