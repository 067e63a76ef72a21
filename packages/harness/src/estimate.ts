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

/**
 * Median over rounds of x_i / mean(a_i, a_(i+1)): the figure that survives from session to session. `anchorNs` holds one
 * sample more than `samplesNs`: the anchor runs before each and after the last. Both of one repeat, or both of any
 * fixed number of repeats.
 */
export function anchoredRatio(samplesNs: readonly number[], anchorNs: readonly number[]): number | undefined {
  if (samplesNs.length === 0 || anchorNs.length !== samplesNs.length + 1) return undefined;
  return median(samplesNs.map((sample, index) => (2 * sample) / (anchorNs[index]! + anchorNs[index + 1]!)));
}
