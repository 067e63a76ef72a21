import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type OtherPage, REPORT_FOLDERS } from "@tunelab/report";
import { titleOf } from "./site/markdown.ts";

/**
 * Pages below reports/ that are not written from the tables, by path: those that `pnpm tables` makes besides, whose texts are given,
 * and those that other commands wrote and the checkout keeps.
 */
export async function otherPages(
  root: string,
  made: ReadonlyMap<string, string>,
): Promise<readonly OtherPage[]> {
  const texts = new Map<string, string>();
  const entries = await readdir(join(root, "reports"), { withFileTypes: true }).catch(() => []);
  for (const { name } of entries.filter((one) => one.isDirectory() && !REPORT_FOLDERS.includes(one.name))) {
    for (const file of await readdir(join(root, "reports", name))) {
      const path = `${name}/${file}`;
      if (file.endsWith(".md")) texts.set(path, await readFile(join(root, "reports", path), "utf8"));
    }
  }
  for (const [path, text] of made) {
    const own = path.startsWith("reports/") && path.endsWith(".md");
    if (own) texts.set(path.slice("reports/".length), text);
  }
  return [...texts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => ({ path, title: titleOf(text) ?? path }));
}
