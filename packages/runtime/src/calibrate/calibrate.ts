import type { PortData, Problem } from "@tunelab/contract";
import type { BoundPorts, Executor } from "@tunelab/executor";
import type { Candidate, Selection } from "@tunelab/selection";
import { laneOf, stopwatchFor } from "./lane.ts";
import { type Outcome, type Racer, race } from "./race.ts";

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

export interface RaceRequest {
  readonly executor: Executor;
  readonly problem: Problem;
  readonly selection: Selection;
  /** Variants of the portfolio that exist for this problem. */
  readonly others: readonly Candidate[];
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

/** Races the selection's first candidates and the portfolio on the device; the selection's first is the incumbent. */
export async function raceOn(request: RaceRequest, options: CalibrationOptions): Promise<Outcome> {
  const { executor, problem, selection, others, readable, trial } = request;
  const stopwatch = await stopwatchFor(executor.device, time);
  const names = new Set<string>();
  const racers: Racer[] = [];
  for (const { variant, algorithm, config } of [...selection.candidates.slice(0, FROM_TABLES), ...others]) {
    if (names.has(variant)) continue;
    names.add(variant);
    racers.push({
      variant,
      ready: async () => {
        const plan = algorithm.plan(problem, config, executor.capabilities);
        const prepared = await executor.prepare(plan);
        return laneOf(prepared, trial.inputs, readable, (outputs) => trial.verify(outputs), stopwatch);
      },
    });
  }
  return race(racers, { ...options, now: time.now });
}
