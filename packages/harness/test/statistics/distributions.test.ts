import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { benjaminiHochberg } from "../../src/fdr.ts";
import { minimumDetectableEffect, processesDetectableEffect } from "../../src/mde.ts";
import {
  hodgesLehmann,
  outliersWithstood,
  signedRankInterval,
  signedRankP,
  signedRankProbabilities,
  walshAverages,
} from "../../src/signed-rank.ts";
import { tProbability, tQuantile } from "../../src/student.ts";

describe("Student's t", () => {
  // From printed tables.
  it.each([
    [0.975, 1, 12.7062],
    [0.975, 2, 4.30265],
    [0.995, 3, 5.84091],
    [0.975, 5, 2.570582],
    [0.9, 10, 1.372184],
    [0.9995, 30, 3.645959],
    [0.975, 120, 1.97993],
  ])("has the quantile of %d with %i degrees of freedom", (p, df, t) => {
    expect(tQuantile(p, df)).toBeCloseTo(t, 4);
    expect(tQuantile(1 - p, df)).toBeCloseTo(-t, 4);
    expect(tProbability(t, df)).toBeCloseTo(p, 6);
  });

  it("is infinite where no value is left out", () => {
    expect(tQuantile(1, 4)).toBe(Number.POSITIVE_INFINITY);
    expect(tQuantile(0.5, 4)).toBeCloseTo(0, 12);
  });
});

/** P(W <= k) by going through all 2^n signs. */
function enumerated(n: number, k: number): number {
  let hits = 0;
  for (let signs = 0; signs < 2 ** n; signs += 1) {
    let w = 0;
    for (let i = 0; i < n; i += 1) if (signs & (1 << i)) w += i + 1;
    if (w <= k) hits += 1;
  }
  return hits / 2 ** n;
}

describe("the signed-rank distribution", () => {
  it("is that of all sign patterns", () => {
    for (const [n, k] of [
      [3, 2],
      [8, 3],
      [10, 17],
      [12, 39],
    ] as const) {
      expect(signedRankProbabilities(n)[k]).toBeCloseTo(enumerated(n, k), 14);
    }
  });

  it("sums to 1 and stays exact in its tail at 64 values", () => {
    const chances = signedRankProbabilities(64);
    expect(chances[0]).toBe(2 ** -64);
    expect(chances.at(-1)).toBeCloseTo(1, 12);
  });
});

describe("the signed-rank interval", () => {
  const values = [0.031, -0.004, 0.017, 0.022, 0.009, 0.013, -0.001, 0.027];
  const averages = walshAverages(values);

  it("spans all values where only the extremes are sure enough: 8 values at 1.25%", () => {
    const interval = signedRankInterval(averages, 8, 0.0125);
    expect(interval).toEqual({ low: -0.004, high: 0.031 });
  });

  it("is infinite where there are too few values for the level", () => {
    expect(signedRankInterval(averages, 8, 0.001).low).toBe(Number.NEGATIVE_INFINITY);
    expect(signedRankInterval(walshAverages([]), 0, 0.05).high).toBe(Number.POSITIVE_INFINITY);
  });

  it("covers the centre at least as often as it says, and not much more", () => {
    const random = randomFrom(7);
    let covered = 0;
    for (let run = 0; run < 4000; run += 1) {
      const noise = Array.from({ length: 16 }, () => random.float() + random.float() - 1 + 0.3);
      const { low, high } = signedRankInterval(walshAverages(noise), 16, 0.05);
      if (low <= 0.3 && 0.3 <= high) covered += 1;
    }
    expect(covered / 4000).toBeGreaterThan(0.94);
    expect(covered / 4000).toBeLessThan(0.97);
  });

  it("and the p value say the same of any margin", () => {
    const random = randomFrom(11);
    for (let run = 0; run < 300; run += 1) {
      const n = 8 + random.integer(20);
      const drawn = walshAverages(Array.from({ length: n }, () => random.float() - 0.3));
      const { low, high } = signedRankInterval(drawn, n, 0.05);
      expect(signedRankP(drawn, n, 0.1) <= 0.05).toBe(low > 0.1 || high < -0.1);
    }
  });
});

describe("the Hodges-Lehmann estimate", () => {
  it("is the median of pairwise means, unmoved by one wild value", () => {
    expect(hodgesLehmann([1, 2, 6])).toBe(2.75);
    expect(hodgesLehmann([1, 2, 3, 4, 1e9])).toBe(3);
    expect(hodgesLehmann([])).toBeNaN();
  });
});

describe("the minimum detectable effect", () => {
  const eight = [1, -1, 1, -1, 1, -1, 1, -1];
  const sixteen = [...eight, ...eight];

  it("follows its formula, inflated by how few outliers the interval withstands", () => {
    const s = Math.sqrt(8 / 7);
    expect(minimumDetectableEffect(eight)).toBeCloseTo(((2.364624 + 1.414924) * s * 6.5) / Math.sqrt(8), 5);
    const t = Math.sqrt(16 / 15);
    expect(minimumDetectableEffect(sixteen)).toBeCloseTo(((2.13145 + 1.340606) * t * 2.2) / 4, 4);
    const u = Math.sqrt(32 / 31);
    const many = minimumDetectableEffect([...sixteen, ...sixteen]);
    expect(many).toBeCloseTo(((2.039513 + 1.309464) * u * 1.5) / Math.sqrt(32), 4);
  });

  it("over processes is that of Student's t, with an inflation of its own", () => {
    const s = Math.sqrt(8 / 7);
    expect(processesDetectableEffect(eight)).toBeCloseTo(((2.364624 + 1.414924) * s * 2.7) / Math.sqrt(8), 5);
  });

  it("is infinite where nothing is known, and where no effect could leave the interval", () => {
    expect(minimumDetectableEffect([0.01])).toBe(Number.POSITIVE_INFINITY);
    expect(processesDetectableEffect([0.01])).toBe(Number.POSITIVE_INFINITY);
    // Five values have no signed-rank interval at 5%, twelve none at a build's look.
    expect(minimumDetectableEffect(eight.slice(0, 5))).toBe(Number.POSITIVE_INFINITY);
    expect(minimumDetectableEffect(sixteen.slice(0, 12), { alpha: 0.001 / 3 })).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe("outliers withstood", () => {
  it("are as many as can run away on one side without the interval's end following", () => {
    for (const [n, alpha] of [
      [8, 0.05],
      [12, 0.05],
      [18, 0.05],
      [22, 0.001 / 3],
      [32, 0.001 / 3],
    ] as const) {
      const withstood = outliersWithstood(n, alpha);
      const lowWith = (wild: number): number => {
        const values = Array.from({ length: n }, (_, index) => (index < wild ? -1e9 : index / n));
        return signedRankInterval(walshAverages(values), n, alpha).low;
      };
      expect(lowWith(withstood), `${n} at ${alpha}`).toBeGreaterThan(-1);
      expect(lowWith(withstood + 1), `${n} at ${alpha}`).toBeLessThan(-1e6);
    }
    expect(outliersWithstood(5, 0.05)).toBe(-1);
  });
});

describe("Benjamini-Hochberg", () => {
  it("rejects up to the largest p under its line, whatever stands between", () => {
    // Lines at q = 0.05 and m = 5: 0.01, 0.02, 0.03, 0.04, 0.05.
    expect(benjaminiHochberg([0.9, 0.012, 0.001, 0.029, 0.6], 0.05)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it("rejects none of many that are each at 5%", () => {
    expect(benjaminiHochberg([0.05, 0.2, 0.5, 0.9], 0.05)).toEqual([false, false, false, false]);
  });

  it("counts what was never measured among the hypotheses and does not reject it", () => {
    expect(benjaminiHochberg([0.02, Number.NaN], 0.05)).toEqual([true, false]);
    expect(benjaminiHochberg([0.03, Number.NaN], 0.05)).toEqual([false, false]);
  });
});
