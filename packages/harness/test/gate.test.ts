import { describe, expect, it } from "vitest";
import { estimate } from "../src/estimate.ts";
import { gateFault, gateReached } from "../src/gate.ts";

const steady = (count: number): number[] =>
  Array.from({ length: count }, (_, k) => 1_000_000 + ((k * 37) % 11) * 300);

describe("the certification gate", () => {
  it("passes steady samples", () => {
    expect(gateFault(steady(12))).toBeUndefined();
    expect(gateFault(steady(64))).toBeUndefined();
  });

  it("wants 12 samples", () => {
    expect(gateFault(steady(11))).toBe("11 of 12 samples");
  });

  it("refuses a spread over 2% by both measures", () => {
    const wide = steady(24).map((ns, k) => ns * (1 + 0.06 * ((k * 7) % 5)));
    expect(gateFault(wide)).toMatch(/^spread/);
  });

  it("forgives a single outlier, which the interquartile range does not see", () => {
    expect(gateFault([...steady(23), 9_000_000])).toBeUndefined();
  });

  it("refuses a minimum that was seen once", () => {
    const lucky = steady(24).map((ns) => ns + 5_000);
    lucky[3] = 990_000;
    expect(gateFault(lucky)).toMatch(/^minimum not repeated: 1 samples/);
  });

  it("refuses a minimum that was seen twice, though in two quarters", () => {
    const lucky = steady(24).map((ns) => ns + 8_000);
    [lucky[3], lucky[15]] = [990_000, 990_000];
    expect(gateFault(lucky)).toMatch(/^minimum not repeated: 2 samples .* from 2 of 4 quarters/);
  });

  it("refuses a minimum that comes from one quarter of the time", () => {
    // A fast clock state for the first three samples; the rest is 1.5% slower and within 2% in spread.
    const switching = steady(24).map((ns, k) => (k < 3 ? ns : ns * 1.015));
    expect(gateFault(switching)).toMatch(/^minimum not repeated: 3 samples .* from 1 of 4 quarters/);
  });

  it("refuses drift between the first third and the last", () => {
    const drifting = Array.from({ length: 24 }, (_, k) => 1_000_000 * (1 + (k > 11 ? 0.012 : 0)));
    expect(gateFault(drifting)).toMatch(/^drift: the last third is 1.20% off/);
  });

  it("is reachable when some prefix passes", () => {
    expect(gateReached([...steady(12), 2e6, 3e6, 4e6])).toBe(true);
    expect(gateReached(steady(11))).toBe(false);
  });
});

describe("an estimate", () => {
  it("is of one repeat", () => {
    expect(estimate([200, 220, 240], 2)).toMatchObject({
      samples: 3,
      minNs: 100,
      medianNs: 110,
      meanNs: 110,
    });
  });

  it("does not exist without samples, and is never 0", () => {
    expect(estimate([], 4)).toBeUndefined();
  });

  it("ranks by the minimum, or by the mean where rounding exceeds half a percent", () => {
    expect(estimate([100, 120], 1, 0.004)!.rankNs).toBe(100);
    expect(estimate([100, 120], 1, 0.02)!.rankNs).toBe(110);
  });
});
