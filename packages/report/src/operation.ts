import { deviceSlug, Fault, problemKey, slug, type TableEntry, type TuningTable } from "@tunelab/contract";
import { accuracySection, erringOf } from "./accuracy.ts";
import { candidatesChart } from "./charts/candidates.ts";
import { algorithmLines, linesChart } from "./charts/lines.ts";
import { sensitivityChart } from "./charts/sensitivity.ts";
import { type DimensionWords, leadingDimension, restOf } from "./charts/times.ts";
import { choiceLink, hasChoices } from "./choice-section.ts";
import { formatRatio, formatTime, NOTHING } from "./format.ts";
import { columns, type Grid, gridMarkdown } from "./grid.ts";
import {
  counted,
  deviceTitle,
  folderOf,
  inOrder,
  type ReportInput,
  studyLink,
  tableLink,
  tableName,
  wordsOf,
} from "./input.ts";
import { problemLabels } from "./labels.ts";
import { anchorOf, codeSpan, escapeMarkdown } from "./markdown.ts";
import { Page } from "./page.ts";
import { completing, fastest, type Point, pointsOf } from "./points.ts";
import { referenceSection } from "./references.ts";
import { type Regret, regrets, summaryOf } from "./regret.ts";
import { sensitivities } from "./sensitivity.ts";
import { bestRow, orderedEntries } from "./summary.ts";

/**
 * One operation's page: time against size on every device, its studies, then for each table the variants against each other, where one
 * algorithm or value takes over from another, how much each parameter matters, and what the nearest-entry rule costs. Throws a
 * usage Fault for an operation without a table or study.
 */
export async function operationPage(input: ReportInput, name: string): Promise<Page> {
  const tables = inOrder(input.tables).filter((table) => table.operation === name);
  const studies = (input.studies ?? []).filter((one) => one.operation === name);
  if (tables.length + studies.length === 0)
    throw new Fault("usage", `nothing is published of the operation ${name}`);
  const operation = input.operations.find((one) => one.name === name);
  const words = wordsOf(operation);
  const page = new Page(name);
  if (operation) page.text(`${escapeMarkdown(operation.doc)}.`);
  page.text("Generated from the published evidence; never edited by hand.");
  if (tables.length > 0) bestOfEach(page, tables, words);
  if (studies.length > 0) {
    page.heading(2, "Studies");
    page.text("Tables with fixed rows and settings instead of a search, each on one device:");
    page.text(
      studies
        .map((one) => `- ${studyLink(one, 2, `${one.title}, on ${deviceTitle(one)}, ${one.profile}`)}`)
        .join("\n"),
    );
  }
  const evidence = counted(input);
  const complete = await completing(operation);
  for (const table of tables) {
    const points = pointsOf(table, evidence).map((point) => ({ ...point, config: complete(point) }));
    const file = slug(folderOf(table));
    page.heading(2, tableName(table, tables));
    page.text(`[Every candidate](${tableLink(table)}), [the device](${devicePath(table)}).`);
    page.chart(`${file}-candidates`, `${name}: every ranked candidate`, candidatesChart(table));
    crossovers(page, file, table, points, words);
    sensitivity(page, file, table, points);
    if (operation) {
      accuracySection(page, erringOf(table, evidence, complete), operation);
      page.heading(3, "Regret of the nearest-entry rule");
      page.text(
        "Each problem's entry is taken out of the table; the library's own rule then chooses from what is left, and what it would borrow is compared with the best. Where no other entry can lend (a length that it alone has), the default runs.",
      );
      const found = await regrets(table, operation, points);
      page.text(gridMarkdown(regretGrid(found)));
      page.text(regretText(found));
    }
  }
  const theirs = (input.references ?? []).filter(({ operation: of }) => of === name);
  referenceSection(page, theirs, tables, (table) => pointsOf(table, evidence), operation);
  return page;
}

/** Every device's best times in one picture, and where each device's choices and its part of this page are. */
function bestOfEach(page: Page, tables: readonly TuningTable[], words: DimensionWords): void {
  const name = tables[0]!.operation;
  page.heading(2, "Time on each device");
  const lines = tables.map((table) => ({ name: tableName(table, tables), table, times: bestTimes(table) }));
  page.chart(
    "times",
    `${name}: the best variant's time on each device`,
    linesChart(`${name}: time of the best variant`, lines, words),
  );
  const decided = tables.filter(hasChoices);
  if (decided.length > 0)
    page.text(
      `What to choose, how sure that is and what the rest costs, on the devices' pages: ${decided.map((table) => choiceLink(table, tableName(table, tables), devicePath(table))).join(", ")}.`,
    );
  page.text(
    `On this page, device by device: ${tables.map((table) => contentsLink(tableName(table, tables))).join(", ")}.`,
  );
}

/** The page of a table's device. */
const devicePath = (table: TuningTable): string =>
  `../../devices/${deviceSlug(table.device.identity)}/README.md`;

/** A link to a table's part of the page. */
const contentsLink = (name: string): string =>
  `[${escapeMarkdown(name)}](#${encodeURIComponent(anchorOf(name))})`;

function bestTimes(table: TuningTable): ReadonlyMap<string, number> {
  return new Map(
    table.entries.flatMap((entry) => {
      const best = bestRow(entry);
      return best ? [[problemKey(entry.problem), best.minUs] as const] : [];
    }),
  );
}

function crossovers(
  page: Page,
  file: string,
  table: TuningTable,
  points: readonly Point[],
  words: DimensionWords,
): void {
  page.heading(3, "Algorithms and crossovers");
  const algorithms = algorithmsOf(points);
  if (algorithms.length > 1) {
    const title = `${table.operation}: the fastest variant of each algorithm`;
    page.chart(`${file}-algorithms`, title, linesChart(title, algorithmLines(table, points), words));
  }
  page.text("The fastest variant of each algorithm:");
  page.text(
    gridMarkdown({
      columns: columns("problem", ...algorithms.map((name) => `>${name}`), "best"),
      rows: orderedEntries(table).map((entry) => [
        problemKey(entry.problem),
        ...algorithms.map((name) => formatTime(fastest(pointsAt(points, entry, name))?.us)),
        bestRow(entry)?.algorithm ?? NOTHING,
      ]),
    }),
  );
  const changes = changesAlong(table);
  page.text(
    changes.length > 0
      ? changes.map((line) => `- ${line}`).join("\n")
      : "The best variant's algorithm is the same at every size that was measured.",
  );
}

const algorithmsOf = (points: readonly Point[]): readonly string[] =>
  [...new Set(points.map(({ algorithm }) => algorithm))].sort();

const pointsAt = (points: readonly Point[], { problem }: TableEntry, algorithm: string): readonly Point[] =>
  points.filter((point) => point.key === problemKey(problem) && point.algorithm === algorithm);

/** Where the best algorithm changes between neighbours in the table, in words: by size where nothing else differs, else by both problems. */
function changesAlong(table: TuningTable): readonly string[] {
  const entries = orderedEntries(table).filter((entry) => bestRow(entry));
  const x = leadingDimension(entries);
  if (x === undefined) return [];
  return entries.slice(1).flatMap((entry, index) => {
    const before = entries[index]!;
    const [from, to] = [bestRow(before)!.algorithm, bestRow(entry)!.algorithm];
    if (from === to) return [];
    if (restOf(before.problem, x) !== restOf(entry.problem, x))
      return [
        `${codeSpan(from)} at ${problemKey(before.problem)}, ${codeSpan(to)} at ${problemKey(entry.problem)}`,
      ];
    return [
      `${codeSpan(from)} up to ${x}=${before.problem[x]}, ${codeSpan(to)} from ${x}=${entry.problem[x]}`,
    ];
  });
}

/** Each value of each parameter in a picture, for every algorithm; the figures stand with the choices on the device's page. */
function sensitivity(page: Page, file: string, table: TuningTable, points: readonly Point[]): void {
  page.heading(3, "How much each parameter matters");
  page.text(
    "For each value of a parameter: the fastest variant that has it, over the fastest of all, every other parameter free. An upper bound, for a search tries each value with only some of the rest.",
  );
  const { label, common } = problemLabels(table.entries.map(({ problem }) => problem));
  for (const algorithm of algorithmsOf(points)) {
    const of = orderedEntries(table).map((entry) => ({
      problem: label(entry.problem),
      sensitivities: sensitivities(pointsAt(points, entry, algorithm)),
    }));
    const title = `${algorithm}: what each value costs at best`;
    page.chart(`${file}-${slug(algorithm)}-sensitivity`, title, sensitivityChart(title, common, of));
  }
}

function regretGrid(found: readonly Regret[]): Grid {
  return {
    columns: columns(
      "problem",
      "nearest entry",
      "`would run`",
      ">borrowed over the best",
      ">default over the best",
    ),
    rows: found.map(({ entry, from, variant, factor, defaultFactor }) => [
      problemKey(entry.problem),
      from ? problemKey(from) : "none: the default",
      variant,
      from && factor === undefined ? "not measured" : formatRatio(factor),
      formatRatio(defaultFactor),
    ]),
  };
}

/** "Borrowed from the nearest entry, 4 of 9 problems: median 1.02x, worst 1.30x of the best. The default, all 9: ..." */
function regretText(found: readonly Regret[]): string {
  const said = (what: string, factors: readonly (number | undefined)[]): string => {
    const summary = summaryOf(factors);
    const share = `${what}, on ${summary?.count ?? 0} of ${found.length} problems`;
    if (!summary) return `${share}.`;
    return `${share}: median ${formatRatio(summary.median)}, worst ${formatRatio(summary.worst)} of the best time.`;
  };
  return [
    said(
      "Borrowed from the nearest entry",
      found.map(({ factor }) => factor),
    ),
    said(
      "The default",
      found.map(({ defaultFactor }) => defaultFactor),
    ),
  ].join(" ");
}
