import { problemKey, type SessionEvidence, type Trial, type TuningTable } from "@tunelab/contract";
import { apart } from "@tunelab/selection";
import { SCREENED_GATE } from "./choices.ts";
import { type Point, pointOf, sessionsOf } from "./points.ts";
import { bestRow, type Unproven } from "./summary.ts";

interface Open extends Point {
  readonly session: string;
  readonly noisy: boolean;
  /** Certification was tried. */
  readonly tried: boolean;
}

/**
 * For each entry of a table the least time of a variant that was timed and verified, is faster than the first place beyond the noise,
 * and was never certified: it was only screened, or scattered too much (2.22% where 2% is the gate kept 51.8 µs from the place of
 * 79.2); undefined where there is none. One that was certified, then or later, has its own row, and one that failed once is none. An entry of another machine than the newest session's has
 * nothing to be held against. `evidence` is without what was retracted.
 */
export function unprovenOf(table: TuningTable, evidence: readonly SessionEvidence[]): Unproven {
  // A shared CPU drifts by a third, however its samples agree.
  const software = table.device.identity.adapterType === "cpu";
  const open = openIn(
    sessionsOf(table, evidence)
      .flatMap(({ trials }) => trials)
      .filter(({ operation, epoch }) => operation === table.operation && epoch === table.epoch),
  );
  return (entry) => {
    const best = bestRow(entry);
    if (!best || entry.agedOn !== undefined) return undefined;
    const [session] = best.trial.split(".");
    const key = problemKey(entry.problem);
    const [fastest] = open.filter((one) => {
      if (one.key !== key || !one.spread) return false;
      // Between sessions the same kernel drifts: what two of them say is told apart as few samples are.
      if (one.session !== session && best.minUs / one.us <= 1 + SCREENED_GATE) return false;
      return apart(one.spread, best, table.noisy || software || one.noisy);
    });
    return fastest && { us: fastest.us, noisy: fastest.tried };
  };
}

/** What was timed and right, and of whose variant or plan no trial was certified, or failed: a plan's newest trial of the highest grade. The fastest first. */
function openIn(trials: readonly Trial[]): readonly Open[] {
  const names = ({ problem, variant, planHash }: Trial): readonly string[] =>
    [variant, planHash].map((name) => `${problemKey(problem)} ${name}`);
  const done = new Set(
    trials.filter((one) => (one.grade === "certified" && one.status === "ok") || !right(one)).flatMap(names),
  );
  const open = new Map<string, Open>();
  for (const trial of trials) {
    const point = names(trial).some((name) => done.has(name)) ? undefined : pointOf(trial);
    if (!point) continue;
    const { session, status, grade, planHash } = trial;
    const place = `${point.key} ${planHash}`;
    const tried = grade === "certified";
    if (tried || !open.get(place)?.tried)
      open.set(place, { ...point, session, noisy: status === "noisy", tried });
  }
  return [...open.values()].sort((a, b) => a.us - b.us);
}

const right = ({ status, verdict }: Trial): boolean =>
  (status === "ok" || status === "noisy") &&
  verdict !== undefined &&
  verdict.total > 0 &&
  verdict.matched === verdict.total;
