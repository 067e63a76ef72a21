import { bestNs, type Trial } from "@tunelab/contract";
import type { Contender } from "./race.ts";
import type { FailedVariant } from "./types.ts";

/** A variant that was screened, and what became of it since. */
export interface Screened extends Contender {
  readonly trial: Trial;
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
