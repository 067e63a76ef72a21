/**
 * Sessions on machines without DuckDB: JSON lines, one record a line, each with a checksum, flushed to disk before the
 * sink resolves. This module imports no DuckDB, so that the packed lab can bundle it.
 */
import { type FileHandle, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import {
  asFault,
  Fault,
  type SessionEvent,
  type SessionEvidence,
  type SessionHeader,
  type SessionSink,
  type Trial,
} from "@tunelab/contract";
import { ensureDirectory, errorCode, exists, writeFault, writeWhole } from "./files.ts";
import {
  acceptSchema,
  admit,
  encodeJson,
  inOrder,
  normalise,
  parseEvent,
  parseHeader,
  parseTrial,
  RECORD_SCHEMA,
} from "./records.ts";

export { encodeComparison } from "./comparison-record.ts";
export { newSessionId } from "./records.ts";

/** A line of a journal that was left out, and why. */
export interface JournalProblem {
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

export interface Journal {
  readonly evidence: SessionEvidence;
  /** Lines that could not be used; all the others were. */
  readonly problems: readonly JournalProblem[];
}

type Kind = "header" | "trial" | "event";

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, "0");

function line(kind: Kind, record: unknown): string {
  const json = encodeJson(record);
  return `{"kind":"${kind}","schema":${RECORD_SCHEMA},"sum":"${checksum(json)}","record":${json}}\n`;
}

/** The parts of a line, its checksum tested. Throws `Fault` data saying what is wrong with it. */
function parseLine(text: string): { readonly kind: string; readonly record: unknown } {
  let parts: Partial<Record<string, unknown>>;
  try {
    parts = Object(JSON.parse(text));
  } catch {
    throw new Fault("data", "not JSON: cut short or overwritten");
  }
  // Whoever reads the line names the file.
  acceptSchema(parts.schema, "it");
  if (checksum(JSON.stringify(parts.record) ?? "") !== parts.sum)
    throw new Fault("data", "its checksum does not match: it was changed after it was written");
  return { kind: String(parts.kind), record: parts.record };
}

/**
 * Starts a journal at `path`, whose first line is the header. Throws `Fault` usage when the file exists, environment
 * when it cannot be written.
 */
export async function createJournal(path: string, header: SessionHeader): Promise<SessionSink> {
  const record = normalise(header, parseHeader);
  await ensureDirectory(dirname(path));
  let file: FileHandle;
  try {
    file = await open(path, "ax");
  } catch (error) {
    if (errorCode(error) === "EEXIST")
      throw new Fault("usage", `${path} exists already: name another journal, or continue it with --resume`);
    throw writeFault(error, dirname(path));
  }
  const sink = journalSink(path, file, record.id, new Set());
  await sink.write("header", record);
  return sink;
}

/** Continues the journal at `path`. Throws `Fault` as `readJournal` does. */
export async function openJournal(path: string): Promise<SessionSink> {
  const text = await contents(path);
  const { evidence } = parseJournal(text, path);
  const file = await open(path, "a").catch((error: unknown) => {
    throw writeFault(error, dirname(path));
  });
  // A kill can leave half a line: end it, so that it spoils no other.
  if (!text.endsWith("\n")) await file.appendFile("\n");
  return journalSink(path, file, evidence.header.id, new Set(evidence.trials.map(({ id }) => id)));
}

/** Writes a whole session as a journal. Throws `Fault` usage when the file exists, environment when it cannot be written. */
export async function writeJournal(path: string, evidence: SessionEvidence): Promise<void> {
  if (await exists(path)) throw new Fault("usage", `${path} exists already: name another file`);
  const { header, events, trials } = evidence;
  const lines = [
    line("header", normalise(header, parseHeader)),
    ...events.map((event) => line("event", normalise(event, parseEvent))),
    ...trials.map((trial) => line("trial", normalise(trial, parseTrial))),
  ];
  await writeWhole(path, lines.join(""));
}

interface JournalSink extends SessionSink {
  write(kind: Kind, record: unknown): Promise<void>;
}

function journalSink(path: string, file: FileHandle, session: string, known: Set<string>): JournalSink {
  let open = true;
  let last: Promise<void> = Promise.resolve();
  // After a failed append (disk full) half a line may stand there: the next starts on a line of its own.
  let torn = false;
  const append = async (text: string): Promise<void> => {
    try {
      await file.appendFile(torn ? `\n${text}` : text);
      await file.sync();
      torn = false;
    } catch (error) {
      torn = true;
      throw writeFault(error, dirname(path));
    }
  };
  // Lines follow one another: two appends at once could mix on a slow disk.
  const write = (kind: Kind, record: unknown): Promise<void> => {
    if (!open) return Promise.reject(new Fault("usage", `the journal ${path} is closed`));
    const text = line(kind, record);
    const written = last.then(() => append(text));
    last = written.catch(() => undefined);
    return written;
  };
  return {
    session,
    write,
    async trial(trial: Trial): Promise<void> {
      const record = normalise(trial, parseTrial);
      admit(record, session, known);
      await write("trial", record).catch((error: unknown) => {
        known.delete(record.id); // not durable: the caller may try again
        throw error;
      });
    },
    async event(event: SessionEvent): Promise<void> {
      await write("event", normalise(event, parseEvent));
    },
    async close(): Promise<void> {
      if (!open) return;
      open = false;
      await last;
      await file.close();
    },
  };
}

/**
 * Reads a journal; a line that is cut short, garbled or doubled loses only itself and is listed. Throws `Fault` data,
 * naming the file, when the header line is unusable or written by a newer tool; the file is left as it is.
 */
export async function readJournal(path: string): Promise<Journal> {
  return parseJournal(await contents(path), path);
}

async function contents(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new Fault("usage", `there is no journal at ${path}`);
    if (errorCode(error) === "EISDIR")
      throw new Fault("usage", `${path} is a folder: name the journal file (.jsonl) itself`);
    throw new Fault("environment", `${path} cannot be read: ${asFault(error, "environment").message}`);
  }
}

function parseJournal(text: string, path: string): Journal {
  const lines = text.split("\n");
  let header: SessionHeader;
  try {
    const first = parseLine(lines[0] ?? "");
    if (first.kind !== "header") throw new Fault("data", `the first line is ${first.kind}, not a header`);
    header = parseHeader(first.record);
  } catch (error) {
    const { message } = asFault(error, "data");
    throw new Fault("data", `${path}, line 1: ${message}; the file is kept`, { path });
  }
  const trials: Trial[] = [];
  const events: SessionEvent[] = [];
  const problems: JournalProblem[] = [];
  const known = new Set<string>();
  for (const [index, content] of lines.entries()) {
    if (index === 0 || content === "") continue;
    try {
      const { kind, record } = parseLine(content);
      if (kind === "event") events.push(parseEvent(record));
      else if (kind === "trial") {
        const trial = parseTrial(record);
        admit(trial, header.id, known);
        trials.push(trial);
      } else throw new Fault("data", `a record of unknown kind ${kind}`);
    } catch (error) {
      problems.push({ line: index + 1, message: asFault(error, "data").message });
    }
  }
  return { evidence: { header, events, trials: inOrder(trials) }, problems };
}
