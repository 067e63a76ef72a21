import { CLOCK_SLACK, STUCK_WALL_TICK_NS } from "./protocol.ts";
import type { Clock } from "./types.ts";

/** Timestamps of one submission of several short passes, and the wall clock around it. */
export interface ClockReading {
  readonly submittedMs: number;
  readonly doneMs: number;
  /** Raw begin and end of each pass. */
  readonly passes: readonly { readonly begin: bigint; readonly end: bigint }[];
}

/** What a GPU clock is worth: its step in ns, or why it cannot be used. */
export type ClockVerdict =
  | { readonly usable: true; readonly tickNs: number }
  | { readonly usable: false; readonly reason: string };

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));

/** Greatest common divisor of all differences between raw values; 0 when they are all equal. */
export function commonStep(values: readonly bigint[]): bigint {
  const origin = values[0] ?? 0n;
  return values.reduce((step, value) => gcd(step, value - origin), 0n);
}

/** Smallest positive difference between two of the values, at or over `least`, that occurs at least twice. */
export function smallestReproducible(values: readonly bigint[], least: bigint = 1n): bigint | undefined {
  let smallest: bigint | undefined;
  for (const [difference, count] of differences(values)) {
    if (difference >= least && count >= 2 && (smallest === undefined || difference < smallest)) {
      smallest = difference;
    }
  }
  return smallest;
}

/** How often each difference occurs between two of the values. */
function differences(values: readonly bigint[]): ReadonlyMap<bigint, number> {
  const counts = new Map<bigint, number>();
  for (const [index, a] of values.entries()) {
    for (const b of values.slice(index + 1)) {
      const difference = a > b ? a - b : b - a;
      counts.set(difference, (counts.get(difference) ?? 0) + 1);
    }
  }
  return counts;
}

/** Steps under this many ns are taken for 1 ns: 200 of them are 3 us, which no kernel worth timing undercuts. */
const FINE_NS = 16n;

/** Multiples of a period that are looked at, and how far off each may be: a fraction of a ns in each and rounding. */
const MULTIPLES = 8;
const OFF_NS = 4;

/**
 * The step of a clock in ns; 0 when it never moves. A common divisor over 1 is the step itself (65,536 in Chrome, 32 on
 * NVIDIA). With a divisor of 1 the clock either counts ns or has a period with a fraction that was rounded away (83.33
 * ns): then pass lengths differ by multiples of the period, give or take, and by nothing in between.
 */
export function stepOf(passes: ClockReading["passes"]): number {
  const common = commonStep(passes.flatMap(({ begin, end }) => [begin, end]));
  if (common !== 1n) return Number(common);
  const lengths = passes.map(({ begin, end }) => end - begin);
  const smallest = smallestReproducible(lengths, FINE_NS);
  if (smallest === undefined) return 1;
  const limit = (MULTIPLES + 0.5) * Number(smallest);
  const near = [...differences(lengths).keys()].map(Number).filter((ns) => ns <= limit);
  // The period is refined on the way up, so that its fraction does not add up over the multiples.
  let period = Number(smallest);
  let [sum, steps] = [0, 0];
  for (const ns of near.sort((a, b) => a - b)) {
    const multiple = Math.round(ns / period);
    if (Math.abs(ns - multiple * period) > OFF_NS) return 1;
    sum += ns * Math.sign(multiple);
    steps += multiple;
    if (steps > 0) period = sum / steps;
  }
  return Math.round(period);
}

/**
 * Judges a GPU clock from several submissions made at different times: values must be there, run forward, and agree
 * with the wall clock, which brackets them (ticks mistaken for nanoseconds fall outside).
 */
export function judgeClock(readings: readonly ClockReading[]): ClockVerdict {
  const refuse = (reason: string): ClockVerdict => ({ usable: false, reason });
  const passes = readings.flatMap((reading) => reading.passes);
  const first = readings[0];
  const last = readings.at(-1);
  if (!first || !last || passes.length === 0) return refuse("there are no timestamps");
  if (passes.some(({ begin, end }) => begin === 0n || end === 0n)) return refuse("timestamps read as zero");
  if (passes.some(({ begin, end }) => end < begin)) return refuse("timestamps run backwards");
  const tickNs = stepOf(passes);
  if (tickNs === 0) return refuse("timestamps never change");
  const elapsedNs = Number(last.passes.at(-1)!.end - first.passes[0]!.begin);
  const outerNs = (last.doneMs - first.submittedMs) * 1e6;
  const innerNs = (last.submittedMs - first.doneMs) * 1e6;
  if (
    elapsedNs > outerNs * (1 + CLOCK_SLACK) + 2 * tickNs ||
    elapsedNs < innerNs * (1 - CLOCK_SLACK) - 2 * tickNs
  ) {
    return refuse(
      `timestamps are not nanoseconds: ${elapsedNs} passed while the wall clock saw ${Math.round(innerNs)} to ${Math.round(outerNs)} ns`,
    );
  }
  return { usable: true, tickNs };
}

/** Reads of the wall clock while its step is looked for: about 5 ms where one read takes 50 ns. */
const WALL_READS = 100_000;

/** Steps seen before the smallest is believed. */
const WALL_STEPS = 32;

/** The step of a wall clock in ns: the smallest positive difference between reads made back to back. */
export function wallTickNs(clock: Pick<Clock, "now">): number {
  let previous = clock.now();
  let smallest = Number.POSITIVE_INFINITY;
  for (let reads = 0, steps = 0; reads < WALL_READS && steps < WALL_STEPS; reads += 1) {
    const now = clock.now();
    if (now <= previous) continue;
    smallest = Math.min(smallest, (now - previous) * 1e6);
    previous = now;
    steps += 1;
  }
  return Number.isFinite(smallest) ? Math.max(1, Math.round(smallest)) : STUCK_WALL_TICK_NS;
}
