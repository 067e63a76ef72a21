import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { SessionEvidence } from "@tunelab/contract";
import { loadEvidence } from "@tunelab/store";
import { randomFrom } from "@tunelab/variants";

/** What became of sessions that were killed at random moments. */
export interface Kills {
  readonly kills: number;
  /** Trials that were acknowledged as durable, over all kills. */
  readonly committed: number;
  /** Of those, trials that were not there afterwards. */
  readonly lost: number;
  /** Trials whose plan and grade had been committed before a kill and were measured again after it. */
  readonly twice: number;
  /** Session files that could not be read after a kill. */
  readonly unreadable: number;
  /** Sessions that ran to their end, so that another was begun. */
  readonly finished: number;
}

/** A killed session's trials at most before another one is begun. */
const TRIALS = 40;

/** Latest moment of a kill in ms: one in four within so long of the start (opening, resuming), the others of the first measurement. */
const LATEST_MS = 12_000;

/** What the child writes when it begins to measure. */
const READY = "ready";

/**
 * Starts a session in `folder`, kills it with SIGKILL after a random time, looks what is there, and goes on with it, `kills`
 * times. Deterministic but for the machine's speed.
 */
export async function killSessions(
  folder: string,
  kills: number,
  seed: number,
  tell: (line: string) => void = () => {},
): Promise<Kills> {
  const random = randomFrom(seed);
  const told = new Set<string>();
  const doubled = new Set<string>();
  const missing = new Set<string>();
  let unreadable = 0;
  let finished = 0;
  for (let count = 1; count <= kills; count++) {
    const { lines, killed } = await run(folder, random.float() * LATEST_MS, count % 4 === 0);
    for (const line of lines) told.add(line);
    const { sessions, faults } = await loadEvidence(folder);
    unreadable += faults.length;
    const stored = new Set(sessions.flatMap(idsOf));
    for (const line of told) if (!stored.has(JSON.parse(line)[0])) missing.add(line);
    for (const session of sessions) for (const id of repeatsOf(session)) doubled.add(id);
    if (!killed) finished++;
    tell(
      `${count}: ${told.size} committed, ${missing.size} lost, ${doubled.size} twice${killed ? "" : ", finished"}`,
    );
  }
  const committed = told.size;
  return { kills, committed, lost: missing.size, twice: doubled.size, unreadable, finished };
}

const idsOf = ({ trials }: SessionEvidence): readonly string[] => trials.map(({ id }) => id);

/** Trials of a session whose plan was measured before at the same grade. */
function repeatsOf({ trials }: SessionEvidence): readonly string[] {
  const seen = new Set<string>();
  return trials.flatMap(({ id, planHash, grade }) => {
    const key = `${planHash} ${grade}`;
    const again = seen.has(key);
    seen.add(key);
    return again ? [id] : [];
  });
}

/** One run of the child, killed `ms` after its start or its first measurement unless it ends by itself; the lines that it wrote whole. */
async function run(
  folder: string,
  ms: number,
  fromStart: boolean,
): Promise<{ lines: readonly string[]; killed: boolean }> {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const child = fileURLToPath(new URL("./session-child.ts", import.meta.url));
  const session = spawn(
    process.execPath,
    ["--conditions=@tunelab/source", "--import", tsx, child, folder, String(TRIALS)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = (): void => {
    timer ??= setTimeout(() => session.kill("SIGKILL"), ms);
  };
  if (fromStart) arm();
  session.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    if (text.startsWith(READY)) arm();
  });
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
    session.once("close", (_code, by) => resolve(by));
  });
  clearTimeout(timer);
  return {
    lines: text
      .split("\n")
      .slice(0, -1)
      .filter((line) => line !== READY),
    killed: signal === "SIGKILL",
  };
}
