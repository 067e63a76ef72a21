import { describe, expect, it } from "vitest";
import { claimable } from "../src/claims.ts";
import { tQuantile } from "../src/student.ts";

/** 1 ms with scatter by the golden ratio's multiples, and a linear drift from first to last. */
const timings = (count: number, spread: number, drift = 0): readonly number[] =>
  Array.from({ length: count }, (_, index) => {
    const scatter = spread * (((index * 0.618033988749895) % 1) - 0.5);
    return 1e6 * (1 + scatter + (drift * index) / count);
  });

describe("what can be claimed", () => {
  it("is read from 16 quads of slots of three where there are 204 timings", () => {
    expect(claimable(timings(204, 0.01))).toMatchObject({ quads: 16, samplesPerSlot: 3 });
    expect(claimable(timings(107, 0.01))).toMatchObject({ quads: 25, samplesPerSlot: 1 });
  });

  it("grows with the scatter, and a steady drift costs nothing", () => {
    const quiet = claimable(timings(204, 0.01)).mde;
    const loud = claimable(timings(204, 0.1)).mde;
    expect(loud / quiet).toBeGreaterThan(5);
    expect(claimable(timings(204, 0, 0.2)).mde).toBeLessThan(0.0005);
  });

  it("is the formula at the level of one look, inflated by 2.2", () => {
    // One slot of the first quad kept is off by e^0.02, all others are equal: one d of 0.01, fifteen of 0.
    const samples = new Array<number>(204).fill(1e6).fill(1e6 * Math.exp(0.02), 15, 18);
    const s = Math.sqrt((0.01 ** 2 - 0.01 ** 2 / 16) / 15);
    const level = 0.05 / 4;
    const mde = ((tQuantile(1 - level / 2, 15) + tQuantile(0.9, 15)) * s * 2.2) / 4;
    expect(claimable(samples).mde).toBeCloseTo(Math.expm1(mde), 6);
  });

  it("is nothing with too few timings", () => {
    expect(claimable([1e6, 1e6, 1e6])).toMatchObject({ quads: 0, mde: Number.POSITIVE_INFINITY });
  });
});
