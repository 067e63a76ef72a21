import { Fault, slug, type TuningTable, tableFolder } from "@tunelab/contract";
import { type ChartSpec, candidatesChart, timesChart } from "./charts.ts";
import { facts, sectionName } from "./facts.ts";
import { gridMarkdown } from "./grid.ts";
import { escapeMarkdown } from "./markdown.ts";
import { chartSvg } from "./render.ts";
import { tableMarkdown } from "./table.ts";

/** A chart beside a page: the file it goes to (in the page's folder) and what to draw. */
export interface PageChart {
  readonly file: string;
  readonly title: string;
  readonly spec: ChartSpec;
}

/** A file of a report: its name in the device's folder, and its text. */
export interface ReportFile {
  readonly file: string;
  readonly text: string;
}

/** The page's name in the device's folder; forges show it by itself. */
export const PAGE_FILE = "README.md";

/**
 * One device's page: who it is, its ceilings, and a section for each profile with every operation's table. Links the
 * charts of `deviceCharts`. Throws a usage Fault for no tables, or tables of several devices.
 */
export function deviceReport(tables: readonly TuningTable[]): string {
  const sections = inOrder(tables);
  const [first] = sections;
  const { identity } = first!.device;
  const parts = [
    `# ${escapeMarkdown(identity.description || identity.device || first!.deviceSlug)}`,
    "Generated from the tuning tables; edit those, not this page. Times are minima over the samples of one run; each stands beside its verification.",
  ];
  let folder = "";
  for (const table of sections) {
    const here = tableFolder(table.device.identity, table.profile);
    if (here !== folder) {
      folder = here;
      parts.push(`## ${escapeMarkdown(sectionName(table))}`, gridMarkdown(facts(table)));
    }
    for (const { file, title } of tableCharts(table)) parts.push(`![${escapeMarkdown(title)}](${file})`);
    parts.push(tableMarkdown(table, 3).trimEnd());
  }
  return `${parts.join("\n\n")}\n`;
}

/** Every chart that `deviceReport` of the same tables links. */
export function deviceCharts(tables: readonly TuningTable[]): readonly PageChart[] {
  return inOrder(tables).flatMap(tableCharts);
}

/** The page and its charts, drawn: everything of one device's folder under reports/. */
export async function deviceFiles(tables: readonly TuningTable[]): Promise<readonly ReportFile[]> {
  const files: ReportFile[] = [{ file: PAGE_FILE, text: deviceReport(tables) }];
  for (const { file, spec } of deviceCharts(tables)) files.push({ file, text: await chartSvg(spec) });
  return files;
}

function tableCharts(table: TuningTable): readonly PageChart[] {
  const { compiler, backend } = table.device.identity;
  const name = [table.operation, compiler, backend, table.profile].map(slug).join("-");
  const drawn: readonly (readonly [string, string, ChartSpec | undefined])[] = [
    ["times", "best variant and default against problem size", timesChart(table)],
    ["candidates", "every candidate of every problem", candidatesChart(table)],
  ];
  return drawn.flatMap(([kind, what, spec]) =>
    spec ? [{ file: `${name}-${kind}.svg`, title: `${table.operation}: ${what}`, spec }] : [],
  );
}

function inOrder(tables: readonly TuningTable[]): readonly TuningTable[] {
  const devices = [...new Set(tables.map(({ deviceSlug }) => deviceSlug))];
  if (devices.length === 0) throw new Fault("usage", "a device report needs at least one table");
  if (devices.length > 1) {
    throw new Fault(
      "usage",
      `a report is about one device: these tables are of ${devices.sort().join(", ")}`,
    );
  }
  const key = (table: TuningTable): string =>
    `${tableFolder(table.device.identity, table.profile)}\n${table.operation}`;
  return [...tables].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}
