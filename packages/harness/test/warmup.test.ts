import { describe, expect, it } from "vitest";
import { fakeClock } from "../src/fake.ts";
import { mannKendall, warmUp } from "../src/warmup.ts";

describe("the Mann-Kendall statistic", () => {
  it("agrees with a worked example", () => {
    // n = 10 rising without ties: S = 45, variance 10 * 9 * 25 / 18 = 125, z = 44 / sqrt(125).
    expect(mannKendall([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toBeCloseTo(44 / Math.sqrt(125), 12);
  });

  it("corrects for ties", () => {
    // S = 5 of [1, 1, 2, 3]; variance (4*3*13 - 2*1*9) / 18.
    expect(mannKendall([1, 1, 2, 3])).toBeCloseTo(4 / Math.sqrt((156 - 18) / 18), 12);
  });

  it("is 0 for equal values and none, and changes sign with the order", () => {
    expect(mannKendall([3, 3, 3, 3])).toBe(0);
    expect(mannKendall([])).toBe(0);
    expect(mannKendall([5, 1, 4, 9])).toBe(-mannKendall([9, 4, 1, 5]));
  });
});

describe("warming up", () => {
  const wobble = (k: number): number => ((k * 7919) % 13) / 1_000;

  it("ends after 24 runs on a device that is steady from the start", async () => {
    let run = 0;
    expect(await warmUp(async () => 1 + wobble(run++), fakeClock())).toMatchObject({
      runs: 24,
      steady: true,
    });
  });

  it("goes on while times fall, and ends when they have settled", async () => {
    let run = 0;
    const ramp = async () => 1 + 0.3 * Math.exp(-run / 10) + wobble(run++);
    const { runs, steady } = await warmUp(ramp, fakeClock());
    expect(steady).toBe(true);
    expect(runs).toBeGreaterThan(30);
    expect(runs).toBeLessThan(120);
  });

  it("is bounded by time on a device that never settles", async () => {
    const clock = fakeClock();
    let run = 0;
    const falling = async () => {
      clock.advance(50);
      return 1_000 - run++;
    };
    expect(await warmUp(falling, clock, { limitMs: 1_500 })).toMatchObject({ runs: 30, steady: false });
  });

  it("runs a very slow device once", async () => {
    const clock = fakeClock();
    const slow = async () => {
      clock.advance(10_000);
      return 1;
    };
    expect(await warmUp(slow, clock)).toMatchObject({ runs: 1, steady: false });
  });
});
