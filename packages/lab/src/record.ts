import { join } from "node:path";
import type { SessionEvent, SessionHeader } from "@tunelab/contract";
import type { HostHello } from "@tunelab/devices";
import { type ChartSpec, chartSvg } from "@tunelab/report";
import { createJournal } from "@tunelab/store/journal";
import { packed } from "./build.ts";
import type { Io } from "./io.ts";
import { labDir } from "./places.ts";
import { headerFor, writeWhole } from "./session.ts";

/** Options of the commands that leave a session of events alone: noise, ceilings, studies. */
export interface RecordFlags {
  readonly out?: string;
  readonly journal?: string;
}

/** What was written where. */
export interface Recorded {
  readonly session: string;
  /** The journal's file, where there is no store. */
  readonly journal?: string;
}

/** Events as they are made; the time is added when they are written. */
export type NewEvent = SessionEvent extends infer E
  ? E extends SessionEvent
    ? Omit<E, "at">
    : never
  : never;

/** Writes a session of its own that holds these events and its end; a journal in a packed laboratory or on request. */
export async function recordEvents(
  flags: RecordFlags,
  io: Io,
  hello: HostHello,
  command: Pick<SessionHeader["command"], "operations" | "workload">,
  events: readonly NewEvent[],
): Promise<Recorded> {
  const header = await headerFor(hello, { ...command, strategy: "none", budgetMs: 0, seed: 0 });
  const at = new Date().toISOString();
  const journal = flags.journal ?? (packed ? `tunelab-${header.id}.jsonl` : undefined);
  const sink = journal
    ? await createJournal(journal, header)
    : await (await import("@tunelab/store")).createSession(labDir(flags.out, io), header);
  try {
    for (const event of events) await sink.event({ ...event, at } as SessionEvent);
    await sink.event({ kind: "finished", at, trials: 0, spentMs: {} });
  } finally {
    await sink.close();
  }
  return { session: header.id, ...(journal ? { journal } : {}) };
}

/** Draws a chart into the laboratory's folder; resolves to its path, or undefined where nothing can draw. */
export async function writePicture(
  flags: RecordFlags,
  io: Io,
  name: string,
  spec: ChartSpec | undefined,
): Promise<string | undefined> {
  // The packed laboratory leaves the drawing library out.
  if (packed || !spec) return undefined;
  const path = join(labDir(flags.out, io), "pictures", `${name}.svg`);
  await writeWhole(path, await chartSvg(spec));
  return path;
}

/** The last lines of such a command: what was drawn and written, and what to do with a journal. */
export function toldWhere(io: Io, { session, journal }: Recorded, picture: string | undefined): void {
  if (picture) io.out(`Picture: ${picture}`);
  if (journal) {
    io.out(`Journal: ${journal}`);
    io.out(`Next:    pnpm lab results import ${journal}, in a checkout, takes the journal in`);
  }
  io.out(`Session: ${session}`);
}
