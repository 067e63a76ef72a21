import { problemKey, type TableEntry, type TuningTable } from "@tunelab/contract";
import { gridMarkdown } from "./grid.ts";
import { codeSpan, escapeMarkdown } from "./markdown.ts";
import { candidatesTable, orderedEntries, summaryTable } from "./summary.ts";

/** One operation's table as Markdown: the summary, then every candidate of every problem. `level` is the first heading's. */
export function tableMarkdown(table: TuningTable, level = 2): string {
  const heading = "#".repeat(level);
  const parts = [`${heading} ${escapeMarkdown(table.operation)}`];
  if (table.noisy) {
    parts.push(
      "This device was too noisy for the certification gate: its candidates rank as ties unless the gap is large, and none displaces an earlier certified one.",
    );
  }
  if (table.entries.length === 0) parts.push("Nothing has been measured yet.");
  else parts.push(gridMarkdown(summaryTable(table)));
  for (const entry of orderedEntries(table)) parts.push(entryMarkdown(entry, level + 1));
  return `${parts.join("\n\n")}\n`;
}

function entryMarkdown(entry: TableEntry, level: number): string {
  const parts = [`${"#".repeat(level)} ${escapeMarkdown(problemKey(entry.problem))}`];
  const failed = entry.failed > 0 ? `, ${entry.failed} of them failed verification or did not run` : "";
  parts.push(`${entry.measured} variants measured${failed}; ${entry.rows.length} kept.`);
  if (entry.agedOn !== undefined) {
    parts.push(`Measured on ${codeSpan(entry.agedOn)}, not on the machine and driver of the page's header.`);
  }
  if (entry.rows.length > 0) parts.push(gridMarkdown(candidatesTable(entry)));
  return parts.join("\n\n");
}
