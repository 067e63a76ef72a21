import type { Clock, RawSample, Timeable } from "./types.ts";

/** A clock that only moves when told to (and when slept on). */
export interface FakeClock extends Clock {
  advance(milliseconds: number): void;
}

export function fakeClock(startMs: number = 0): FakeClock {
  let now = startMs;
  return {
    now: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
  };
}

export interface FakeTimeableOptions {
  readonly clock: FakeClock;
  /** True length of one repeat in ns, for the index-th call of `sample`. */
  readonly repeatNs: (call: number) => number;
  /** Step of the GPU clock that begin and end are rounded down to, in ns. */
  readonly tickNs?: number;
  /** Wall time that a sample takes beyond its GPU time, in ms. */
  readonly overheadMs?: number;
  /** One pass for all repeats, or one each. */
  readonly passes?: "one" | "each";
  /** Changes what is reported: a fault to provoke. */
  readonly distort?: (sample: RawSample, call: number) => RawSample;
}

/** Something to time whose every length is known; moves its clock as it runs. Calls are recorded with their repeats. */
export interface FakeTimeable extends Timeable {
  readonly calls: readonly number[];
}

export function fakeTimeable(options: FakeTimeableOptions): FakeTimeable {
  const {
    clock,
    repeatNs,
    tickNs = 1,
    overheadMs = 0.05,
    passes = "one",
    distort = (sample) => sample,
  } = options;
  const calls: number[] = [];
  const quantised = (ns: number): bigint => BigInt(Math.floor(ns / tickNs)) * BigInt(tickNs);
  return {
    calls,
    sample: async (repeats) => {
      const call = calls.push(repeats) - 1;
      const each = repeatNs(call);
      const count = passes === "one" ? 1 : repeats;
      const length = (each * repeats) / count;
      // Off zero: a begin of 0 means that nothing was written.
      const origin = 1e9 + clock.now() * 1e6 + (overheadMs * 1e6) / 2;
      const recorded = Array.from({ length: count }, (_, pass) => ({
        begin: quantised(origin + pass * length),
        end: quantised(origin + (pass + 1) * length),
      }));
      const wallMs = overheadMs + (each * repeats) / 1e6;
      clock.advance(wallMs);
      return distort({ passes: recorded, wallMs }, call);
    },
  };
}
