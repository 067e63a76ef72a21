import type { SessionEvidence, SessionHeader, SessionSink, Trial } from "@tunelab/contract";
import { Fault } from "@tunelab/contract";
import { currentEvidence, withoutStudies } from "@tunelab/selection";
import { createJournal, openJournal, readJournal } from "@tunelab/store/journal";
import { changedConditions } from "@tunelab/tuner";
import { packed } from "./build.ts";
import type { Io } from "./io.ts";
import { labDir } from "./places.ts";
import { loadEpochs, loadOperations } from "./registry.ts";

/** Options that say where a session's records go. */
export interface DestinationFlags {
  readonly resume?: string | true;
  readonly journal?: string;
  readonly out?: string;
}

/** Where records go, and what was measured before. */
export interface Destination {
  readonly header: SessionHeader;
  readonly sink: SessionSink;
  /** Trials of the session that is resumed which need not be measured again. */
  readonly earlier: readonly Trial[];
  readonly firstSequence: number;
  /** All evidence for the user's own table, once the sink is closed. */
  readonly evidence: () => Promise<readonly SessionEvidence[]>;
  readonly folder: string;
  /** The journal's file, where there is no store. */
  readonly journal?: string;
}

/** Starts the session's records, or takes up those of an interrupted one as far as they still count. */
export async function destinationFor(
  header: SessionHeader,
  flags: DestinationFlags,
  io: Io,
): Promise<Destination> {
  return flags.journal || packed ? toJournal(header, flags, io) : toStore(header, flags, io);
}

async function toStore(header: SessionHeader, flags: DestinationFlags, io: Io): Promise<Destination> {
  const store = await import("@tunelab/store");
  const folder = labDir(flags.out, io);
  const evidence = async (): Promise<readonly SessionEvidence[]> =>
    (await store.loadEvidence(folder)).sessions;
  const fresh = async (): Promise<Destination> => ({
    header,
    sink: await store.createSession(folder, header),
    earlier: [],
    firstSequence: 0,
    evidence,
    folder,
  });
  const loaded = await store.loadEvidence(folder);
  for (const { message } of loaded.faults) io.note(`A session file is left out: ${message}`);
  if (flags.resume === undefined) return fresh();
  const resumed = chosen(withoutStudies(loaded.sessions), flags.resume, header, folder);
  const changed = changedConditions(resumed.header, header);
  if (changed.length > 0) {
    io.note(`${conditionsText(resumed, changed)}; a new session starts`);
    return fresh();
  }
  const sink = await store.openSession(folder, resumed.header.id);
  return { ...(await takenUp(resumed, sink, header, io)), evidence, folder };
}

async function toJournal(header: SessionHeader, flags: DestinationFlags, io: Io): Promise<Destination> {
  const journal = flags.journal ?? `tunelab-${header.id}.jsonl`;
  const evidence = async (): Promise<readonly SessionEvidence[]> => [(await readJournal(journal)).evidence];
  const folder = labDir(flags.out, io);
  if (flags.resume === undefined) {
    const sink = await createJournal(journal, header);
    return { header, sink, earlier: [], firstSequence: 0, evidence, folder, journal };
  }
  if (!flags.journal) throw new Fault("usage", "--resume with a journal needs --journal FILE");
  const resumed = (await readJournal(journal)).evidence;
  const changed = changedConditions(resumed.header, header);
  // One journal is one session under one set of conditions: it can hold no trial of another.
  if (changed.length > 0)
    throw new Fault("usage", `${conditionsText(resumed, changed)}: start another journal without --resume`);
  const sink = await openJournal(journal);
  return { ...(await takenUp(resumed, sink, header, io)), evidence, folder, journal };
}

const conditionsText = ({ header }: SessionEvidence, changed: readonly string[]): string =>
  `session ${header.id} was measured under other conditions (${changed.join("; ")}): nothing of it is reused`;

const isFinished = ({ events }: SessionEvidence): boolean => events.some(({ kind }) => kind === "finished");

/** The session to go on with: the named one, else the newest unfinished one, of the same conditions if there is any. */
function chosen(
  sessions: readonly SessionEvidence[],
  wanted: string | true,
  header: SessionHeader,
  folder: string,
): SessionEvidence {
  if (wanted !== true) {
    const named = sessions.find((one) => one.header.id === wanted);
    if (named && !isFinished(named)) return named;
    const why = named ? "is finished and never changes: start a new one" : `is not in ${folder}`;
    throw new Fault("usage", `session ${wanted} ${why}; \`lab results list\` shows what there is`);
  }
  const open = sessions.filter((one) => !isFinished(one));
  const same = open.findLast((one) => changedConditions(one.header, header).length === 0);
  const found = same ?? open.at(-1);
  if (found) return found;
  throw new Fault("usage", `there is no interrupted session in ${folder}: start one without --resume`);
}

/** A resumed session: what of it still counts, and a record that it went on with the code of now. */
async function takenUp(
  resumed: SessionEvidence,
  sink: SessionSink,
  now: SessionHeader,
  io: Io,
): Promise<Omit<Destination, "evidence" | "folder">> {
  const { sessions, changed } = await currentEvidence([resumed], await loadOperations(), await loadEpochs());
  const earlier = sessions.flatMap(({ trials }) => trials);
  const { commit, dirty, toolVersion, startedAt } = now;
  await sink.event({ kind: "resumed", at: startedAt, commit, dirty, toolVersion });
  io.note(
    `Going on with session ${sink.session}: ${earlier.length} trials count` +
      (changed > 0 ? `; ${changed} variants are measured again, their kernels have changed since` : ""),
  );
  const firstSequence = 1 + Math.max(-1, ...resumed.trials.map(({ sequence }) => sequence));
  return { header: resumed.header, sink, earlier, firstSequence };
}
