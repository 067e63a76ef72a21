import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TuningTable } from "@tunelab/contract";
import { parseTable } from "@tunelab/selection";

/**
 * Every table below the folders, in order of folder and path: what a search can begin with. Files that are no tables, or of
 * another schema, are passed over: they only cost a head start.
 */
export async function tablesBelow(...folders: readonly string[]): Promise<readonly TuningTable[]> {
  const tables: TuningTable[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const paths = entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
      .map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.sort()) {
      try {
        tables.push(parseTable(await readFile(path, "utf8"), path));
      } catch {
        // No table: the list of published sessions, a schema, a file that is being written.
      }
    }
  }
  return tables;
}
