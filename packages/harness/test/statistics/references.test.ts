import type { ReferenceSeries } from "@tunelab/contract";
import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { judgeReferences, referenceLogs } from "../../src/references.ts";
import { noiseSource, PROCESS_OFFSET } from "../../src/simulate/noise.ts";
import { gaussian } from "../../src/simulate/variates.ts";

const SAMPLES = 16;

/** A process: `ns` a repeat beside a reference whose time drifts with the device, both under the same kind of noise. */
function processOf(ns: number, referenceNs: number, seed: number, pace = 1): ReferenceSeries {
  const noise = noiseSource("all", randomFrom(seed).float, 2 * SAMPLES + 1);
  const own = 1 + PROCESS_OFFSET * gaussian(randomFrom(seed + 7_000_000).float)();
  const around: number[] = [referenceNs * pace * noise()];
  const samplesNs: number[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    samplesNs.push(4 * ns * own * pace * noise());
    around.push(referenceNs * pace * noise());
  }
  return {
    ...({ clock: "gpu", tickNs: 1, repeats: 4, rejected: {}, reference: "fma" } as const),
    samplesNs,
    anchor: { name: "fma-f32", samplesNs: around, amount: 2e9 },
  };
}

describe("reference logs", () => {
  it("are the reference's work in the time of one repeat, by its neighbours on either side", () => {
    const series: ReferenceSeries = {
      ...({ clock: "gpu", tickNs: 1, repeats: 2, rejected: {}, reference: "fma" } as const),
      samplesNs: [600, 600],
      anchor: { name: "fma-f32", samplesNs: [100, 200, 400], amount: 5e9 },
    };
    // 600 ns are 4 and 2 samples of the reference, of 5 units each, for two repeats.
    expect(referenceLogs(series).map(Math.exp)).toEqual([
      expect.closeTo((4 * 5) / 2, 9),
      expect.closeTo((2 * 5) / 2, 9),
    ]);
  });

  it("are none where a sample of the reference is missing", () => {
    const series = processOf(1_000, 500, 1);
    const { anchor, ...rest } = series;
    expect(referenceLogs(rest)).toEqual([]);
    expect(referenceLogs({ ...rest, anchor: { ...anchor!, samplesNs: anchor!.samplesNs.slice(1) } })).toEqual(
      [],
    );
  });
});

describe("a ratio of ratios", () => {
  const side = (count: number, ns: number, referenceNs: number, seed: number, pace = 1) =>
    Array.from({ length: count }, (_, process) =>
      referenceLogs(processOf(ns, referenceNs, seed + process, pace)),
    );

  it("is 1 on a device half as fast in everything, and tells what is slow beyond that", () => {
    const base = side(6, 1_000, 500, 1);
    const slower = judgeReferences({ base, candidate: side(6, 2_000, 1_000, 100) });
    expect(slower.low).toBeLessThan(1);
    expect(slower.high).toBeGreaterThan(1);
    const beyond = judgeReferences({ base, candidate: side(6, 2_600, 1_000, 200) });
    expect(beyond).toMatchObject({ verdict: "changed", count: 6 });
    expect(beyond.ratio).toBeCloseTo(1.3, 1);
  });

  it("does not move with a device whose clock falls between processes", () => {
    const base = [1, 1.5, 2, 3, 1.2, 1.1].flatMap((pace, index) => side(1, 1_000, 500, 300 + index, pace));
    const { low, high } = judgeReferences({ base, candidate: side(6, 1_000, 500, 400) });
    expect(high / low).toBeLessThan(1.2);
    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(1);
  });

  it("has Welch's interval: wider than pairing would have it, by hand", () => {
    const base = [[0], [0.02]];
    const candidate = [[0.1], [0.1], [0.16]];
    // Variances 0.0002 and 0.0012; shares 0.0001 and 0.0004; df = 2.5e-7 / (1e-8 / 1 + 1.6e-7 / 2) = 2.78, so 2.
    const half = 4.30265 * Math.sqrt(0.0005);
    const { ratio, low, high, count } = judgeReferences({ base, candidate });
    expect(Math.log(ratio)).toBeCloseTo(0.11, 9);
    expect(Math.log(low)).toBeCloseTo(0.11 - half, 5);
    expect(Math.log(high)).toBeCloseTo(0.11 + half, 5);
    expect(count).toBe(2);
  });

  it("holds the truth 93 times in a hundred and calls nothing changed where nothing is, under all noise", () => {
    const runs = 400;
    let [held, changed, detected] = [0, 0, 0];
    for (let run = 0; run < runs; run += 1) {
      const seed = 10_000 + 100 * run;
      const base = side(6, 1_000, 500, seed);
      const same = judgeReferences({ base, candidate: side(6, 1_000, 500, seed + 20) });
      if (same.low <= 1 && same.high >= 1) held += 1;
      if (same.verdict === "changed") changed += 1;
      const effect = 1 + same.mde;
      const fresh = judgeReferences({
        base: side(6, 1_000, 500, seed + 40),
        candidate: side(6, 1_000 * effect, 500, seed + 60),
      });
      if (fresh.low > 1) detected += 1;
    }
    expect(held / runs).toBeGreaterThanOrEqual(0.93);
    expect(changed / runs).toBeLessThanOrEqual(0.05);
    expect(detected / runs).toBeGreaterThanOrEqual(0.9);
  });

  it("says nothing of one process a side, and nothing of none", () => {
    const one = judgeReferences({ base: [[0.1]], candidate: [[0.2], [0.2]] });
    expect(one).toMatchObject({ verdict: "unresolved", low: 0, high: Number.POSITIVE_INFINITY, p: 1 });
    expect(judgeReferences({ base: [], candidate: [] })).toMatchObject({ count: 0, verdict: "unresolved" });
  });
});
