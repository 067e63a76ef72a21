import {
  type DerivedColumn,
  type DerivedValue,
  type SessionEvidence,
  STUDY_SCHEMA,
  type StudyCell,
  type StudyPlan,
  type StudyResult,
  type Trial,
  tableFolder,
} from "@tunelab/contract";
import { commitOf, gateReachableOf, type Retraction, takenOverOf, withoutRetracted } from "./evidence.ts";
import { studyAuto, tripUsOf } from "./rule/study.ts";
import { compareText, ERROR_DIGITS, floorOf, median, round } from "./rules.ts";

/** Significant digits of a study's times: twice what a page prints, so that rounding twice moves no printed digit. */
const TIME_DIGITS = 6;

/** File of a published study below `tables/`: `nvidia-h200/tint-vulkan.portable/studies/eigh-threads.json`. */
export function studyPath(
  study: Pick<StudyResult, "device" | "profile" | "operation"> & { readonly id: string },
): string {
  return `${tableFolder(study.device.identity, study.profile)}/studies/${study.operation}-${study.id}.json`;
}

/** What the session measures where it measures a study. */
export function studyPlanOf(session: Pick<SessionEvidence, "events">): StudyPlan | undefined {
  return session.events.flatMap((event) => (event.kind === "study-table" ? [event.plan] : [])).at(-1);
}

/** Sessions that tune: a study forces what it measures, so none of its trials may stand in a tuning table. */
export function withoutStudies(sessions: readonly SessionEvidence[]): readonly SessionEvidence[] {
  return sessions.filter((session) => !studyPlanOf(session));
}

/**
 * Studies from published sessions, oldest first: the newest session of each study, device, compiler, backend and profile speaks
 * for it alone. In the order of their paths; pure.
 */
export function foldStudies(
  sessions: readonly SessionEvidence[],
  retracted: readonly Retraction[] = [],
): readonly StudyResult[] {
  const newest = new Map<string, StudyResult>();
  for (const session of withoutRetracted(sessions, retracted)) {
    const plan = studyPlanOf(session);
    if (!plan) continue;
    const result = studyResult(session, plan);
    newest.set(studyPath(result), result);
  }
  return [...newest].sort(([a], [b]) => compareText(a, b)).map(([, result]) => result);
}

/** One session's study: every cell from the trial that has its sequence. */
export function studyResult(session: SessionEvidence, plan: StudyPlan): StudyResult {
  const { header, trials } = session;
  const bySequence = new Map(trials.map((trial) => [trial.sequence, trial]));
  const names = plan.columns.map(({ name }) => name);
  const { id, operation, title, doc, statistic, budgetMs, dimensions, columns, derived, shows } = plan;
  const floor = floorOf({
    software: header.device.identity.adapterType === "cpu",
    gateReachable: gateReachableOf(session),
  });
  const trip = session.events.flatMap((event) => (event.kind === "trip" ? [event.trip] : [])).at(-1);
  const rows = plan.rows.map(({ problem, bytes, cells: planned }, row) => {
    const cells = planned.map((variant, column): StudyCell => {
      if (variant === null) return { status: "absent" };
      return cellOf(bySequence.get(row * names.length + column), plan);
    });
    const timed = new Map<string, Timed>(names.map((name, column) => [name, cells[column]!]));
    const tripUs = trip && tripUsOf(trip, bytes);
    const values = derived.map((one): DerivedValue => {
      if (one.kind !== "call") return derivedOf(one, timed, floor);
      const { fastest } = derivedOf({ ...one, kind: "faster" }, timed);
      if (fastest === undefined || tripUs === undefined) return {};
      const { us, leastUs, mostUs } = timed.get(fastest)!;
      const whole = (kernel: number): number => round(kernel + tripUs, TIME_DIGITS);
      timed.set(one.name, { us: whole(us!), leastUs: whole(leastUs!), mostUs: whole(mostUs!) });
      return { fastest, us: whole(us!) };
    });
    return { problem, cells, derived: values };
  });
  const auto = studyAuto(
    plan,
    rows.map(({ cells }) => cells),
    trip,
  );
  const takenOver = takenOverOf(session).map(({ session: origin, commit, cells }) => ({
    session: origin,
    commit,
    rows: [...new Set(cells.map(({ sequence }) => Math.floor(sequence / names.length)))].sort(
      (a, b) => a - b,
    ),
  }));
  return {
    schema: STUDY_SCHEMA,
    id,
    operation,
    title,
    doc,
    epoch: Math.max(0, ...trials.map(({ epoch }) => epoch)),
    protocol: header.protocol,
    device: header.device,
    deviceSlug: header.deviceSlug,
    profile: header.profile,
    session: header.id,
    commit: commitOf(session),
    ...(takenOver.length > 0 ? { takenOver } : {}),
    statistic,
    budgetMs,
    floor,
    dimensions,
    columns,
    derived,
    ...(shows === undefined ? {} : { shows }),
    rows,
    ...(trip ? { trip } : {}),
    ...(auto ? { auto } : {}),
  };
}

/** A time only where every answer was right: a wrong variant is fast for nothing. */
function cellOf(trial: Trial | undefined, { statistic, shows }: StudyPlan): StudyCell {
  if (!trial) return { status: "unmeasured", reason: "the session ended before it" };
  const { status, reason, timing, verdict, variant, planHash, probes } = trial;
  const about = {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(variant ? { variant } : {}),
    ...(planHash ? { planHash } : {}),
  };
  const right = verdict && verdict.total > 0 && verdict.matched === verdict.total;
  if ((status !== "ok" && status !== "noisy") || !right || !timing?.samplesNs.length) return about;
  const times = timing.samplesNs.map((ns) => ns / timing.repeats / 1000).sort((a, b) => a - b);
  const us = (value: number): number => round(value, TIME_DIGITS);
  const shown = shows === undefined ? undefined : probes?.[shows];
  return {
    ...about,
    us: us(statistic === "median" ? median(times) : times[0]!),
    leastUs: us(times[0]!),
    mostUs: us(times.at(-1)!),
    samples: times.length,
    ...(shown === undefined ? {} : { shown }),
    matched: verdict.matched,
    total: verdict.total,
    maxError: round(verdict.maxError, ERROR_DIGITS),
  };
}

/** A time in microseconds, and the least and largest of its samples where they are known. */
type Timed = Pick<StudyCell, "us" | "leastUs" | "mostUs">;

/**
 * A derived column's value from a row's times by column (of whole calls the session's fold alone knows); empty where what it needs has no time. Two times are tied where the slower
 * one's least sample is no more than the faster one's largest, or where they are within `floor` of each other. The range of eight
 * samples holds the median in 99 of 100 cases.
 */
export function derivedOf(
  column: DerivedColumn,
  cells: ReadonlyMap<string, Timed>,
  floor: number = 0,
): DerivedValue {
  const timed = (names: readonly string[]): (readonly [string, Timed & { readonly us: number }])[] =>
    names
      .flatMap((name) => {
        const cell = cells.get(name);
        const us = cell?.us;
        return cell === undefined || us === undefined || !(us > 0) ? [] : [[name, { ...cell, us }] as const];
      })
      // A stable sort: of equal times the column named first.
      .sort(([, a], [, b]) => a.us - b.us);
  const told = (
    over: Timed & { readonly us: number },
    under: Timed & { readonly us: number },
  ): DerivedValue => {
    const [slow, fast] = over.us < under.us ? [under, over] : [over, under];
    const overlap = (slow.leastUs ?? slow.us) <= (fast.mostUs ?? fast.us);
    const tied = overlap || slow.us / fast.us < 1 + floor;
    return { ratio: round(over.us / under.us, TIME_DIGITS), ...(tied ? { tied } : {}) };
  };
  if (column.kind === "faster") {
    const [first, second] = timed(column.of);
    if (!first) return {};
    return { fastest: first[0], ...(second ? told(second[1], first[1]) : {}) };
  }
  if (column.kind === "call") return {};
  const [of] = timed([column.of]);
  const [over] = timed(column.over);
  return of && over ? told(of[1], over[1]) : {};
}
