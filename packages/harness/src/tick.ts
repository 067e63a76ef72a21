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

/** Smallest positive difference between two of the values that occurs at least twice; undefined without one. */
export function smallestReproducible(values: readonly bigint[], above: bigint = 0n): bigint | undefined {
  const counts = new Map<bigint, number>();
  for (const [index, a] of values.entries()) {
    for (const b of values.slice(index + 1)) {
      const difference = a > b ? a - b : b - a;
      if (difference > above) counts.set(difference, (counts.get(difference) ?? 0) + 1);
    }
  }
  let smallest: bigint | undefined;
  for (const [difference, count] of counts) {
    if (count >= 2 && (smallest === undefined || difference < smallest)) smallest = difference;
  }
  return smallest;
}

/**
 * The step of a clock in ns. A common divisor over 1 is the step itself (65,536 in Chrome, 32 on NVIDIA). With a
 * divisor of 1 the clock either counts ns or has a period of a fraction, rounded down (83.33 ns): then pass lengths
 * differ by multiples of the period, by 1 more or less, while a true 1 ns clock also shows differences of 2 and 3.
 */
export function stepOf(passes: ClockReading["passes"]): number {
  const common = commonStep(passes.flatMap(({ begin, end }) => [begin, end]));
  if (common !== 1n) return Number(common);
  const lengths = passes.map(({ begin, end }) => end - begin);
  const smallest = smallestReproducible(lengths, 1n);
  if (smallest === undefined || smallest <= 3n) return 1;
  return Number(smallest);
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
