import { asFault, Fault } from "@tunelab/contract";

/** A variant at the start: `ready` compiles, verifies and binds it, or rejects with why it may not race. */
export interface Racer {
  readonly variant: string;
  ready(): Promise<Lane>;
}

/** A variant that runs and is right. */
export interface Lane {
  /** Nanoseconds of one run. */
  sample(): Promise<number>;
  dispose(): void;
}

export interface Raced {
  readonly variant: string;
  /** Least time of one run in us; absent when it never ran. */
  readonly us?: number;
  readonly samples: number;
  /** Why it left before the end. */
  readonly out?: string;
}

export interface RaceOptions {
  readonly maxMilliseconds: number;
  now(): number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (ready: number, of: number, variant: string) => void;
}

export interface Outcome {
  readonly winner: string;
  readonly us: number;
  readonly raced: readonly Raced[];
  readonly spentMs: number;
}

/** Share of the time that getting ready may take, so that what is ready also races. */
const READY_SHARE = 0.6;
/** Rounds that every lane runs before one may be sent off: one bad sample must not decide. */
const FIRST_ROUNDS = 3;
/** A lane this far behind the best is sent off: twice what devices drift within a race. */
const BEHIND = 1.15;
/** Rounds after which more would change nothing. */
const MOST_ROUNDS = 16;
/** What the incumbent must be beaten by: within it the evidence of the tables counts more than a short race. */
const MARGIN = 1.03;

interface Runner {
  readonly variant: string;
  lane: Lane | undefined;
  leastNs: number;
  samples: number;
  out?: string;
}

/**
 * Races variants in rounds, one sample each, until time is up. The first is the incumbent: it is ready first, and keeps its place
 * unless beaten by 3%. Exceeds the time by one compilation at most. Rejects with the incumbent's failure when nothing ran, and with
 * `Fault` usage when aborted.
 */
export async function race(racers: readonly Racer[], options: RaceOptions): Promise<Outcome> {
  const { maxMilliseconds, signal, onProgress } = options;
  const start = options.now();
  const spent = (): number => options.now() - start;
  const runners: Runner[] = [];
  let failure: Fault | undefined;
  try {
    for (const [index, { variant, ready }] of racers.entries()) {
      const runner: Runner = { variant, lane: undefined, leastNs: Number.POSITIVE_INFINITY, samples: 0 };
      runners.push(runner);
      checkAborted(signal);
      if (index > 0 && spent() > READY_SHARE * maxMilliseconds) {
        runner.out = "no time was left to compile it";
        continue;
      }
      onProgress?.(index, racers.length, variant);
      try {
        runner.lane = await ready();
      } catch (error) {
        const fault = failed(error);
        failure ??= fault;
        runner.out = fault.message;
      }
    }
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const running = runners.filter(({ lane, out }) => lane && out === undefined);
      if (running.length === 0 || (round > 0 && spent() > maxMilliseconds)) break;
      for (const runner of running) {
        checkAborted(signal);
        try {
          runner.leastNs = Math.min(runner.leastNs, await runner.lane!.sample());
          runner.samples += 1;
        } catch (error) {
          runner.out = failed(error).message;
        }
      }
      if (round + 1 >= FIRST_ROUNDS) sendOff(running);
    }
  } finally {
    for (const { lane } of runners) lane?.dispose();
  }
  const [incumbent] = runners;
  const ran = runners.filter(({ samples }) => samples > 0);
  const fastest = ran.reduce<Runner | undefined>(
    (best, each) => (best && best.leastNs <= each.leastNs ? best : each),
    undefined,
  );
  if (!fastest || !incumbent) throw failure ?? new Fault("usage", "no variant was given to race");
  const kept = incumbent.samples > 0 && incumbent.leastNs <= fastest.leastNs * MARGIN;
  const winner = kept ? incumbent : fastest;
  const us = (ns: number): number => Number((ns / 1000).toPrecision(4));
  return {
    winner: winner.variant,
    us: us(winner.leastNs),
    spentMs: spent(),
    raced: runners.map(({ variant, samples, leastNs, out }) => ({
      ...{ variant, samples },
      ...(samples > 0 ? { us: us(leastNs) } : {}),
      ...(out === undefined ? {} : { out }),
    })),
  };
}

/** A variant's own failure; a lost device ends the race. */
function failed(error: unknown): Fault {
  const fault = asFault(error, "crashed");
  if (fault.kind === "device-lost") throw fault;
  return fault;
}

function sendOff(running: readonly Runner[]): void {
  const best = Math.min(...running.map(({ leastNs }) => leastNs));
  for (const runner of running) {
    if (runner.leastNs <= best * BEHIND) continue;
    runner.out = `${Number((runner.leastNs / best).toPrecision(3))} times the best after ${runner.samples} rounds`;
  }
}

function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Fault("usage", "the calibration was aborted: nothing was changed");
}
