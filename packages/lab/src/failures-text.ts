import { Fault, type Problem, problemKey, type TuningTable } from "@tunelab/contract";
import type { Absent } from "@tunelab/report";
import {
  type CutVariant,
  type FailedVariant,
  type ProblemResult,
  type TuneResult,
  UNPLANNED,
} from "@tunelab/tuner";
import { commandLine } from "./build.ts";

/** Failed variants that are named one by one; the session file has them all. */
const NAMED = 5;

/** "2 inaccurate, 1 hung": the most frequent first. */
export function countsText(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([word, count]) => `${count} ${word}`).join(", ");
}

/** "fused/radix=16: inaccurate, relative error 2.1e-5 is over the bound 1e-6". */
export const failureText = ({ variant, status, reason }: FailedVariant): string =>
  `${variant}: ${status}${reason === undefined ? "" : `, ${reason}`}`;

/** A line for each variant that failed, as many as people read, and how many more there are. */
export function failureLines({ problems }: Pick<TuneResult, "problems">, session: string): readonly string[] {
  const all = problems.flatMap(({ failures, cut }) => [...failures.map(failureText), ...cut.map(cutText)]);
  const lines = all.slice(0, NAMED).map((text) => `  ${text}`);
  const more = all.length - lines.length;
  return more > 0
    ? [...lines, `  and ${more} more: \`${commandLine(`results show ${session}`)}\` has them all`]
    : lines;
}

/** "fused/radix=16: no answer in phase verify within the 26 s that were left; give a longer --budget or a smaller problem". */
const cutText = ({ variant, reason }: CutVariant): string =>
  `${variant}: ${reason}; give a longer --budget or a smaller problem`;

/** What ended a session that has more to do: the time, or the number of trials where that was the limit. */
export type Limit = "--budget" | "--trials";

const ENDED: Readonly<Record<Limit, string>> = {
  "--budget": "the budget ended before any could be certified; give a longer --budget",
  "--trials": "--trials ended before any could be certified; give more",
};

/**
 * "no verified variant: 2 refused (2 maxComputeWorkgroupStorageSize), 1 cannot be planned, 1 inaccurate"; "no certified variant: 4
 * timed once, but the budget ended before any could be certified; give a longer --budget".
 */
export function absenceText(
  { screened, failures, cut, refused }: ProblemResult,
  limit: Limit = "--budget",
): string {
  const timed = screened - failures.length;
  const { [UNPLANNED]: unplanned = 0, ...others } = refused;
  const limits = Object.entries(others).sort(([, a], [, b]) => b - a);
  const count = limits.reduce((sum, [, times]) => sum + times, 0);
  const names = limits.map(([name, times]) => `${times} ${name}`).join(", ");
  const parts = [
    ...(count > 0 ? [`${count} refused (${names})`] : []),
    ...(unplanned > 0 ? [`${unplanned} cannot be planned`] : []),
    ...(failures.length > 0 ? [countsText(failures.map(({ status }) => status))] : []),
    ...(cut.length > 0 ? [`${cut.length} given up for time`] : []),
  ].join(", ");
  if (timed === 0) return `no verified variant: ${parts || "none was tried"}`;
  return `no certified variant: ${timed} timed once, but ${ENDED[limit]}${parts && ` (${parts})`}`;
}

const UNREACHED: Readonly<Record<Limit, string>> = {
  "--budget": "not reached: no time was left",
  "--trials": "not reached: no trial was left",
};

/** Problems of one operation that the session took up, or had no time for, and the table has no entry of. */
export function absentFrom(
  table: TuningTable | undefined,
  operation: string,
  { problems, unreached }: Pick<TuneResult, "problems" | "unreached">,
  limit: Limit = "--budget",
): readonly Absent[] {
  const known = new Set(table?.entries.map(({ problem }) => problemKey(problem)));
  const missing = (one: { readonly operation: string; readonly problem: Problem }): boolean =>
    one.operation === operation && !known.has(problemKey(one.problem));
  return [
    ...problems.filter(missing).map((one) => ({ problem: one.problem, why: absenceText(one, limit) })),
    ...unreached.filter(missing).map(({ problem }) => ({ problem, why: UNREACHED[limit] })),
  ];
}

/** The fault of a session that ended by itself and verified nothing at all; undefined when something gave a time. */
export function nothingVerified({
  problems,
  stopped,
}: Pick<TuneResult, "problems" | "stopped">): Fault | undefined {
  const timed = problems.some(({ screened, failures }) => screened > failures.length);
  if (stopped || timed || problems.length === 0) return undefined;
  const [first, ...others] = [
    ...problems.flatMap(({ failures }) => failures.map(failureText)),
    ...problems.flatMap(({ cut }) => cut.map(cutText)),
  ];
  const more = others.length > 0 ? ` (and ${others.length} more failed)` : "";
  const why = first ? `${first}${more}` : absenceText(problems[0]!);
  return new Fault("unsupported", `nothing was verified: ${why}`);
}
