import { randomFrom } from "@tunelab/variants";
import { mean, median, quantile, sampleStandardDeviation } from "simple-statistics";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../../src/fake.ts";
import { SCREENING } from "../../src/rules.ts";
import { takeSamples } from "../../src/sampler.ts";
import { COARSE_TICK_NS, simulatedDevice, simulatedTimeable } from "../../src/simulate/device.ts";
import { NOISE_KINDS, type NoiseKind, noiseSource } from "../../src/simulate/noise.ts";
import { exponential, gamma, gaussian, pareto } from "../../src/simulate/variates.ts";

const RUN = 20_000;

const factors = (kind: NoiseKind, seed = 5, length = RUN): number[] => {
  const next = noiseSource(kind, randomFrom(seed).float, length);
  return Array.from({ length }, () => next());
};

/** Correlation of neighbours. */
function memory(values: readonly number[]): number {
  const centre = mean([...values]);
  let [both, own] = [0, 0];
  for (const [index, value] of values.entries()) {
    own += (value - centre) ** 2;
    if (index > 0) both += (value - centre) * (values[index - 1]! - centre);
  }
  return both / own;
}

describe("variates", () => {
  const draw = (one: (uniform: () => number) => number): number[] => {
    const uniform = randomFrom(3).float;
    return Array.from({ length: RUN }, () => one(uniform));
  };

  it("have the means and spreads of their distributions", () => {
    const normal = gaussian(randomFrom(9).float);
    const normals = Array.from({ length: RUN }, normal);
    expect(mean(normals)).toBeCloseTo(0, 1);
    expect(sampleStandardDeviation(normals)).toBeCloseTo(1, 1);
    expect(mean(draw(exponential))).toBeCloseTo(1, 1);
    // Median of Pareto 1.2: 2^(1 / 1.2).
    expect(median(draw((uniform) => pareto(uniform, 1.2)))).toBeCloseTo(1.78, 1);
    const gammas = draw((uniform) => gamma(uniform, normal, 1.2));
    expect(mean(gammas)).toBeCloseTo(1.2, 1);
    expect(sampleStandardDeviation(gammas) ** 2).toBeCloseTo(1.2, 0);
  });
});

describe("noise", () => {
  it("is the same for the same seed and another for the next", () => {
    for (const kind of NOISE_KINDS) {
      expect(factors(kind, 5, 50)).toEqual(factors(kind, 5, 50));
      expect(factors(kind, 5, 50)).not.toEqual(factors(kind, 6, 50));
    }
  });

  it("has half a percent of spread and a floor that is no minimum, with and without memory", () => {
    for (const kind of ["iid", "ar"] as const) {
      const values = factors(kind);
      // sqrt(0.3^2 + 0.4^2) %, around 1 + 0.4%.
      expect(sampleStandardDeviation(values)).toBeCloseTo(0.005, 4);
      expect(mean(values)).toBeCloseTo(1.004, 3);
    }
    expect(Math.abs(memory(factors("iid")))).toBeLessThan(0.02);
    // rho times its share of the variance: 0.6 * 0.045 / 0.25.
    expect(memory(factors("ar"))).toBeCloseTo(0.108, 1);
    expect(memory(factors("ar"))).toBeGreaterThan(0.08);
  });

  it("drifts by at most 4% over the run, up in some and down in others", () => {
    const ends = Array.from({ length: 60 }, (_, seed) => {
      const values = factors("drift", seed, 2_000);
      return mean(values.slice(-200)) - mean(values.slice(0, 200));
    });
    expect(Math.max(...ends)).toBeGreaterThan(0.025);
    expect(Math.min(...ends)).toBeLessThan(-0.025);
    expect(Math.max(...ends.map(Math.abs))).toBeLessThan(0.04);
  });

  it("ramps down from a tenth, within the first tenth by 1 / e", () => {
    const values = factors("ramp");
    expect(mean(values.slice(0, 200))).toBeCloseTo(1.1, 1);
    expect(mean(values.slice(1_900, 2_100)) - 1.004).toBeCloseTo(0.1 / Math.E, 2);
    expect(mean(values.slice(-2_000))).toBeCloseTo(1.004, 3);
  });

  it("bursts for 20 samples after 200 quiet ones, by up to a quarter", () => {
    const values = factors("burst");
    const busy = values.filter((value) => value > 1.03).length / RUN;
    // A share of 0.005 / (0.005 + 0.05) is in bursts, and 22 of 25 of their heights are over 3%.
    expect(busy).toBeGreaterThan(0.05);
    expect(busy).toBeLessThan(0.12);
    expect(Math.max(...values)).toBeLessThan(1.3);
    expect(Math.max(...values)).toBeGreaterThan(1.2);
  });

  it("switches between three clock levels, a third of the time in each, once in 50 samples", () => {
    const levels = factors("clock").map((value) => (value < 1.021 ? 0 : value < 1.068 ? 1 : 2));
    for (const level of [0, 1, 2]) {
      expect(levels.filter((one) => one === level).length / RUN).toBeCloseTo(1 / 3, 1);
    }
    const switches = levels.filter((level, index) => index > 0 && level !== levels[index - 1]).length;
    expect(switches / RUN).toBeGreaterThan(0.015);
    expect(switches / RUN).toBeLessThan(0.035);
  });

  it("has 2% of samples that take twice as long and up to 21 times", () => {
    const values = factors("heavy");
    const wild = values.filter((value) => value > 1.9);
    expect(wild.length / RUN).toBeCloseTo(0.02, 2);
    expect(wild.length / RUN).toBeGreaterThan(0.015);
    expect(Math.max(...values)).toBeGreaterThan(10);
    expect(Math.max(...values)).toBeLessThan(22);
  });

  it("does all of it at once", () => {
    const values = factors("all");
    expect(quantile(values, 0.5)).toBeGreaterThan(1.01);
    expect(Math.max(...values)).toBeGreaterThan(10);
  });
});

describe("a simulated device", () => {
  const device = (tickNs: number) => {
    const clock = fakeClock();
    const phase = randomFrom(8).float;
    const overheadMs = () => 0.05 + 0.2 * phase();
    return { clock, device: simulatedDevice({ clock, noise: () => 1, tickNs, overheadMs }) };
  };

  it("reads its clock in ticks", () => {
    const { device: coarse } = device(COARSE_TICK_NS);
    const { begin, end } = coarse.run(1e6, 1);
    expect(begin % COARSE_TICK_NS).toBe(0);
    expect([15, 16]).toContain((end - begin) / COARSE_TICK_NS);
  });

  it("is timed by the live sampler as any other", async () => {
    const { clock, device: fine } = device(1);
    const { status, timing } = await takeSamples(simulatedTimeable(fine, clock, 1e6), {
      clock: "gpu",
      tickNs: 1,
      time: clock,
      rule: SCREENING,
    });
    expect(status).toBe("ok");
    for (const ns of timing.samplesNs) expect(ns / 1e6).toBeCloseTo(1, 4);
  });
});
