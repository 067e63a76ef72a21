import { slug } from "@tunelab/contract";
import { acrossPage } from "./across.ts";
import { comparisonPage } from "./comparison.ts";
import { devicePage } from "./device.ts";
import { devicesOf, PAGE_FILE, type ReportInput } from "./input.ts";
import { escapeMarkdown } from "./markdown.ts";
import { operationPage } from "./operation.ts";
import type { Page } from "./page.ts";

/** Folders below reports/ that are written from the published evidence, and nothing else lies in them. */
export const REPORT_FOLDERS: readonly string[] = ["devices", "operations", "across-devices", "comparisons"];

/** Every page by its folder below reports/: a device's, an operation's, the one across devices, a comparison's. */
export async function reportPages(input: ReportInput): Promise<ReadonlyMap<string, Page>> {
  const pages = new Map<string, Page>();
  for (const device of devicesOf(input)) pages.set(`devices/${device}`, await devicePage(input, device));
  for (const operation of [...new Set(input.tables.map((table) => table.operation))].sort())
    pages.set(`operations/${slug(operation)}`, await operationPage(input, operation));
  if (input.tables.length > 0) pages.set("across-devices", acrossPage(input));
  for (const one of input.comparisons ?? []) pages.set(`comparisons/${slug(one.id)}`, comparisonPage(one));
  return pages;
}

/** Every file of the reports with its path below reports/: the same input gives the same bytes. */
export async function reportFiles(input: ReportInput): Promise<ReadonlyMap<string, string>> {
  const pages = await reportPages(input);
  const files = new Map<string, string>();
  for (const [folder, page] of pages) {
    for (const { file, text } of await page.files()) files.set(`${folder}/${file}`, text);
  }
  files.set(PAGE_FILE, indexText(pages));
  return files;
}

function indexText(pages: ReadonlyMap<string, Page>): string {
  const lines = [...pages].map(
    ([folder, page]) => `- [${escapeMarkdown(page.title)}](${folder}/${PAGE_FILE}): ${folder}`,
  );
  return [
    "# Reports",
    "Written by `pnpm tables` from the published evidence; never edited by hand.",
    lines.length > 0 ? lines.join("\n") : "Nothing is published yet.",
    "",
  ].join("\n\n");
}
