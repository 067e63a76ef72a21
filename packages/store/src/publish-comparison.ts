import { join } from "node:path";
import { type Comparison, Fault } from "@tunelab/contract";
import { readComparison } from "./comparison.ts";
import { encodeComparison } from "./comparison-record.ts";
import { ensureDirectory, exists, listNames, writeWhole } from "./files.ts";
import { readRecord } from "./index-comparisons.ts";
import { changeList, readList } from "./published-list.ts";

/** Records of published comparisons, in the folder of the evidence. */
const folderOf = (tablesDir: string): string => join(tablesDir, "evidence", "comparisons");

/**
 * Copies a stored comparison's record to the published evidence and gives the path. @throws Fault `usage` when there is none, or it
 * is published already (published evidence never changes); `data` when it ended before every row was compared.
 */
export async function publishComparison(labDir: string, tablesDir: string, id: string): Promise<string> {
  const comparison = await readComparison(labDir, id);
  const path = join(folderOf(tablesDir), `${comparison.id}.json`);
  if (await exists(path))
    throw new Fault("usage", `comparison ${id} is published already: published evidence never changes`);
  if (comparison.stopped !== undefined || comparison.rows.length === 0)
    throw new Fault(
      "data",
      `comparison ${id} is not whole (${comparison.stopped ?? "it has no rows"}): compare again`,
    );
  await ensureDirectory(folderOf(tablesDir));
  await writeWhole(path, encodeComparison(comparison));
  return path;
}

/** Withdraws a published comparison; it stays visible with its reason. @throws Fault `usage` when it is not published or has no reason. */
export async function retractComparison(tablesDir: string, id: string, reason: string): Promise<void> {
  if (!reason.trim()) throw new Fault("usage", "a retraction needs a reason");
  await changeList(tablesDir, async (list) => {
    if (!(await listNames(folderOf(tablesDir))).includes(`${id}.json`))
      throw new Fault("usage", `comparison ${id} is not published`);
    const known = list.retractedComparisons ?? [];
    if (known.some(({ comparison }) => comparison === id)) return list;
    return { ...list, retractedComparisons: [...known, { comparison: id, reason }] };
  });
}

/** Why comparisons were withdrawn, by their ids. @throws Fault `data` when the list is damaged. */
export async function retractedComparisons(tablesDir: string): Promise<ReadonlyMap<string, string>> {
  const { retractedComparisons: known = [] } = await readList(tablesDir);
  return new Map(known.map(({ comparison, reason }) => [comparison, reason]));
}

/** Every published comparison, oldest first, withdrawn ones included. @throws Fault `data` naming a record that cannot be read. */
export async function publishedComparisons(tablesDir: string): Promise<readonly Comparison[]> {
  const names = (await listNames(folderOf(tablesDir))).filter((name) => name.endsWith(".json"));
  return Promise.all(names.sort().map((name) => readRecord(join(folderOf(tablesDir), name))));
}
