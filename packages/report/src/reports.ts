import { type Comparison, slug } from "@tunelab/contract";
import { acrossPage } from "./across.ts";
import { comparisonPage } from "./comparison.ts";
import { devicePage } from "./device.ts";
import { devicesOf, deviceTitle, PAGE_FILE, type ReportInput, studyLink } from "./input.ts";
import { escapeMarkdown } from "./markdown.ts";
import { operationPage } from "./operation.ts";
import type { Page } from "./page.ts";

/** Folders below reports/ that are written from the published evidence, and nothing else lies in them. */
export const REPORT_FOLDERS: readonly string[] = ["devices", "operations", "across-devices", "comparisons"];

/** Every page by its folder below reports/: a device's, an operation's, the one across devices, a comparison's. */
export async function reportPages(input: ReportInput): Promise<ReadonlyMap<string, Page>> {
  const pages = new Map<string, Page>();
  for (const device of devicesOf(input)) pages.set(`devices/${device}`, await devicePage(input, device));
  const published = [...input.tables, ...(input.studies ?? [])];
  for (const operation of [...new Set(published.map((one) => one.operation))].sort())
    pages.set(`operations/${slug(operation)}`, await operationPage(input, operation));
  if (input.tables.length > 0) pages.set("across-devices", acrossPage(input));
  for (const one of input.comparisons ?? [])
    pages.set(comparisonFolder(one), comparisonPage(one, input.retractedComparisons?.get(one.id)));
  return pages;
}

const comparisonFolder = ({ id }: Comparison): string => `comparisons/${slug(id)}`;

/** Every file of the reports with its path below reports/: the same input gives the same bytes. */
export async function reportFiles(input: ReportInput): Promise<ReadonlyMap<string, string>> {
  const pages = await reportPages(input);
  const files = new Map<string, string>();
  for (const [folder, page] of pages) {
    for (const { file, text } of await page.files()) files.set(`${folder}/${file}`, text);
  }
  files.set(PAGE_FILE, indexText(pages, input));
  return files;
}

function indexText(pages: ReadonlyMap<string, Page>, input: ReportInput): string {
  const withdrawn = new Map(
    (input.comparisons ?? []).map((one) => [comparisonFolder(one), input.retractedComparisons?.get(one.id)]),
  );
  const lines = [...pages].map(([folder, page]) => {
    const link = `[${escapeMarkdown(page.title)}](${folder}/${PAGE_FILE})`;
    const reason = withdrawn.get(folder);
    return reason === undefined
      ? `- ${link}: ${folder}`
      : `- ~~${link}~~: ${folder}, retracted: ${escapeMarkdown(reason)}`;
  });
  for (const study of input.studies ?? []) {
    const words = `${study.operation}: ${study.title}, on ${deviceTitle(study)}, ${study.profile}`;
    lines.push(`- ${studyLink(study, 0, words)}: study`);
  }
  for (const { path, title } of input.others ?? [])
    lines.push(
      `- [${escapeMarkdown(title)}](${encodeURI(path)}): ${escapeMarkdown(path.slice(0, path.lastIndexOf("/")))}`,
    );
  return [
    "# Reports",
    "Written by `pnpm tables` from the published evidence; never edited by hand.",
    lines.length > 0 ? lines.join("\n") : "Nothing is published yet.",
    "",
  ].join("\n\n");
}
