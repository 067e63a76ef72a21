import { rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import {
  asFault,
  type Fault,
  type ProfileName,
  type SessionEvidence,
  type SessionHeader,
  type Trial,
} from "@tunelab/contract";
import { appendRows, type Database, openMemory, openWriter, type Row } from "./database.ts";
import { readEvidence, readSealed } from "./evidence.ts";
import { ensureDirectory, listNames, moveIntoPlace } from "./files.ts";
import { fillComparisons, findComparisons } from "./index-comparisons.ts";
import { encodeJson } from "./records.ts";
import { EVENT_INDEX, eventRow, LATER_COLUMNS, SESSION_INDEX, TRIALS, trialRow } from "./schema.ts";

/** `open`: still running, or stopped without sealing; `sealSession` or `--resume` takes it up. */
export type SessionStatus = "finished" | "interrupted" | "open";

export interface SessionSummary {
  readonly id: string;
  readonly startedAt: string;
  readonly deviceSlug: string;
  readonly device: string;
  readonly profile: ProfileName;
  readonly commit: string;
  readonly operations: readonly string[];
  readonly trials: number;
  readonly status: SessionStatus;
  readonly file: string;
}

/** Which evidence; a part that is absent admits everything. */
export interface EvidenceFilter {
  readonly sessions?: readonly string[];
  readonly deviceSlug?: string;
  readonly profile?: ProfileName;
  /** Only trials of these operations; sessions without any are left out. */
  readonly operations?: readonly string[];
}

export interface Loaded<T> {
  /** In the order of session ids, which is the order of their start. */
  readonly sessions: readonly T[];
  /** One for each file that could not be read; it is kept, and everything else is here. */
  readonly faults: readonly Fault[];
}

interface Stored {
  readonly file: string;
  readonly evidence: SessionEvidence;
}

/** Every session of the lab with its size and state. An absent lab directory has none. */
export async function listSessions(labDir: string): Promise<Loaded<SessionSummary>> {
  const { sessions, faults } = await readAll(await sessionFiles([join(labDir, "sessions")]));
  return { sessions: sessions.map(summaryOf), faults };
}

/** The lab's evidence that the filter admits, running sessions included. */
export async function loadEvidence(
  labDir: string,
  filter: EvidenceFilter = {},
): Promise<Loaded<SessionEvidence>> {
  const files = await sessionFiles([join(labDir, "sessions")]);
  const wanted = files.filter((file) => !filter.sessions || filter.sessions.includes(idOf(file)));
  const { sessions, faults } = await readAll(wanted);
  const admitted = sessions
    .map(({ evidence }) => evidence)
    .filter(({ header }) => admitsHeader(header, filter))
    .map((evidence) => ({
      ...evidence,
      trials: evidence.trials.filter((trial) => admitsTrial(trial, filter)),
    }))
    .filter(({ trials }) => !filter.operations || trials.length > 0);
  return { sessions: admitted, faults };
}

const admitsHeader = (header: SessionHeader, filter: EvidenceFilter): boolean =>
  (filter.deviceSlug === undefined || header.deviceSlug === filter.deviceSlug) &&
  (filter.profile === undefined || header.profile === filter.profile);

const admitsTrial = (trial: Trial, filter: EvidenceFilter): boolean =>
  filter.operations?.includes(trial.operation) ?? true;

/**
 * Rebuilds `<labDir>/results.duckdb`, the tables `sessions`, `events` and `trials` over every session and those of
 * `fillComparisons` over every comparison, for notebooks and queries. `also` names further folders of sealed files and of records
 * of comparisons (published evidence). The new index replaces the old in one
 * step, so that whoever reads the old one goes on undisturbed; files that cannot be read are listed and left out.
 */
export async function indexSessions(
  labDir: string,
  also: readonly string[] = [],
): Promise<{ readonly path: string; readonly sessions: number; readonly faults: readonly Fault[] }> {
  await ensureDirectory(labDir);
  const path = join(labDir, "results.duckdb");
  const { sessions, faults } = await readAll(await sessionFiles([join(labDir, "sessions"), ...also]));
  const compared = await findComparisons(labDir, also);
  const temporary = `${path}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  try {
    const index = await openWriter(temporary);
    try {
      await fill(index, sessions);
      await fillComparisons(index.connection, compared.comparisons);
    } finally {
      index.close();
    }
    await moveIntoPlace(temporary, path);
  } finally {
    await rm(temporary, { force: true });
    await rm(`${temporary}.wal`, { force: true });
  }
  return { path, sessions: sessions.length, faults: [...faults, ...compared.faults] };
}

async function fill({ connection }: Database, sessions: readonly Stored[]): Promise<void> {
  for (const table of [SESSION_INDEX, EVENT_INDEX, TRIALS, ...LATER_COLUMNS]) await connection.run(table);
  await appendRows(connection, "sessions", sessions.map(sessionRow));
  for (const { evidence } of sessions) {
    const session = evidence.header.id;
    const events = evidence.events.map((event, sequence) => ({ session, ...eventRow(event, sequence) }));
    await appendRows(connection, "events", events);
    await appendRows(connection, "trials", evidence.trials.map(trialRow));
  }
}

function sessionRow(stored: Stored): Row {
  const { header } = stored.evidence;
  const summary = summaryOf(stored);
  return {
    id: summary.id,
    started_at: summary.startedAt,
    device_slug: summary.deviceSlug,
    device: summary.device,
    compiler: header.device.identity.compiler,
    backend: header.device.identity.backend,
    driver: header.device.identity.driver,
    profile: summary.profile,
    commit_id: summary.commit,
    dirty: header.dirty,
    protocol: header.protocol,
    status: summary.status,
    trials: summary.trials,
    header: encodeJson(header),
    file: summary.file,
  };
}

function summaryOf({ file, evidence: { header, events, trials } }: Stored): SessionSummary {
  const { identity } = header.device;
  const last = events.findLast(({ kind }) => kind === "finished" || kind === "interrupted")?.kind;
  return {
    id: header.id,
    startedAt: header.startedAt,
    deviceSlug: header.deviceSlug,
    device: identity.description || identity.device,
    profile: header.profile,
    commit: header.commit,
    operations: [...new Set(trials.map(({ operation }) => operation))].sort(),
    trials: trials.length,
    status: last === "finished" ? "finished" : extname(file) === ".parquet" ? "interrupted" : "open",
    file,
  };
}

const idOf = (file: string): string => basename(file, extname(file));

/** One file a session, by id. A session file beside its sealed one holds at least as much, so it is the one. */
async function sessionFiles(directories: readonly string[]): Promise<readonly string[]> {
  const files = new Map<string, string>();
  for (const directory of directories) {
    // Sorted names: `<id>.duckdb` comes before `<id>.parquet`, and the first one found stays.
    for (const name of await listNames(directory)) {
      if (extname(name) !== ".duckdb" && extname(name) !== ".parquet") continue;
      const file = join(directory, name);
      if (!files.has(idOf(file))) files.set(idOf(file), file);
    }
  }
  return [...files.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file);
}

async function readAll(files: readonly string[]): Promise<Loaded<Stored>> {
  const sessions: Stored[] = [];
  const faults: Fault[] = [];
  const memory = await openMemory(); // one for all sealed files: opening one takes 20 ms
  try {
    for (const file of files) {
      try {
        const sealed = extname(file) === ".parquet";
        const evidence = await (sealed ? readSealed(memory.connection, file) : readEvidence(file));
        sessions.push({ file, evidence });
      } catch (error) {
        faults.push(asFault(error, "data"));
      }
    }
  } finally {
    memory.close();
  }
  return { sessions, faults };
}
