import { coefficientOfVariation, interquartileRange, mean, median, min } from "simple-statistics";
import { MAXIMUM_ROUNDING } from "./protocol.ts";

/** What a list of samples says about one repeat; times in ns. */
export interface Estimate {
  readonly samples: number;
  readonly minNs: number;
  readonly medianNs: number;
  readonly meanNs: number;
  /** Sample standard deviation / mean, and interquartile range / median; 0 with fewer than two samples. */
  readonly cv: number;
  readonly iqrOverMedian: number;
  /** The figure that ranks: the minimum, or the mean where rounding alone exceeds 0.5%. Compared only at equal N. */
  readonly rankNs: number;
}

/** Summarises samples of `repeats` repeats each; undefined without a sample, never 0. */
export function estimate(
  samplesNs: readonly number[],
  repeats: number,
  rounding: number = 0,
): Estimate | undefined {
  if (samplesNs.length === 0) return undefined;
  const each = samplesNs.map((sample) => sample / repeats);
  const several = each.length > 1;
  const minNs = min(each);
  const medianNs = median(each);
  const meanNs = mean(each);
  return {
    samples: each.length,
    minNs,
    medianNs,
    meanNs,
    cv: several ? coefficientOfVariation(each) : 0,
    iqrOverMedian: several ? interquartileRange(each) / medianNs : 0,
    rankNs: rounding > MAXIMUM_ROUNDING ? meanNs : minNs,
  };
}
