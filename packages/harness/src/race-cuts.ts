import { mean, median, sampleStandardDeviation } from "simple-statistics";
import { RACE } from "./protocol.ts";
import { hodgesLehmann } from "./signed-rank.ts";

/** Log times of one entry, one a round; all entries of a field have the same rounds. */
export type LogTimes = readonly number[];

/**
 * Log times less the median of the field in each round: what rounds have in common (drift, clock states) is gone. In
 * the order given.
 */
export function residuals(field: readonly LogTimes[]): readonly LogTimes[] {
  const rounds = field[0]?.length ?? 0;
  const centres = Array.from({ length: rounds }, (_, round) => median(field.map((times) => times[round]!)));
  return field.map((times) => times.map((time, round) => time - centres[round]!));
}

/** Hodges-Lehmann estimate of each entry's residuals: lower is faster. Outliers are 2% of samples and more, so no mean. */
export function scores(field: readonly LogTimes[]): readonly number[] {
  return residuals(field).map(hodgesLehmann);
}

/** Why an entry is behind the leader beyond doubt, one line; undefined while it may be as fast. */
export function behind(entry: LogTimes, leader: LogTimes): string | undefined {
  const differences = entry.map((time, round) => time - leader[round]!);
  const rounds = differences.length;
  if (rounds < RACE.farRound) return undefined;
  const middle = median(differences);
  if (middle > Math.log(RACE.farFactor)) {
    return `over ${RACE.farFactor}x the leader's time after ${rounds} rounds`;
  }
  if (rounds < RACE.nearRound) return undefined;
  const margin = Math.log1p(RACE.margin);
  const error = sampleStandardDeviation(differences) / Math.sqrt(rounds);
  if (mean(differences) > RACE.errors * error + margin && middle > margin) {
    return `${percent(middle)} slower than the leader after ${rounds} rounds`;
  }
  return undefined;
}

const percent = (log: number): string => `${(100 * Math.expm1(log)).toFixed(2)}%`;
