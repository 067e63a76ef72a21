import { mean, quantileSorted, variance } from "simple-statistics";
import { type Opponent, oneAfterTheOther } from "./opponent.ts";
import type { Uniform } from "./variates.ts";

const SAMPLES = 100;
const SIGNIFICANCE = 0.05;
const NOISE_THRESHOLD = 0.01;
const CONFIDENCE = 0.95;

/** Resamples; criterion takes 100,000, which moves a p around 0.05 by a third of what 200 do at most. */
const RESAMPLES = 200;

const draw = (values: readonly number[], count: number, uniform: Uniform): number[] => {
  const drawn = new Array<number>(count);
  for (let k = 0; k < count; k += 1) drawn[k] = values[Math.floor(uniform() * values.length)]!;
  return drawn;
};

/** Welch's t of two samples. */
function welch(a: number[], b: number[]): number {
  return (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);
}

/**
 * criterion.rs (book, "Analysis Process", and its defaults): 100 samples of the old program, later 100 of the new. Welch's t against
 * its distribution over resamples of both pooled; when p < 0.05, the bootstrap interval (95%) of the relative change of the
 * mean must also lie wholly beyond the noise threshold of 1%. Samples here are of one length, where criterion's
 * grow linearly.
 */
export const CRITERION: Opponent = {
  name: "criterion",
  rule: `${SAMPLES} of A, ${SAMPLES} of B; bootstrapped t test at 0.05, and the interval of the change beyond 1%`,
  samples: 2 * SAMPLES,
  compare: (open, uniform) => {
    const { a, b } = oneAfterTheOther(open(), SAMPLES);
    const t = Math.abs(welch([...a], [...b]));
    const pooled = [...a, ...b];
    let extreme = 0;
    for (let k = 0; k < RESAMPLES; k += 1) {
      if (Math.abs(welch(draw(pooled, SAMPLES, uniform), draw(pooled, SAMPLES, uniform))) >= t) extreme += 1;
    }
    const ratio = mean([...b]) / mean([...a]);
    const said = { ratio, samples: 2 * SAMPLES };
    if (!(extreme / RESAMPLES < SIGNIFICANCE)) return { ...said, verdict: "unresolved" };
    const changes = Array.from(
      { length: RESAMPLES },
      () => mean(draw(b, SAMPLES, uniform)) / mean(draw(a, SAMPLES, uniform)),
    ).sort((x, y) => x - y);
    const [low, high] = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2].map((p) =>
      quantileSorted(changes, p),
    ) as [number, number];
    const beyond = low > 1 + NOISE_THRESHOLD || high < 1 - NOISE_THRESHOLD;
    return { ...said, low, high, verdict: beyond ? "changed" : "unresolved" };
  },
};
