import { bestNs, type Trial } from "@tunelab/contract";
import type { Objective } from "./objective.ts";
import type { Contender } from "./race.ts";
import type { FailedVariant } from "./types.ts";

/** Screened variants that are certified beside the defaults. */
export const FINALISTS = 6;

/** A variant that was screened, and what became of it since. */
export interface Screened extends Contender {
  readonly trial: Trial;
  /** What a compiler elsewhere took for it, in ms. */
  readonly elsewhereMs?: number;
  raced?: Trial;
  /** Place among the leaders of the race, the winner's 0. */
  place?: number;
  certified?: Trial;
}

/** The trial that says most of a variant. */
export function lastTrial({ trial, raced, certified }: Screened): Trial {
  return certified ?? raced ?? trial;
}

/** What there is to say of a trial without a time. */
export function failureOf(trial: Trial): readonly FailedVariant[] {
  if (bestNs(trial) !== undefined) return [];
  const { variant, status, reason } = trial;
  return [{ variant, status, ...(reason === undefined ? {} : { reason }) }];
}

/** Those that can be ranked: leaders of the race in their order, then by the screened trial's cost, then by name. */
export function bestFirst(all: readonly Screened[], { cost }: Objective): readonly Screened[] {
  const place = (one: Screened): number => one.place ?? Number.MAX_SAFE_INTEGER;
  return all
    .filter((one) => cost(lastTrial(one)) !== undefined && cost(one.trial) !== undefined)
    .sort(
      (a, b) => place(a) - place(b) || cost(a.trial)! - cost(b.trial)! || (a.variant < b.variant ? -1 : 1),
    );
}
