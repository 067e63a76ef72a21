import { mkdir, readFile, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "@tunelab/contract";
import * as v from "valibot";
import { ensureDirectory, errorCode, exists, writeFault, writeWhole } from "./files.ts";

/** Since 2 comparisons can be retracted; a list without one stays as older readers know it. */
const PUBLISHED_SCHEMA = 2;

/** `published.json`: sessions in the order of their publication, and what was withdrawn, sessions and comparisons. */
export interface PublishedList {
  readonly schema: number;
  readonly sessions: readonly string[];
  readonly retracted: readonly {
    readonly session: string;
    readonly trial?: string;
    readonly reason: string;
  }[];
  readonly retractedComparisons?: readonly { readonly comparison: string; readonly reason: string }[];
}

const publishedFile: v.GenericSchema<unknown, PublishedList> = v.object({
  schema: v.pipe(v.number(), v.integer(), v.minValue(1)),
  sessions: v.array(v.string()),
  retracted: v.array(
    v.object({ session: v.string(), trial: v.exactOptional(v.string()), reason: v.string() }),
  ),
  retractedComparisons: v.exactOptional(v.array(v.object({ comparison: v.string(), reason: v.string() }))),
});

const listPath = (tablesDir: string): string => join(tablesDir, "published.json");

/** The list; empty where there is none. @throws Fault `data` when it is damaged or of a newer tunelab. */
export async function readList(tablesDir: string): Promise<PublishedList> {
  const path = listPath(tablesDir);
  if (!(await exists(path))) return { schema: 1, sessions: [], retracted: [] };
  let data: unknown;
  try {
    data = JSON.parse(await readFile(path, "utf8"));
  } catch {
    throw new Fault("data", `${path} is not JSON: restore it from git`, { path });
  }
  const result = v.safeParse(publishedFile, data);
  if (!result.success)
    throw new Fault("data", `${path} is no list of published sessions (${result.issues[0].message})`, {
      path,
    });
  if (result.output.schema > PUBLISHED_SCHEMA)
    throw new Fault(
      "data",
      `${path} was written by a newer tunelab (schema ${result.output.schema}, this one reads up to ${PUBLISHED_SCHEMA}): update first`,
      { path },
    );
  const twice = result.output.sessions.find((session, index, all) => all.indexOf(session) !== index);
  if (twice !== undefined)
    throw new Fault("data", `${path} names session ${twice} twice: restore it from git`, { path });
  return result.output;
}

/** Two publications at once must not lose one another's line: a folder beside the list is the lock. */
export async function changeList(
  tablesDir: string,
  change: (list: PublishedList) => Promise<PublishedList>,
): Promise<void> {
  await ensureDirectory(tablesDir);
  const lock = `${listPath(tablesDir)}.lock`;
  await takeLock(lock, tablesDir);
  try {
    const before = await readList(tablesDir);
    const after = await change(before);
    const schema = after.retractedComparisons === undefined ? after.schema : PUBLISHED_SCHEMA;
    if (after !== before)
      await writeWhole(listPath(tablesDir), `${JSON.stringify({ ...after, schema }, null, 2)}\n`);
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** A lock is held for milliseconds: one this old (ms) was left by a killed process. */
const STALE_LOCK_MS = 10_000;

async function takeLock(lock: string, tablesDir: string): Promise<void> {
  for (;;) {
    try {
      await mkdir(lock);
      return;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw writeFault(error, tablesDir);
    }
    const held = await stat(lock).catch(() => undefined);
    if (held && Date.now() - held.mtimeMs > STALE_LOCK_MS) await rmdir(lock).catch(() => undefined);
    else await sleep(20);
  }
}
