import {
  bestNs,
  GRADES,
  type Problem,
  type ProfileName,
  problemKey,
  type SessionEvidence,
  type Trial,
} from "@tunelab/contract";
import { compareText } from "./rules.ts";

/** A session's search of one problem, in figures. */
export interface SearchAccount {
  readonly session: string;
  readonly strategy: string;
  readonly seed: number;
  readonly trials: number;
  readonly plans: number;
  /** Of the session, all its problems: ms by account, over all its legs. */
  readonly spentMs: Readonly<Record<string, number>>;
}

/** How a search ended, beside an exhaustive pass over what it searched. */
export interface SearchVerdict {
  readonly operation: string;
  readonly problem: Problem;
  readonly deviceSlug: string;
  readonly device: string;
  readonly profile: ProfileName;
  readonly exhaustive: SearchAccount;
  readonly search: SearchAccount;
  /** First of the exhaustive pass: certified where it certified any. */
  readonly best: Trial;
  /** First of the search, by its own times. */
  readonly chosen: Trial;
  /** The chosen plan in the exhaustive pass, so that nothing but the choice is judged; undefined where it has no time there. */
  readonly there: Trial | undefined;
  /** Its place among the exhaustive pass's plans by time, from 1. */
  readonly place: number | undefined;
  /** `there` over `best`, less 1, not under 0. */
  readonly behind: number | undefined;
  /** Times of the exhaustive pass's plans in ns, fastest first. */
  readonly timesNs: readonly number[];
  /** Least time in the exhaustive pass, in ns, of the first 1, 2, 3, ... plans that the search tried. */
  readonly foundNs: readonly number[];
}

/** A session searched the same part when at most this share of the plans that it tried has no time in the exhaustive pass. */
const FOREIGN = 0.05;

/** The strategy that tries everything. */
export const EXHAUSTIVE = "exhaustive";

/** Every published search of what another session of the same device and profile measured exhaustively; in order of sessions. Pure. */
export function searchVerdicts(sessions: readonly SessionEvidence[]): readonly SearchVerdict[] {
  const isExhaustive = ({ header }: SessionEvidence): boolean => header.command.strategy === EXHAUSTIVE;
  return sessions
    .filter(isExhaustive)
    .flatMap((exhaustive) =>
      problemsOf(exhaustive).flatMap((problem) =>
        sessions
          .filter((other) => !isExhaustive(other))
          .flatMap((other) => {
            const found = verdictOf(exhaustive, other, problem);
            return typeof found === "string" ? [] : [found];
          }),
      ),
    )
    .sort(
      (a, b) =>
        compareText(a.deviceSlug, b.deviceSlug) ||
        Number(a.problem.n ?? 0) - Number(b.problem.n ?? 0) ||
        compareText(a.search.session, b.search.session),
    );
}

/** What a search was for. */
export interface Sought {
  readonly operation: string;
  readonly problem: Problem;
}

/** The problems of a session. */
export function problemsOf({ trials }: SessionEvidence): readonly Sought[] {
  return [...new Map(trials.map((trial) => [keyOf(trial), trial])).values()];
}

const keyOf = ({ operation, problem }: Sought): string => `${operation} ${problemKey(problem)}`;

/** How `other` ended on a problem beside `exhaustive`; or why there is no verdict, in one line: it searched something else, elsewhere, or found nothing. */
export function verdictOf(
  exhaustive: SessionEvidence,
  other: SessionEvidence,
  sought: Sought,
): SearchVerdict | string {
  const { deviceSlug, profile, device } = exhaustive.header;
  const place = placeOf(other);
  if (place !== placeOf(exhaustive)) return `it is of ${place}, not of ${placeOf(exhaustive)}`;
  const [all, tried] = [exhaustive, other].map((session) => trialsOf(session, sought)) as [Trial[], Trial[]];
  const ranked = rankedPlans(all);
  const own = rankedPlans(tried);
  const [best, chosen] = [firstOf(ranked), firstOf(own)];
  if (tried.length === 0) return `it tried nothing of ${keyOf(sought)}`;
  if (!best || !chosen) return `nothing that it tried of ${keyOf(sought)} has a time`;
  const timeOf = new Map(ranked.map((trial) => [trial.planHash, bestNs(trial)!]));
  const order = [...new Set(tried.map(({ planHash }) => planHash))];
  const foreign = order.filter((plan) => !timeOf.has(plan)).length;
  if (foreign > FOREIGN * order.length)
    return `${foreign} of the ${order.length} variants that it tried of ${keyOf(sought)} have no time there: another part of the space, or a pass that is not whole`;
  const index = ranked.findIndex(({ planHash }) => planHash === chosen.planHash);
  const there = ranked[index];
  let least = Number.POSITIVE_INFINITY;
  const foundNs = order.map((plan) => {
    least = Math.min(least, timeOf.get(plan) ?? least);
    return least;
  });
  return {
    ...{ operation: sought.operation, problem: sought.problem },
    ...{ deviceSlug, device: device.identity.description, profile },
    exhaustive: accountOf(exhaustive, all),
    search: accountOf(other, tried),
    ...{ best, chosen, there },
    place: there && index + 1,
    behind: there && Math.max(0, bestNs(there)! / bestNs(best)! - 1),
    timesNs: ranked.map((trial) => bestNs(trial)!),
    foundNs,
  };
}

const placeOf = ({ header }: SessionEvidence): string => `${header.deviceSlug}, profile ${header.profile}`;

const trialsOf = ({ trials }: SessionEvidence, sought: Sought): Trial[] =>
  trials.filter((trial) => keyOf(trial) === keyOf(sought)).sort((a, b) => a.sequence - b.sequence);

/** Plans with a time, fastest first; of each the last trial of the highest grade. */
function rankedPlans(trials: readonly Trial[]): readonly Trial[] {
  const plans = new Map<string, Trial>();
  for (const trial of trials) {
    if (bestNs(trial) === undefined) continue;
    const known = plans.get(trial.planHash);
    if (!known || GRADES.indexOf(trial.grade) >= GRADES.indexOf(known.grade))
      plans.set(trial.planHash, trial);
  }
  return [...plans.values()].sort((a, b) => bestNs(a)! - bestNs(b)!);
}

/** What a table would name: certified rows come first. */
const firstOf = (ranked: readonly Trial[]): Trial | undefined =>
  ranked.find(({ grade }) => grade === "certified") ?? ranked[0];

function accountOf({ header, events }: SessionEvidence, trials: readonly Trial[]): SearchAccount {
  const spentMs: Record<string, number> = {};
  for (const event of events)
    if (event.kind === "finished")
      for (const [account, ms] of Object.entries(event.spentMs))
        spentMs[account] = (spentMs[account] ?? 0) + ms;
  const { strategy, seed } = header.command;
  const plans = new Set(trials.map(({ planHash }) => planHash)).size;
  return { session: header.id, strategy, seed, trials: trials.length, plans, spentMs };
}
