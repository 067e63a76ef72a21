import {
  anchored,
  bestNs,
  type Ceilings,
  canonicalJson,
  GRADES,
  type Problem,
  problemKey,
  type SessionEvent,
  type SessionEvidence,
  type Trial,
} from "@tunelab/contract";
import { fractionsAt } from "./fractions.ts";
import { type Duels, pairKey, type Standing } from "./rank.ts";
import {
  coefficientOfVariation,
  compareText,
  ERROR_DIGITS,
  median,
  round,
  scatterOf,
  TIME_DIGITS,
} from "./rules.ts";

/** Evidence that no longer counts: one trial (by its id) or a whole session. It stays visible in the session itself. */
export interface Retraction {
  readonly session: string;
  readonly trial?: string;
  readonly reason: string;
}

/** What one session has to say about one plan on one problem. */
export interface Observation {
  readonly plan: string;
  /** One repeat in us at any grade: what the space's median is taken over. */
  readonly timeUs?: number;
  readonly isDefault: boolean;
  /** A verdict that failed: proof that the plan is wrong here, whatever other trials say. */
  readonly barred: boolean;
  /** Present when the plan may stand in a table. */
  readonly standing?: Standing;
}

/** Sessions without what was retracted, whether they measured it or took it over; the order is kept. */
export function withoutRetracted(
  sessions: readonly SessionEvidence[],
  retracted: readonly Retraction[],
): readonly SessionEvidence[] {
  const whole = new Set(retracted.filter(({ trial }) => trial === undefined).map(({ session }) => session));
  const single = new Set(retracted.map(({ trial }) => trial));
  return sessions
    .filter(({ header }) => !whole.has(header.id))
    .map((session) => {
      const copies = new Set(
        takenOverOf(session).flatMap((event) =>
          event.cells
            .filter(({ from }) => whole.has(event.session) || single.has(from))
            .map(({ sequence }) => sequence),
        ),
      );
      const stays = ({ id, sequence }: Trial): boolean => !single.has(id) && !copies.has(sequence);
      return { ...session, trials: session.trials.filter(stays) };
    });
}

/**
 * Who measured, as far as times depend on it. A new driver, implementation or device is another machine; so is another
 * CPU where the CPU is the GPU. Times of different machines are never ranked against each other.
 */
export function machineOf({ header }: Pick<SessionEvidence, "header">): string {
  const { identity } = header.device;
  const { cpu, cores } = header.host;
  return canonicalJson(identity.adapterType === "cpu" ? { identity, cpu, cores } : { identity });
}

/** The machine in words: `dawn 0.6.2, driver 580.95.05`, with the CPU where it computes. */
export function machineName({ header }: SessionEvidence): string {
  const { identity } = header.device;
  const cpu = identity.adapterType === "cpu" ? `, ${header.host.cpu}` : "";
  return `${identity.implementation} ${identity.implementationVersion}, driver ${identity.driver}${cpu}`;
}

type EventOf<K extends SessionEvent["kind"]> = Extract<SessionEvent, { readonly kind: K }>;

/** What a study's session took over from others. */
export function takenOverOf({ events }: Pick<SessionEvidence, "events">): readonly EventOf<"taken-over">[] {
  return events.filter((event): event is EventOf<"taken-over"> => event.kind === "taken-over");
}

/** The trials that a study's session took over, by their place in it: the id that each has where it was measured. */
export const originIds = (session: Pick<SessionEvidence, "events">): ReadonlyMap<number, string> =>
  new Map(
    takenOverOf(session).flatMap(({ cells }) => cells.map(({ sequence, from }) => [sequence, from] as const)),
  );

function newest<K extends SessionEvent["kind"]>(session: SessionEvidence, kind: K): EventOf<K> | undefined {
  return session.events
    .filter((event): event is EventOf<K> => event.kind === kind)
    .sort((a, b) => compareText(a.at, b.at) || compareText(canonicalJson(a), canonicalJson(b)))
    .at(-1);
}

/** What a session's races said of pairs of plans on one problem; a later race replaces an earlier one's word. */
export function duelsOf(session: SessionEvidence, operation: string, problem: Problem): Duels {
  const key = problemKey(problem);
  const races = session.events
    .filter((event): event is EventOf<"race"> => event.kind === "race" && event.operation === operation)
    .filter((race) => problemKey(race.problem) === key)
    .sort((a, b) => compareText(a.at, b.at) || compareText(canonicalJson(a), canonicalJson(b)));
  return new Map(
    races.flatMap(({ duels }) =>
      duels.map(({ champion, against, verdict, ratio }) => {
        const faster = ratio > 1 ? champion : against;
        return [pairKey(champion, against), verdict === "changed" ? faster : undefined] as const;
      }),
    ),
  );
}

/** The session's last measured ceilings; empty when none were. */
export function ceilingsOf(session: SessionEvidence): Ceilings {
  return newest(session, "ceilings")?.ceilings ?? {};
}

/** What the session's noise probe said of the certification gate; undefined where it did not run. */
export function gateReachableOf(session: SessionEvidence): boolean | undefined {
  return newest(session, "noise")?.noise.gateReachable;
}

/** Commit of the code that measured the session's last trials, `+dirty` when the tree differed from it. */
export function commitOf(session: SessionEvidence): string {
  const { commit, dirty } = newest(session, "resumed") ?? session.header;
  return dirty ? `${commit}+dirty` : commit;
}

function verified(trial: Trial, bound: number): boolean {
  const { verdict } = trial;
  return !!verdict && verdict.total > 0 && verdict.matched === verdict.total && verdict.maxError <= bound;
}

const certified = (trial: Trial): boolean => trial.status === "ok" && trial.grade === "certified";

/** Sorts the better evidence of one plan first: quiet before noisy, higher grade, then newest. */
function better(a: Trial, b: Trial): number {
  return (
    Number(b.status === "ok") - Number(a.status === "ok") ||
    GRADES.indexOf(b.grade) - GRADES.indexOf(a.grade) ||
    b.sequence - a.sequence
  );
}

function standingOf(trial: Trial, loose: boolean, ceilings: Ceilings): Standing | undefined {
  const { timing, verdict, resources } = trial;
  if (!timing || !verdict || !resources) return undefined;
  const times = timing.samplesNs.map((sample) => sample / timing.repeats / 1000);
  const minUs = round(Math.min(...times), TIME_DIGITS);
  const { ofFma, ofCopy, ofWorkgroup, cacheServed, underFilled } = fractionsAt(minUs * 1e3, trial, ceilings);
  const against = anchored(timing);
  const written = (name: string, share: number | undefined): object =>
    share === undefined ? {} : { [name]: round(share, TIME_DIGITS) };
  return {
    variant: trial.variant,
    algorithm: trial.algorithm,
    config: trial.config,
    planHash: trial.planHash,
    status: trial.status,
    grade: trial.grade,
    minUs,
    medianUs: round(median(times), TIME_DIGITS),
    cv: round(coefficientOfVariation(times), ERROR_DIGITS),
    samples: times.length,
    ...(against ? { anchored: { ...against, work: round(against.work, TIME_DIGITS) } } : {}),
    isDefault: trial.isDefault,
    ...written("fractionOfFma", ofFma),
    ...written("fractionOfCopy", ofCopy),
    ...written("fractionOfWorkgroup", ofWorkgroup),
    ...(cacheServed ? { cacheServed } : {}),
    ...(underFilled ? { underFilled } : {}),
    matched: verdict.matched,
    total: verdict.total,
    maxError: round(verdict.maxError, ERROR_DIGITS),
    workgroupBytes: resources.workgroupBytes,
    invocations: resources.invocations,
    trial: trial.id,
    loose,
    scatter: round(scatterOf(times), ERROR_DIGITS),
  };
}

/**
 * One session's observations on one problem, one a plan, whatever the order of its trials. Certified trials may stand;
 * trials that missed the gate only where it could not be met: the noise probe said so, or nothing met it.
 */
export function observe(
  session: SessionEvidence,
  trials: readonly Trial[],
  bound: number,
): readonly Observation[] {
  const ceilings = ceilingsOf(session);
  const gateReachable = gateReachableOf(session) ?? true;
  // Published all the same, such a session resolves nothing that a noisy one would not.
  const untrusted = newest(session, "untrusted") !== undefined;
  const loose = untrusted || !gateReachable || !trials.some(certified);
  const plans = new Map<string, Trial[]>();
  for (const trial of trials) {
    // A refused plan has no hash: its label tells it apart.
    const plan = trial.planHash || `refused ${trial.variant}`;
    plans.set(plan, [...(plans.get(plan) ?? []), trial]);
  }
  return [...plans]
    .sort(([a], [b]) => compareText(a, b))
    .map(([plan, measured]): Observation => {
      const good = measured.filter((trial) => verified(trial, bound)).sort(better);
      const barred = measured.some(
        (trial) =>
          trial.status === "wrong" ||
          trial.status === "inaccurate" ||
          (bestNs(trial) !== undefined && !verified(trial, bound)),
      );
      const timed = good.find((trial) => bestNs(trial) !== undefined);
      const eligible = good.find((trial) => certified(trial) || (loose && trial.status === "noisy"));
      const isDefault = measured.some((trial) => trial.isDefault);
      const standing = eligible && !barred ? standingOf(eligible, loose, ceilings) : undefined;
      return {
        plan,
        isDefault,
        barred,
        ...(timed && !barred ? { timeUs: round(bestNs(timed)! / 1000, TIME_DIGITS) } : {}),
        ...(standing ? { standing: { ...standing, isDefault } } : {}),
      };
    });
}

/** Trials by problem, problems in a stable order: names, then numbers by value and texts by code unit. */
export function byProblem(trials: readonly Trial[]): readonly (readonly Trial[])[] {
  const groups = new Map<string, Trial[]>();
  for (const trial of trials) {
    const key = problemKey(trial.problem);
    groups.set(key, [...(groups.get(key) ?? []), trial]);
  }
  return [...groups].sort(([a], [b]) => compareText(a, b)).map(([, group]) => group);
}
