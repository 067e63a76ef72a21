import {
  bestNs,
  type SessionEvidence,
  type SessionHeader,
  type Suite,
  TIME_METRIC,
  type TuningTable,
} from "@tunelab/contract";
import { gridText, nothingStale, summaryTable, unprovenOf } from "@tunelab/report";
import { type TuneResult, UNPLANNED } from "@tunelab/tuner";
import { commandLine } from "./build.ts";
import { absentFrom, countsText, failureLines, type Limit, nothingVerified } from "./failures-text.ts";
import type { Io } from "./io.ts";
import { metricsGrid } from "./metrics-text.ts";
import { seconds } from "./progress.ts";

/** What a tuning session leaves for people and machines to read. */
export interface Finished {
  readonly header: SessionHeader;
  readonly suites: readonly Suite[];
  readonly result: TuneResult;
  /** Most trials, where they were limited. */
  readonly trials: number | undefined;
  readonly tables: readonly TuningTable[];
  /** What the tables were folded from. */
  readonly evidence: readonly SessionEvidence[];
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
  const told = [...tables, ...result.problems, ...result.unreached].map((one) => one.operation);
  for (const operation of new Set(told)) {
    const table = tables.find((one) => one.operation === operation);
    const absent = absentFrom(table, operation, result, limitOf(result, finished.trials));
    const unproven = table && unprovenOf(table, finished.evidence);
    const grid = summaryTable(table, nothingStale, absent, unproven);
    if (grid.rows.length === 0) continue;
    io.out(`\n${operation} on ${header.deviceSlug}, ${header.profile}\n\n${gridText(grid)}`);
  }
  for (const suite of finished.suites) {
    const grid = metricsGrid(suite, result.trials, header.command.objective ?? TIME_METRIC);
    if (grid) io.out(`\n${suite.operation.name}: figures of its own in this session\n\n${gridText(grid)}`);
  }
  if (header.command.objective)
    io.out(`Searched for ${header.command.objective}; tables rank by time all the same.`);
  io.out(`\n${trialsText(result)} ${spentText(result.spentMs)}.`);
  for (const line of failureLines(result, header.id)) io.out(line);
  const short = shortText(result, finished.trials);
  if (short) io.out(short);
  if (result.untrusted) io.out(untrustedText(result.untrusted));
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
  if (nothingVerified(result)) return `${commandLine(`results show ${header.id}`)} has every trial`;
  if (journal) return `pnpm lab results import ${journal}, in a checkout, takes the journal in`;
  if (result.untrusted) return "measure again when nothing else runs: this session cannot be published";
  const publish = commandLine(`results publish ${header.id}`);
  return `${publish} shares it; a longer --budget or --strategy exhaustive searches further`;
}

/** The line that stands where a table would be believed. */
export const untrustedText = (reason: string): string => `NOT TO BE TRUSTED: ${reason}.`;

/** "77 trials (28 failed: 26 inaccurate, 2 hung; 0 do not fit the device, 0 reused)." */
export function trialsText({ trials, problems, reused }: TuneResult): string {
  const failed = trials.filter((trial) => bestNs(trial) === undefined).map(({ status }) => status);
  const limits = problems.flatMap((problem) => Object.entries(problem.refused));
  const refused = (unplanned: boolean): number =>
    limits.reduce((sum, [limit, count]) => sum + ((limit === UNPLANNED) === unplanned ? count : 0), 0);
  const unplanned = refused(true) > 0 ? `${refused(true)} cannot be planned, ` : "";
  const failures = failed.length > 0 ? `${failed.length} failed: ${countsText(failed)}` : "none failed";
  return `${trials.length} trials (${failures}; ${unplanned}${refused(false)} do not fit the device, ${reused} reused).`;
}

/** What the account names mean to a person. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  host: "host starts and messages",
  waiting: "waiting for compilers",
};

/** "Time: 60s: measure 31.0s (52%), compile 20.1s (33%), ...": every account worth telling, the largest first. */
export function spentText(spentMs: TuneResult["spentMs"]): string {
  const total = Object.values(spentMs).reduce((sum, ms) => sum + ms, 0);
  const parts = Object.entries(spentMs)
    .filter(([, ms]) => ms >= WORTH_TELLING_MS)
    .sort(([, a], [, b]) => b - a)
    .map(([account, ms]) => {
      const share = Math.round((100 * ms) / total);
      return `${ACCOUNTS[account] ?? account} ${(ms / 1_000).toFixed(1)}s (${share}%)`;
    });
  return `Time: ${seconds(total)}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}

/** Time in ms that certifying takes at least beside a screened trial of the same variant: see the tuner's budget. */
const CERTIFYING_TIMES = 4;

/** Trials a problem that find something worth certifying: one certified variant takes two. */
const TRIALS_A_PROBLEM = 10;

/** What ended a session of at most so many trials. */
const limitOf = ({ trials }: TuneResult, most: number | undefined): Limit =>
  most !== undefined && trials.length >= most ? "--trials" : "--budget";

/**
 * One line when something was timed and nothing certified: what the limit was, and one that would do. `most` is the most trials,
 * where they were limited.
 */
export function shortText(result: TuneResult, most?: number): string | undefined {
  const { trials, reused, spentMs, stopped, problems, unreached } = result;
  if (stopped || reused > 0 || trials.some((trial) => trial.grade === "certified")) return undefined;
  if (!trials.some((trial) => bestNs(trial) !== undefined)) return undefined;
  if (limitOf(result, most) === "--trials")
    return (
      `--trials ${most} was too few to certify anything: a variant takes two, one to time it and one to certify it; ` +
      `give --trials ${TRIALS_A_PROBLEM * Math.max(1, problems.length + unreached.length)} or more.`
    );
  const calibrateMs = spentMs.calibrate ?? 0;
  const trialMs = (Object.values(spentMs).reduce((sum, ms) => sum + ms, 0) - calibrateMs) / trials.length;
  const enoughMs = calibrateMs + (1 + CERTIFYING_TIMES) * trialMs;
  return (
    `The budget was too small to certify anything: the probes took ${seconds(calibrateMs)}, a trial ${(trialMs / 1_000).toFixed(1)}s; ` +
    `give --budget ${Math.ceil((1.5 * enoughMs) / 5_000) * 5}s or more.`
  );
}
