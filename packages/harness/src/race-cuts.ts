import { median, medianAbsoluteDeviation } from "simple-statistics";
import { RACE } from "./protocol.ts";
import { hodgesLehmann } from "./signed-rank.ts";

/** Log times of one entry, one a round; all entries of a field have the same rounds. */
export type LogTimes = readonly number[];

/**
 * Hodges-Lehmann estimate of each entry's log times less the median of the field in each round: lower is faster. What
 * rounds have in common (drift, clock states) is gone, and outliers, which are 2% of samples and more, do not count.
 */
export function scores(field: readonly LogTimes[]): readonly number[] {
  const rounds = field[0]?.length ?? 0;
  const centres = Array.from({ length: rounds }, (_, round) => median(field.map((times) => times[round]!)));
  return field.map((times) => hodgesLehmann(times.map((time, round) => time - centres[round]!)));
}

/** Standard deviation / median absolute deviation, and standard error of a median / of a mean, of Gaussian noise. */
const DEVIATION = 1.4826;
const MEDIAN_ERROR = 1.2533;

const differences = (entry: LogTimes, leader: LogTimes): number[] =>
  entry.map((time, round) => time - leader[round]!);

const deviation = (values: readonly number[]): number => DEVIATION * medianAbsoluteDeviation([...values]);

/** An entry that is behind: in log time by at least `least`, as far as its error tells, and why in one line. */
export interface Behind {
  readonly least: number;
  readonly reason: string;
}

/**
 * Which of the others are behind the leader beyond doubt; undefined for those that may be as fast. Judged is the median of
 * its differences to the leader within the rounds. After 3 rounds over 1.15x is too far; after 6 so is more than 0.3% and
 * 2.5 standard errors. The error comes from median absolute deviations, the larger of the entry's own and the
 * field's: with six values one outlier would double a standard deviation (which kept 5 of 64 to the end under
 * heavy tails), and an entry's own six may agree by chance.
 */
export function behind(others: readonly LogTimes[], leader: LogTimes): readonly (Behind | undefined)[] {
  const rounds = leader.length;
  if (rounds < RACE.farRound) return others.map(() => undefined);
  const gaps = others.map((entry) => differences(entry, leader));
  const middles = gaps.map((gap) => median(gap));
  const centred = gaps.flatMap((gap, index) => gap.map((value) => value - middles[index]!));
  const shared = centred.length > 0 ? deviation(centred) * Math.sqrt(rounds / (rounds - 1)) : 0;
  const margin = Math.log1p(RACE.margin);
  return middles.map((middle, index) => {
    if (middle > Math.log(RACE.farFactor)) {
      return { least: middle, reason: `over ${RACE.farFactor}x the leader's time after ${rounds} rounds` };
    }
    const error = (MEDIAN_ERROR * Math.max(shared, deviation(gaps[index]!))) / Math.sqrt(rounds);
    const least = middle - RACE.errors * error;
    return rounds >= RACE.nearRound && least > margin
      ? { least, reason: `${percent(middle)} slower than the leader after ${rounds} rounds` }
      : undefined;
  });
}

const percent = (log: number): string => `${(100 * Math.expm1(log)).toFixed(2)}%`;
