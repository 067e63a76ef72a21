import type { Trial } from "@tunelab/contract";
import type { Planned } from "./candidate.ts";
import { requestFor } from "./request.ts";
import type { SearchContext } from "./search-context.ts";

/** A finalist in a race; those that are kept run to the end, however slow. */
export interface Contender extends Planned {
  readonly isDefault: boolean;
  readonly keep: boolean;
  /** What screening it cost in ms. */
  readonly costMs: number;
}

/** What a race left: a trial for each that ran, and who leads, by plan hash. */
export interface Raced {
  readonly trials: ReadonlyMap<string, Trial>;
  /** The winner, then those not shown to be slower; empty when the race could not be run. */
  readonly leaders: readonly string[];
}

/** Variants that race at most beside those that are kept: the best of the screening by minima of 3, whose regret is over 1%. */
const FIELD = 12;

/**
 * A race's cost beside screening each of its field once: three inputs verified instead of one, and 6 to 24 rounds of one sample
 * instead of 3.
 */
const RACED_OVER_SCREENED = 3;

/** Part of the time left that a race may take; certifying what it finds needs the rest. */
const RACE_SHARE = 0.5;

/** The same with what it is in the middle of when its time is over: the last verification, the last samples. */
const RACE_MOST = 0.75;

/** Those of the finalists (fastest first) that a race has time for within `leftMs`; none when it could not be of two. */
export function fieldWithin(finalists: readonly Contender[], leftMs: number): readonly Contender[] {
  const field: Contender[] = [];
  let spentMs = 0;
  const kept = finalists.filter(({ keep }) => keep);
  for (const one of [...kept, ...finalists.filter(({ keep }) => !keep).slice(0, FIELD)]) {
    spentMs += one.costMs * RACED_OVER_SCREENED;
    if (spentMs > leftMs * RACE_SHARE) break;
    field.push(one);
  }
  return field.length < 2 ? [] : field;
}

/** Races the field and records what came of it: a trial for everyone that ran, and the pairs as an event. */
export async function raceFinalists(
  context: SearchContext,
  field: readonly Contender[],
  leftMs: number,
): Promise<Raced> {
  const { recorder, suite, problem, progress, clock } = context;
  progress({ kind: "racing", variants: field.length, limitMs: leftMs * RACE_SHARE });
  const entries = field.map((one) => ({
    request: requestFor(context, one, "raced", one.isDefault),
    keep: one.keep,
  }));
  const raced = await recorder.race({ entries, limitMs: leftMs * RACE_SHARE }, leftMs * RACE_MOST);
  const trials = new Map<string, Trial>();
  if (!("report" in raced)) {
    const guilty = raced.guilty && field[raced.guilty.index];
    if (raced.guilty && guilty) {
      const known = { epoch: suite.epoch, work: suite.work(problem) };
      const outcome = { ...raced.guilty.outcome, ...known };
      trials.set(guilty.hash, await recorder.record(outcome, guilty));
    }
    progress({ kind: "skipped", reason: `the race came to nothing: ${raced.reason}` });
    return { trials, leaders: [] };
  }
  const { outcomes, leaders, duels, rounds, reason } = raced.report;
  for (const [index, outcome] of outcomes.entries()) {
    const one = field[index]!;
    if (outcome) trials.set(one.hash, await recorder.record(outcome, one));
  }
  await recorder.event({
    kind: "race",
    at: clock.timestamp(),
    operation: suite.operation.name,
    problem,
    entries: field.length,
    rounds,
    leaders,
    duels,
    ...(reason === undefined ? {} : { reason }),
  });
  return { trials, leaders };
}
