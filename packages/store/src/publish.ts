import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson, Fault, type SessionEvidence } from "@tunelab/contract";
import { readEvidence } from "./evidence.ts";
import { exists, writeWhole } from "./files.ts";
import { changeList, readList } from "./published-list.ts";
import { sealSession } from "./seal.ts";

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

const evidencePath = (tablesDir: string, session: string): string =>
  join(tablesDir, "evidence", `${session}.parquet`);

/**
 * Copies a session's sealed file to `<tablesDir>/evidence/` and appends its id to `published.json`; an open session is
 * sealed first. A session that was gone on from its published journal takes the place of its first part, all of which it
 * must still hold: published evidence only grows. Gives the path of the copy. Throws `Fault` usage when it is published
 * already or there is no such session, data when it says of itself that it is not to be trusted; `despiteDrift` takes it
 * all the same, and its rows then rank as those of a noisy device.
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
    const known = list.sessions.includes(session);
    if (known) mustGoOn(await readEvidence(target), evidence);
    // Evidence first: a list that names a session must find its file.
    await writeWhole(target, await readFile(sealed));
    return known ? list : { ...list, sessions: [...list.sessions, session] };
  });
  return target;
}

/** @throws Fault `usage` unless `now` holds everything of the published session as it stands there, and trials more. */
function mustGoOn(published: SessionEvidence, now: SessionEvidence): void {
  const lines = ({ header, events, trials }: SessionEvidence): Set<string> =>
    new Set([header, ...events, ...trials].map(canonicalJson));
  const found = lines(now);
  const missing = [...lines(published)].filter((line) => !found.has(line)).length;
  const counted = `session ${now.header.id} is published already (${published.trials.length} trials there, ${now.trials.length} in the lab)`;
  if (missing > 0)
    throw new Fault(
      "usage",
      `${counted}, and ${missing} records of it are not those in the lab; published evidence only grows: measure a new session`,
    );
  if (now.trials.length <= published.trials.length)
    throw new Fault("usage", `${counted}: there is nothing new to publish`);
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

/** What was withdrawn of published sessions; empty where nothing is published. */
export async function loadRetracted(tablesDir: string): Promise<readonly Retraction[]> {
  return (await readList(tablesDir)).retracted;
}

/** One published session, also one that was retracted; undefined where none has that id. */
export async function publishedSession(
  tablesDir: string,
  session: string,
): Promise<SessionEvidence | undefined> {
  const { sessions } = await readList(tablesDir);
  return sessions.includes(session) ? readEvidence(evidencePath(tablesDir, session)) : undefined;
}
