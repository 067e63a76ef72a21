import type { ReplaySummary } from "@tunelab/contract";
import type { StrategyFactory } from "../strategies/strategy.ts";
import type { ReplayFile } from "./format.ts";
import { type Curves, fractionOfOptimum, scoreOf, type Yardstick, yardstick } from "./score.ts";
import { replaySpace } from "./space.ts";

export interface ReplayOptions {
  readonly runs: number;
  readonly evaluations: number;
  /** Run r is seeded with seed + r. */
  readonly seed: number;
  /** Told after each run. */
  readonly onRun?: () => void;
}

export interface ReplayResult extends ReplaySummary {
  /** Mean fraction of the optimum after 1, 2, 3 ... evaluations. */
  readonly fractions: readonly number[];
}

/** Evaluations after which reports quote the fraction of the optimum. */
const QUOTED = [1, 5, 10, 25, 50, 100, 200, 300, 500, 1_000, 2_000, 5_000, 10_000] as const;

/** The counts that a replay of so many evaluations is quoted at: round ones and the last. */
export const quotedCounts = (evaluations: number): readonly number[] => [
  ...new Set([...QUOTED.filter((count) => count < evaluations), evaluations]),
];

/** Replays a strategy on a measured space; a failed configuration costs an evaluation and finds nothing. */
export function replay(file: ReplayFile, strategy: StrategyFactory, options: ReplayOptions): ReplayResult {
  const times = file.entries.flatMap(({ ms }) => (ms === undefined ? [] : [ms]));
  const stick = yardstick(times);
  const curves = Array.from({ length: options.runs }, (_, run) => {
    const curve = runOnce(file, stick, strategy, options.seed + run, options.evaluations);
    options.onRun?.();
    return curve;
  });
  return summary(file, stick, curves, options.evaluations);
}

/** Best time after each evaluation of one run. */
function runOnce(
  file: ReplayFile,
  stick: Yardstick,
  make: StrategyFactory,
  seed: number,
  evaluations: number,
): readonly (number | undefined)[] {
  const space = replaySpace(file);
  const strategy = make(space.spaces, seed);
  const curve: (number | undefined)[] = [];
  let best: number | undefined;
  while (curve.length < evaluations) {
    // Nothing is faster than the optimum: the rest of the curve is known, whatever the strategy would still try.
    const candidate = best === stick.optimum ? undefined : strategy.propose();
    if (!candidate) {
      while (curve.length < evaluations) curve.push(best);
      break;
    }
    const { ms } = space.look(candidate);
    if (ms !== undefined && (best === undefined || ms < best)) best = ms;
    curve.push(best);
    strategy.observe(space.observation(candidate));
  }
  return curve;
}

function summary(file: ReplayFile, stick: Yardstick, curves: Curves, evaluations: number): ReplayResult {
  const score = scoreOf(stick, curves);
  return {
    kernel: file.kernel,
    device: file.device,
    configurations: file.entries.length,
    valid: stick.descending.length,
    optimumMs: stick.optimum,
    medianMs: stick.median,
    budget: stick.budget,
    ...(score === undefined ? {} : { score }),
    fractions: Array.from({ length: evaluations }, (_, index) => fractionOfOptimum(stick, curves, index + 1)),
  };
}
