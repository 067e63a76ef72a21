import { bestNs, type SessionHeader, type Trial, type TuningTable } from "@tunelab/contract";
import { gridText, summaryTable } from "@tunelab/report";
import type { TuneResult } from "@tunelab/tuner";
import { commandLine } from "./build.ts";
import type { Io } from "./io.ts";

/** What a tuning session leaves for people and machines to read. */
export interface Finished {
  readonly header: SessionHeader;
  readonly result: TuneResult;
  readonly tables: readonly TuningTable[];
  /** The tables' files. */
  readonly files: readonly string[];
  /** The journal's file, where there is no store. */
  readonly journal: string | undefined;
  readonly json: boolean;
}

/** Accounts of less time (ms) are left out of the line that says where it went. */
const WORTH_TELLING_MS = 50;

/** Prints the tables, what was measured, where the time went, the files and what to run next; or all of it as JSON. */
export function printResult(io: Io, finished: Finished): void {
  const { header, result, tables, files, journal } = finished;
  if (finished.json) {
    const { id: session, deviceSlug: device, profile } = header;
    const trials = result.trials.length;
    io.out(JSON.stringify({ session, device, profile, ...result, trials, tables, files, journal }, null, 2));
    return;
  }
  for (const table of tables) {
    const title = `${table.operation} on ${table.deviceSlug}, ${table.profile}`;
    io.out(`\n${title}\n\n${gridText(summaryTable(table))}`);
  }
  io.out(`\n${trialsText(result)} Time: ${spentText(result.spentMs)}.`);
  if (tables.length === 0)
    io.out("No variant was certified within the budget: give more time with --budget.");
  for (const file of files) io.out(`Table:   ${file}`);
  if (journal) io.out(`Journal: ${journal}`);
  io.out(`Session: ${header.id}${result.stopped ? ` (stopped: ${result.stopped.reason})` : ""}`);
  io.out(`Next:    ${nextStep(finished)}`);
}

function nextStep({ header, result, journal }: Finished): string {
  if (result.stopped) {
    const from = journal ? `--resume --journal ${journal}` : "--resume";
    return `${commandLine(`tune ${from}`)} goes on where this stopped`;
  }
  if (journal) return `pnpm lab results import ${journal}, in a checkout, takes the journal in`;
  const publish = commandLine(`results publish ${header.id}`);
  return `${publish} shares it; a longer --budget or --strategy exhaustive searches further`;
}

/** "77 trials (28 failed: 26 inaccurate, 2 hung; 0 do not fit the device, 0 reused)." */
export function trialsText({ trials, problems, reused }: TuneResult): string {
  const failed = countBy(trials.filter((trial) => bestNs(trial) === undefined));
  const number = [...failed.values()].reduce((sum, count) => sum + count, 0);
  const kinds = [...failed].map(([status, count]) => `${count} ${status}`).join(", ");
  const refused = problems
    .flatMap((problem) => Object.values(problem.refused))
    .reduce((sum, count) => sum + count, 0);
  const failures = number > 0 ? `${number} failed: ${kinds}` : "none failed";
  return `${trials.length} trials (${failures}; ${refused} do not fit the device, ${reused} reused).`;
}

/** Most frequent first. */
function countBy(trials: readonly Trial[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of trials) counts.set(status, (counts.get(status) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function spentText(spentMs: TuneResult["spentMs"]): string {
  return Object.entries(spentMs)
    .filter(([, ms]) => ms >= WORTH_TELLING_MS)
    .map(([account, ms]) => `${account} ${(ms / 1_000).toFixed(1)}s`)
    .join(", ");
}
