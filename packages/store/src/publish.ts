import { mkdir, readFile, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault, type SessionEvidence } from "@tunelab/contract";
import * as v from "valibot";
import { readEvidence } from "./evidence.ts";
import { ensureDirectory, errorCode, exists, writeFault, writeWhole } from "./files.ts";
import { sealSession } from "./seal.ts";

const PUBLISHED_SCHEMA = 1;

/** Withdraws a session's evidence, or one trial of it, from every table; it stays visible with its reason. */
export interface Retraction {
  readonly session: string;
  /** Id of the trial, `<session>.<sequence>`; absent for the whole session. */
  readonly trial?: string;
  readonly reason: string;
}

export interface Published {
  /** In order of publication, retracted ones included. */
  readonly evidence: readonly SessionEvidence[];
  /** What the fold must leave out. */
  readonly retracted: readonly Retraction[];
}

const publishedFile = v.object({
  schema: v.pipe(v.number(), v.integer(), v.minValue(1)),
  sessions: v.array(v.string()),
  retracted: v.array(
    v.object({ session: v.string(), trial: v.exactOptional(v.string()), reason: v.string() }),
  ),
});

type List = v.InferOutput<typeof publishedFile>;

const listPath = (tablesDir: string): string => join(tablesDir, "published.json");
const evidencePath = (tablesDir: string, session: string): string =>
  join(tablesDir, "evidence", `${session}.parquet`);

/**
 * Copies a session's sealed file to `<tablesDir>/evidence/` and appends its id to `published.json`; an open session is
 * sealed first. Gives the path of the copy. Throws `Fault` usage when it is published already (published evidence never
 * changes) or there is no such session, data when it says of itself that it is not to be trusted; `despiteDrift` takes
 * it all the same, and its rows then rank as those of a noisy device.
 */
export async function publishSession(
  labDir: string,
  tablesDir: string,
  session: string,
  { despiteDrift = false }: { readonly despiteDrift?: boolean } = {},
): Promise<string> {
  const sealed = await sealSession(labDir, session);
  const evidence = await readEvidence(sealed);
  if (!despiteDrift) refuseUntrusted(evidence);
  const target = evidencePath(tablesDir, session);
  await changeList(tablesDir, async (list) => {
    if (list.sessions.includes(session)) {
      const { trials } = await readEvidence(target);
      throw new Fault(
        "usage",
        `session ${session} is published already (${trials.length} trials there, ${evidence.trials.length} in the lab); published evidence never changes: measure a new session`,
      );
    }
    // Evidence first: a list that names a session must find its file.
    await writeWhole(target, await readFile(sealed));
    return { ...list, sessions: [...list.sessions, session] };
  });
  return target;
}

function refuseUntrusted({ header, events }: SessionEvidence): void {
  const untrusted = events.find((event) => event.kind === "untrusted");
  if (untrusted)
    throw new Fault(
      "data",
      `session ${header.id} is not to be trusted (${untrusted.reason}): measure again when nothing else runs, or publish it with --despite-drift`,
    );
}

/** Marks a published session or trial as withdrawn. Throws `Fault` usage when it is not published or has no reason. */
export async function retract(tablesDir: string, retraction: Retraction): Promise<void> {
  const { session, trial, reason } = retraction;
  if (!reason.trim()) throw new Fault("usage", "a retraction needs a reason");
  await changeList(tablesDir, async (list) => {
    if (!list.sessions.includes(session)) throw new Fault("usage", `session ${session} is not published`);
    const { trials } = await readEvidence(evidencePath(tablesDir, session));
    if (trial !== undefined && !trials.some(({ id }) => id === trial))
      throw new Fault("usage", `session ${session} has no trial ${trial}`);
    if (list.retracted.some((known) => known.session === session && known.trial === trial)) return list;
    const added = { session, ...(trial === undefined ? {} : { trial }), reason };
    return { ...list, retracted: [...list.retracted, added] };
  });
}

/**
 * Everything published, in order; nothing when there is no list yet. Throws `Fault` data when the list or any evidence
 * file is missing or damaged: a table folded from a part would be wrong without a sign.
 */
export async function loadPublished(tablesDir: string): Promise<Published> {
  const list = await readList(tablesDir);
  const evidence: SessionEvidence[] = [];
  for (const session of list.sessions) {
    const path = evidencePath(tablesDir, session);
    if (!(await exists(path)))
      throw new Fault("data", `${path} is missing, though published.json names it: restore it from git`, {
        path,
      });
    const one = await readEvidence(path);
    if (one.header.id !== session)
      throw new Fault("data", `${path} holds session ${one.header.id}, not its own: restore it from git`, {
        path,
      });
    evidence.push(one);
  }
  return { evidence, retracted: list.retracted };
}

async function readList(tablesDir: string): Promise<List> {
  const path = listPath(tablesDir);
  if (!(await exists(path))) return { schema: PUBLISHED_SCHEMA, sessions: [], retracted: [] };
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
async function changeList(tablesDir: string, change: (list: List) => Promise<List>): Promise<void> {
  await ensureDirectory(tablesDir);
  const lock = `${listPath(tablesDir)}.lock`;
  await takeLock(lock, tablesDir);
  try {
    const before = await readList(tablesDir);
    const after = await change(before);
    if (after !== before) await writeWhole(listPath(tablesDir), `${JSON.stringify(after, null, 2)}\n`);
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
