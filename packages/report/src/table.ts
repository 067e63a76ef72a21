import { problemKey, type TableEntry, type TuningTable } from "@tunelab/contract";
import { facts, sectionName } from "./facts.ts";
import { gridMarkdown } from "./grid.ts";
import { codeSpan, escapeMarkdown } from "./markdown.ts";
import {
  candidatesTable,
  type IsStale,
  nothingStale,
  nothingUnproven,
  orderedEntries,
  summaryTable,
  type Unproven,
} from "./summary.ts";

/** A table to read: who measured, the summary, every candidate. Stands beside the table's JSON, under its name and `.md`. */
export function tablePage(
  table: TuningTable,
  isStale: IsStale = nothingStale,
  unproven: Unproven = nothingUnproven,
): string {
  const { identity } = table.device;
  const device = identity.description || identity.device || table.deviceSlug;
  return [
    `# ${escapeMarkdown(`${table.operation} on ${device}`)}`,
    `${escapeMarkdown(sectionName(table))}. Generated from the published evidence; never edited by hand.`,
    gridMarkdown(facts(table)),
    tableMarkdown(table, 2, isStale, unproven),
  ].join("\n\n");
}

/** One operation's table as Markdown: the summary, then every candidate of every problem. `level` is the first heading's. */
export function tableMarkdown(
  table: TuningTable,
  level = 2,
  isStale: IsStale = nothingStale,
  unproven: Unproven = nothingUnproven,
): string {
  const heading = "#".repeat(level);
  const parts = [`${heading} ${escapeMarkdown(table.operation)}`, ...cautions(table, isStale)];
  if (table.entries.length === 0) parts.push("Nothing has been measured yet.");
  else parts.push(gridMarkdown(summaryTable(table, isStale, [], unproven)));
  for (const entry of orderedEntries(table)) parts.push(entryMarkdown(table, entry, level + 1, isStale));
  return `${parts.join("\n\n")}\n`;
}

/** A share of the multiply-add ceiling that no kernel can have which does all of the work: a ceiling is off by a few percent at most. */
const AVOIDED = 1.1;

/** What a reader must know before reading a table's times: noise, and rows that the code would not run any more. */
export function cautions(table: TuningTable, isStale: IsStale): readonly string[] {
  const lines: string[] = [];
  if (table.noisy) {
    lines.push(
      "Noisy: on some problem nothing met the certification gate (a spread of 2%), or the noise probe said that nothing could; there candidates rank as ties unless the gap is large, and none displaces an earlier certified one.",
    );
  }
  const rows = table.entries.flatMap(({ problem, rows }) =>
    rows.map(({ variant }) => ({ problem, variant })),
  );
  const stale = rows.filter(({ problem, variant }) => isStale(table, problem, variant)).length;
  if (stale > 0) {
    lines.push(
      `**Stale:** ${stale} of ${rows.length} rows were measured with a kernel or a suite that has changed since; measure them again with \`pnpm tune --kernel ${table.operation}\`.`,
    );
  }
  const shares = table.entries.flatMap(({ rows }) => rows.map(({ fractionOfFma }) => fractionOfFma ?? 0));
  if (Math.max(0, ...shares) > AVOIDED) {
    lines.push(
      "Over 100% of FMA: a share counts the operations of the problem done in full, of which these variants prove a part needless.",
    );
  }
  return lines;
}

function entryMarkdown(table: TuningTable, entry: TableEntry, level: number, isStale: IsStale): string {
  const parts = [`${"#".repeat(level)} ${escapeMarkdown(problemKey(entry.problem))}`];
  const failed = entry.failed > 0 ? `, ${entry.failed} more failed verification or did not run` : "";
  parts.push(`${entry.measured} variants measured${failed}; ${entry.rows.length} kept.`);
  if (entry.agedOn !== undefined) {
    parts.push(`Measured on ${codeSpan(entry.agedOn)}, not on the machine and driver of the page's header.`);
  }
  if (entry.rows.length > 0) {
    parts.push(gridMarkdown(candidatesTable(entry, (variant) => isStale(table, entry.problem, variant))));
  }
  return parts.join("\n\n");
}
