import { resolve } from "node:path";
import { Fault, type SessionEvidence, type SessionHeader, type StudyPlan } from "@tunelab/contract";
import type { TakenOver } from "@tunelab/experiment";
import { studyPlanOf, withoutRetracted } from "@tunelab/selection";
import { readJournal } from "@tunelab/store/journal";
import { changedConditions } from "@tunelab/tuner";
import type { DeviceFlags } from "./bench.ts";
import { commandLine, packed } from "./build.ts";
import type { Io } from "./io.ts";
import { keptSession } from "./kept-session.ts";
import { tablesDir } from "./places.ts";
import { type ListedStudy, studyName } from "./study-tables.ts";

/** Options that say from what a study goes on, and where its records go. */
export interface StudyResumeFlags {
  readonly resume?: string;
  readonly journal?: string;
  readonly out?: string;
  /** False: it is kept without being published. */
  readonly publish?: boolean;
}

/** A session's id: a ULID, as no file is named. */
const SESSION_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * The session that `--resume` names, a session or a journal, without what was retracted of it; undefined without the option. Needs no device.
 * @throws Fault `usage` when there is none, it measures something else or says of itself that it is not to be trusted.
 */
export async function earlierStudy(
  listed: ListedStudy,
  flags: StudyResumeFlags,
  io: Io,
): Promise<SessionEvidence | undefined> {
  const { resume, journal } = flags;
  if (resume === undefined) return undefined;
  if (journal !== undefined && resolve(journal) === resolve(resume))
    throw new Fault(
      "usage",
      `--resume writes a new session that holds the rows of ${resume}: name another file with --journal`,
    );
  const found = SESSION_ID.test(resume) ? await sessionNamed(resume, flags, io) : await journalAt(resume, io);
  const { id } = found.header;
  const [standing] = withoutRetracted([found], await retractedHere());
  if (!standing) throw new Fault("usage", `session ${id} was retracted: measure anew without --resume`);
  const plan = studyPlanOf(standing);
  const name = plan && `${plan.operation}/${plan.id}`;
  if (name !== studyName(listed))
    throw new Fault("usage", `session ${id} measures ${name ?? "no study"}, not ${studyName(listed)}`);
  const untrusted = standing.events.find((event) => event.kind === "untrusted");
  if (untrusted)
    throw new Fault(
      "usage",
      `session ${id} is not to be trusted (${untrusted.reason}): measure anew without --resume`,
    );
  return standing;
}

async function sessionNamed(id: string, flags: StudyResumeFlags, io: Io): Promise<SessionEvidence> {
  if (!packed) return keptSession(id, flags.out, io);
  throw new Fault(
    "usage",
    `a packed laboratory goes on from a journal: in a checkout, \`pnpm lab results export ${id} --journal FILE\` writes that session as one`,
  );
}

async function journalAt(path: string, io: Io): Promise<SessionEvidence> {
  const { evidence, problems } = await readJournal(path);
  for (const { line, message } of problems) io.note(`Line ${line} of ${path} is lost: ${message}`);
  return evidence;
}

async function retractedHere(): Promise<Parameters<typeof withoutRetracted>[1]> {
  if (packed) return [];
  const { loadRetracted } = await import("@tunelab/store");
  return loadRetracted(tablesDir());
}

/**
 * Refuses a session of another device, driver, profile or toggles; where the study has columns of the CPU, of another CPU too.
 * @throws Fault `usage` that says in one line what is different.
 */
export function requireSameConditions(earlier: SessionHeader, now: SessionHeader, plan: StudyPlan): void {
  const changed = [...changedConditions(earlier, now)];
  const cpu = ({ host }: SessionHeader): string => `${host.cpu} x ${host.cores}, ${host.runtime}`;
  if (plan.rows.some(({ cells }) => cells.includes("host")) && cpu(earlier) !== cpu(now))
    changed.push(`CPU ${cpu(earlier)}, now ${cpu(now)}`);
  if (changed.length === 0) return;
  throw new Fault(
    "usage",
    `session ${earlier.id} was measured under other conditions (${changed.join("; ")}): nothing of it can be taken over; measure anew without --resume`,
  );
}

/** Cells that a line of progress names. */
const NAMED = 8;

const some = (all: readonly string[]): string =>
  `${all.slice(0, NAMED).join("; ")}${all.length > NAMED ? `; and ${all.length - NAMED} more` : ""}`;

/** What is taken over and what is measured again, in lines. */
export function takenText(
  session: string,
  { rows, changed, again }: TakenOver,
  plan: StudyPlan,
): readonly string[] {
  const total = plan.rows.length;
  return [
    `Going on from session ${session}: ${rows.size} of ${total} rows are taken over, ${total - rows.size} are measured`,
    ...(changed.length > 0
      ? [`Measured there and no longer what the code would measure (${changed.length}): ${some(changed)}`]
      : []),
    ...(again.length > 0 ? [`Not whole, so measured again (${again.length}): ${some(again)}`] : []),
  ];
}

/** An interrupted study in lines: where its cells lie, and the command that goes on from them. `journal`: its file, where there is no store. */
export function interruptedText(
  name: string,
  session: string,
  journal: string | undefined,
  { device, profile, out, publish }: DeviceFlags & StudyResumeFlags,
): readonly string[] {
  const again = [
    ...["tables", "--measure", "--only", name, "--device", device, "--profile", profile],
    ...(out === undefined ? [] : ["--out", quoted(out)]),
    ...(publish === false ? ["--no-publish"] : []),
    ...["--resume", quoted(journal ?? session)],
    ...(journal === undefined ? [] : ["--journal", "NEW.jsonl"]),
  ];
  return [
    ...(journal === undefined ? [] : [`Journal: ${journal}`]),
    `Session: ${session} (stopped: interrupted by the user)`,
    `Next:    ${commandLine(again.join(" "))} goes on with the rows that are not whole`,
  ];
}

const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
