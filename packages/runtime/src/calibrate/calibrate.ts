import type { PortData, Problem } from "@tunelab/contract";
import type { BoundPorts } from "@tunelab/executor";
import { faultOn } from "@tunelab/executor/trip";
import type { Calibrated, Candidate } from "@tunelab/selection";
import { checkPositive } from "../checks.ts";
import type { Calibration, Workshop } from "../operation.ts";
import { laneOf, stopwatchFor } from "./lane.ts";
import { type Racer, race } from "./race.ts";

export interface CalibrationOptions {
  /** Time to spend, compiling included; exceeded by one compilation at most. */
  readonly maxMilliseconds: number;
  readonly signal?: AbortSignal;
  /** Called before each variant is compiled: how many are ready, of how many, and which is next. */
  readonly onProgress?: (ready: number, of: number, variant: string) => void;
}

/** What an operation's variants are raced on, and how their answers are checked. */
export interface Trial {
  /** Contents of the in and inout ports. */
  readonly inputs: BoundPorts;
  /** What is wrong with a variant's outputs, or undefined. A variant that is wrong never wins. */
  verify(outputs: PortData): string | undefined | Promise<string | undefined>;
}

export interface RaceRequest<P extends Problem> {
  readonly shop: Workshop;
  readonly problem: P;
  readonly readable: readonly string[];
  readonly trial: Trial;
}

/** Variants from the tables that join the portfolio in a race. */
const FROM_TABLES = 4;

/** A pause by a timer: what every runtime has. */
const time = {
  now: (): number => performance.now(),
  sleep: (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/**
 * Races the selection's first candidates and the portfolio on the device; the selection's first is the incumbent. `keep` is told of the
 * winner, and whether it was stored.
 */
export async function raceOn<P extends Problem>(
  { shop, problem, readable, trial }: RaceRequest<P>,
  options: CalibrationOptions,
  keep: (calibrated: Calibrated) => Promise<boolean>,
): Promise<Calibration> {
  checkPositive("maxMilliseconds", options?.maxMilliseconds);
  const selection = await shop.select(problem, {});
  const others = await portfolioOf(shop, problem);
  const executor = shop.executor();
  const stopwatch = await stopwatchFor(executor.device, time).catch(async (error) => {
    throw await faultOn(executor.device, error);
  });
  const names = new Set<string>();
  const racers: Racer[] = [];
  for (const { variant, algorithm, config } of [...selection.candidates.slice(0, FROM_TABLES), ...others]) {
    if (names.has(variant)) continue;
    names.add(variant);
    racers.push({
      variant,
      ready: async () => {
        const plan = algorithm.plan(problem, config, executor.capabilities);
        const prepared = await executor.prepare(plan, { sound: shop.sound });
        return laneOf(prepared, trial.inputs, readable, (outputs) => trial.verify(outputs), stopwatch);
      },
    });
  }
  const { winner: variant, us, raced, spentMs } = await race(racers, { ...options, now: time.now });
  const ran = raced.filter(({ samples }) => samples > 0).length;
  const stored = await keep({ variant, us, raced: ran, problem });
  const { samples: _, out: __, ...before } = raced[0]!;
  return { variant, us, before, raced, spentMs, stored };
}

/** Candidates of the portfolio that exist and fit for a problem. */
async function portfolioOf(shop: Workshop, problem: Problem): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const variant of await shop.portfolio()) {
    // What does not exist for this length or fit this device is no candidate; it was best somewhere else.
    const pinned = await shop.select(problem, { variant }).catch(() => undefined);
    if (pinned) found.push(pinned.candidates[0]);
  }
  return found;
}
