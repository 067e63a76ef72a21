import { mean, min, quantileSorted, sampleStandardDeviation } from "simple-statistics";
import { type Opponent, oneAfterTheOther } from "./opponent.ts";

/** Cold samples a side. */
const SAMPLES = 100;

/**
 * `nvbench-compare-legacy` (nvbench, scripts/nvbench_compare.py): means; changed unless |cmp - ref| / ref is within the smaller
 * of the two relative standard deviations.
 */
export const NVBENCH_LEGACY: Opponent = {
  name: "nvbench legacy",
  rule: `${SAMPLES} of A, ${SAMPLES} of B; changed unless the means differ by less than the smaller relative sd`,
  samples: 2 * SAMPLES,
  compare: (open) => {
    const { a, b } = oneAfterTheOther(open(), SAMPLES);
    const [meanA, meanB] = [mean([...a]), mean([...b])];
    const noise = Math.min(sampleStandardDeviation([...a]) / meanA, sampleStandardDeviation([...b]) / meanB);
    const same = Math.abs(meanB / meanA - 1) <= noise;
    return { verdict: same ? "same" : "changed", ratio: meanB / meanA, samples: 2 * SAMPLES };
  },
};

/** Default thresholds of nvbench-compare-robust. */
const ROBUST = { clearGap: 0.005, centers: 0.005, overlap: 0.5, dispersion: 0.02 } as const;

interface Summary {
  readonly low: number;
  readonly center: number;
  readonly high: number;
  readonly dispersion: number;
}

function summary(values: readonly number[]): Summary {
  const sorted = [...values].sort((x, y) => x - y);
  const [q1, center, high] = [0.25, 0.5, 0.75].map((p) => quantileSorted(sorted, p)) as [
    number,
    number,
    number,
  ];
  return { low: min(sorted), center, high, dispersion: (high - q1) / center };
}

/**
 * `nvbench-compare-robust` (nvbench, docs/nvbench_compare_robust.md): intervals [min, q3] around medians. Changed when they leave a gap
 * of at least 0.5%; same when IQR / median is at most 2% on both sides, the medians are within 0.5% and the
 * intervals share half of the narrower; else ambiguous. Its confirmation in clock cycles is left out, for WebGPU tells no
 * clock rate; it can only turn `changed` into `ambiguous`.
 */
export const NVBENCH_ROBUST: Opponent = {
  name: "nvbench robust",
  rule: `${SAMPLES} of A, ${SAMPLES} of B; changed when the intervals [min, q3] leave a gap of 0.5%`,
  samples: 2 * SAMPLES,
  compare: (open) => {
    const { a, b } = oneAfterTheOther(open(), SAMPLES);
    const [ref, cmp] = [summary(a), summary(b)];
    const gap = Math.max(ref.low / cmp.high - 1, cmp.low / ref.high - 1);
    const shared = Math.min(ref.high, cmp.high) - Math.max(ref.low, cmp.low);
    const narrower = Math.min(ref.high - ref.low, cmp.high - cmp.low);
    const same =
      Math.max(ref.dispersion, cmp.dispersion) <= ROBUST.dispersion &&
      Math.abs(ref.center - cmp.center) / Math.min(ref.center, cmp.center) <= ROBUST.centers &&
      shared >= ROBUST.overlap * narrower;
    const verdict = gap >= ROBUST.clearGap ? "changed" : same ? "same" : "unresolved";
    return { verdict, ratio: cmp.center / ref.center, samples: 2 * SAMPLES };
  },
};
