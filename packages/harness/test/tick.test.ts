import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commonStep, judgeClock, smallestReproducible, stepOf, wallTickNs } from "../src/tick.ts";

/** Submissions of passes with irregular lengths, on a clock of `period` ns that starts anywhere. */
function readings(period: number, options: { unitNs?: number; origin?: number } = {}) {
  const { unitNs = 1, origin = 123_456_789_012 } = options;
  const raw = (ns: number): bigint =>
    BigInt(Math.floor((Math.floor((origin + ns) / period) * period) / unitNs));
  return Array.from({ length: 8 }, (_, submission) => {
    const submittedMs = submission * 7.31;
    let at = submittedMs * 1e6 + 20_000;
    const passes = Array.from({ length: 8 }, (_, pass) => {
      const begin = at;
      at += 5_000 + (((submission * 8 + pass) * 7_919) % 1_777);
      const end = at;
      at += 900;
      return { begin: raw(begin), end: raw(end) };
    });
    return { submittedMs, doneMs: at / 1e6 + 0.05, passes };
  });
}
const passesOf = (period: number) => readings(period).flatMap(({ passes }) => passes);

describe("the step of a GPU clock", () => {
  it.each([1, 32, 1_000, 65_536])("is found for a clock of %i ns", (period) => {
    expect(judgeClock(readings(period))).toEqual({ usable: true, tickNs: period });
  });

  it("is the period of a clock whose period has a fraction, not the 1 ns that rounding leaves", () => {
    const step = stepOf(passesOf(1000 / 12));
    expect(step).toBeGreaterThanOrEqual(83);
    expect(step).toBeLessThanOrEqual(84);
  });

  it("is a divisor that all differences share, whatever the origin", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1e6 }), fc.integer({ min: 0, max: 1e9 }), (step, origin) => {
        const values = [0, 3, 7, 11, 18].map((k) => BigInt(origin + k * step));
        expect(commonStep(values)).toBe(BigInt(step));
      }),
    );
  });

  it("takes a difference for a step only when it occurs twice", () => {
    expect(smallestReproducible([0n, 5n, 100n, 107n, 200n, 207n])).toBe(7n);
    expect(smallestReproducible([0n, 5n])).toBeUndefined();
  });
});

describe("a GPU clock is refused", () => {
  it("when a timestamp is read before it was resolved", () => {
    const early = readings(1).map((one, k) => (k === 3 ? { ...one, passes: [{ begin: 0n, end: 0n }] } : one));
    expect(judgeClock(early)).toEqual({ usable: false, reason: "timestamps read as zero" });
  });

  it("when its ticks are mistaken for nanoseconds", () => {
    for (const unitNs of [10, 52.08, 83.33]) {
      expect(judgeClock(readings(unitNs, { unitNs }))).toMatchObject({
        usable: false,
        reason: expect.stringContaining("not nanoseconds"),
      });
    }
  });

  it("when it runs backwards, stands still or says nothing", () => {
    const swapped = readings(1).map((one) => ({
      ...one,
      passes: one.passes.map(({ begin, end }) => ({ begin: end, end: begin })),
    }));
    expect(judgeClock(swapped)).toMatchObject({ usable: false, reason: "timestamps run backwards" });
    const still = readings(1).map((one) => ({ ...one, passes: [{ begin: 9n, end: 9n }] }));
    expect(judgeClock(still)).toMatchObject({ usable: false, reason: "timestamps never change" });
    expect(judgeClock([])).toMatchObject({ usable: false });
  });
});

describe("the step of the wall clock", () => {
  it("is its smallest step", () => {
    let reads = 0;
    expect(wallTickNs({ now: () => Math.floor(reads++ / 40) * 0.1 })).toBe(100_000);
  });

  it("is taken for a millisecond when the clock never moves, after a bounded number of reads", () => {
    let reads = 0;
    expect(wallTickNs({ now: () => 5 + 0 * reads++ })).toBe(1e6);
    expect(reads).toBeLessThan(200_000);
  });
});
