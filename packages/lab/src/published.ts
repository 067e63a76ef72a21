import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TuningTable } from "@tunelab/contract";
import { deviceFiles } from "@tunelab/report";
import { fold, renderShipped, serialiseTable, tablePath } from "@tunelab/selection";
import { loadOperations } from "./registry.ts";
import { boundsOf, writeWhole } from "./session.ts";

/** Files that are generated from published evidence: their path from the checkout's root, and their text. */
export type Generated = ReadonlyMap<string, string>;

/** Tables folded from the evidence that the checkout publishes. */
export async function publishedTables(root: string): Promise<readonly TuningTable[]> {
  const { loadPublished } = await import("@tunelab/store");
  const { evidence, retracted } = await loadPublished(join(root, "tables"));
  return fold(evidence, { bounds: boundsOf(await loadOperations()), retracted });
}

/** `tables/**.json` and `reports/devices/**`: what `pnpm tables` writes. */
export async function generatedTables(tables: readonly TuningTable[]): Promise<Generated> {
  const files = new Map<string, string>();
  for (const table of tables) files.set(`tables/${tablePath(table)}`, serialiseTable(table));
  const devices = new Set(tables.map(({ deviceSlug }) => deviceSlug));
  for (const device of devices) {
    const own = tables.filter(({ deviceSlug }) => deviceSlug === device);
    for (const { file, text } of await deviceFiles(own)) files.set(`reports/devices/${device}/${file}`, text);
  }
  return files;
}

/** `packages/runtime/src/generated/*`: what `pnpm ship` writes. */
export async function generatedShip(tables: readonly TuningTable[]): Promise<Generated> {
  return renderShipped(tables, await loadOperations());
}

/** Folders whose generated files are all known: what else lies there is left over from evidence that is gone. */
const OWNED: readonly { readonly folder: string; readonly owns: (path: string) => boolean }[] = [
  { folder: "tables", owns: (path) => path.endsWith(".json") && path !== "tables/published.json" },
  { folder: "reports/devices", owns: () => true },
];

/** Paths that differ from what the evidence gives: missing, changed or left over. */
export async function differences(
  root: string,
  files: Generated,
  owned: boolean,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [path, text] of files) {
    const found = await readFile(join(root, path), "utf8").catch(() => undefined);
    if (found !== text) wrong.push(path);
  }
  if (owned) wrong.push(...(await leftovers(root, files)));
  return wrong.sort();
}

export async function leftovers(root: string, files: Generated): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { folder, owns } of OWNED) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1);
      if (entry.isFile() && owns(path) && !files.has(path)) found.push(path);
    }
  }
  return found;
}

export async function writeGenerated(root: string, files: Generated): Promise<void> {
  for (const [path, text] of files) await writeWhole(join(root, path), text);
}
