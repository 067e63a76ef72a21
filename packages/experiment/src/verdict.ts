import { judgeQuads, QUADS } from "@tunelab/harness";
import { floorOf } from "@tunelab/selection";
import type { Claim, Experiment } from "./definition.ts";
import type { ArmResult, ExperimentRun } from "./result.ts";

/**
 * `kept`: the effect is there, beyond what the device can tell, and no less than half as large as predicted. `ruled out`: even
 * half of the predicted effect lies outside the interval (or, for a claim of equality, a difference beyond the band is
 * certain). `inside the noise`: neither. `not measured`: an arm gave no figure.
 */
export type Verdict = "kept" | "ruled out" | "inside the noise" | "not measured";

export interface Judged {
  readonly claim: Claim;
  readonly verdict: Verdict;
  /** Measured ratio with its interval; absent where nothing was measured. */
  readonly ratio?: number;
  readonly low?: number;
  readonly high?: number;
  /** Why nothing was measured. */
  readonly why?: string;
}

/** Share of the predicted effect (in log ratio) that must be there. */
const ENOUGH = 0.5;

/** Confidence of the intervals: 1 - alpha. */
export const ALPHA = 0.05;

/** Every claim's verdict in one run. */
export function judgeRun(experiment: Experiment, run: ExperimentRun): readonly Judged[] {
  return experiment.claims.map((claim) => judgeClaim(claim, run));
}

/** All kept: kept. One ruled out: ruled out. One not measured: not measured. Else inside the noise. */
export function overall(judged: readonly Judged[]): Verdict {
  const verdicts = judged.map(({ verdict }) => verdict);
  for (const verdict of ["ruled out", "not measured", "inside the noise"] as const) {
    if (verdicts.includes(verdict)) return verdict;
  }
  return "kept";
}

export function judgeClaim(claim: Claim, run: ExperimentRun): Judged {
  const [of, over] = [claim.of, claim.over].map((name) => run.arms.find((arm) => arm.name === name));
  if (!of || !over) return { claim, verdict: "not measured", why: "the run has no such arm" };
  if (claim.figure === "error") return judgeErrors(claim, of, over);
  const logs = of.timesUs.flatMap((us, round) => {
    const other = over.timesUs[round];
    return us && other ? [ratioOf(claim, { arm: of, us }, { arm: over, us: other })] : [];
  });
  const bare = claim.figure === "share" ? [of, over].find((arm) => !arm.ceilingFlopsPerSecond) : undefined;
  if (bare) return { claim, verdict: "not measured", why: `${bare.name} has no measured ceiling` };
  if (logs.length === 0) {
    const failed = of.timesUs.some((us) => us !== null) ? over : of;
    return {
      claim,
      verdict: "not measured",
      why: `${failed.name} is ${failed.status}: ${failed.reason ?? "no time"}`,
    };
  }
  const { ratio, low, high } = judgeQuads(logs, {
    alpha: ALPHA,
    looks: [logs.length],
    gate: QUADS.gate,
    equivalence: QUADS.equivalence,
  });
  const floor = Math.log1p(floorOf(run));
  const verdict = verdictOf(claim, Math.log(low) - floor, Math.log(high) + floor);
  return { claim, verdict, ratio, low, high };
}

interface Timed {
  readonly arm: ArmResult;
  readonly us: number;
}

/** Log of the ratio of two arms' figures in one round. */
function ratioOf({ figure }: Claim, of: Timed, over: Timed): number {
  const times = Math.log(of.us / over.us);
  if (figure === "time-per-item") return times - Math.log((of.arm.items || 1) / (over.arm.items || 1));
  return figure === "share" ? Math.log(workOf(of.arm) / workOf(over.arm)) - times : times;
}

/** Seconds that a run's FLOPs would take at the ceiling. */
const workOf = ({ flops, ceilingFlopsPerSecond }: ArmResult): number =>
  (flops ?? Number.NaN) / (ceilingFlopsPerSecond ?? Number.NaN);

/** Errors are the arithmetic's, the same in every run: no interval. An exact arm has no ratio to others. */
function judgeErrors(claim: Claim, of: ArmResult, over: ArmResult): Judged {
  if (of.error === undefined || over.error === undefined) {
    const failed = of.error === undefined ? of : over;
    return {
      claim,
      verdict: "not measured",
      why: `${failed.name} is ${failed.status}: ${failed.reason ?? "no error"}`,
    };
  }
  if (!(of.error > 0 && over.error > 0))
    return { claim, verdict: "not measured", why: "an arm is exact: errors of 0 have no ratio" };
  const ratio = of.error / over.error;
  return {
    claim,
    verdict: verdictOf(claim, Math.log(ratio), Math.log(ratio)),
    ratio,
    low: ratio,
    high: ratio,
  };
}

/** The verdict that an interval of log ratios allows. */
export function verdictOf({ predicted, within }: Claim, low: number, high: number): Verdict {
  if (within !== undefined) {
    const centre = Math.log(predicted);
    const band = Math.log1p(within);
    if (low >= centre - band && high <= centre + band) return "kept";
    return low > centre + band || high < centre - band ? "ruled out" : "inside the noise";
  }
  // Read so that the predicted effect is positive.
  const sign = predicted > 1 ? 1 : -1;
  const [least, most] = sign > 0 ? [low, high] : [-high, -low];
  if (most < ENOUGH * sign * Math.log(predicted)) return "ruled out";
  return least > 0 ? "kept" : "inside the noise";
}
