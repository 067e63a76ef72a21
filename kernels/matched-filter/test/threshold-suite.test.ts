import type { PortData, Verdict } from "@tunelab/contract";
import { roots } from "@tunelab/kernel-fft/suite";
import { describe, expect, it } from "vitest";
import { type MatchedFilterProblem, NO_PEAK } from "../src/index.ts";
import { inBand, lowBand, reference } from "../src/suite/inspiral.ts";
import { correlate } from "../src/suite/truth.ts";
import { suite } from "../src/suite.ts";

const PROBLEM = {
  n: 256,
  data: 4,
  templates: 32,
  pairs: 128,
  threshold: 0.75,
} satisfies MatchedFilterProblem;
const inputs = suite.inputs(PROBLEM, 3);
const SAMPLE = { count: 4, seed: 1 };

/** Records by brute force: every pair in full, in float64. */
function perfect({ n, pairs, threshold }: typeof PROBLEM, from: PortData): Uint32Array {
  const words = new Uint32Array(4 * pairs);
  const floats = new Float32Array(words.buffer);
  const table = roots(n, 1);
  for (let pair = 0; pair < pairs; pair++) {
    const peak = correlate(from, n, from.pairs![2 * pair]!, from.pairs![2 * pair + 1]!, table);
    words[4 * pair] = NO_PEAK;
    if (peak.magnitude < Math.fround(threshold)) continue;
    words[4 * pair] = peak.index;
    floats.set([peak.re, peak.im, peak.magnitude], 4 * pair + 1);
  }
  return words;
}

const right = perfect(PROBLEM, inputs);
const isPeak = (pair: number): boolean => right[4 * pair] !== NO_PEAK;
const all = Array.from({ length: PROBLEM.pairs }, (_, pair) => pair);
const loud = all.filter(isPeak);
const quiet = all.filter((pair) => !isPeak(pair));

function verdictOf(spoil: (words: Uint32Array, floats: Float32Array) => void = () => {}): Verdict {
  const words = right.slice();
  spoil(words, new Float32Array(words.buffer));
  return suite.oracle(PROBLEM, inputs).check({ records: words }, SAMPLE);
}

describe("the suite of a problem with a threshold", () => {
  it("has a reference of unit energy with 0.988 of it in the low band, n / 16 from n = 1024 on", () => {
    for (const n of [256, 512, 1024, 4096, 16_384]) {
      const power = reference(n).map((size) => size * size);
      expect(lowBand(n)).toBe(Math.max(64, n / 16));
      expect(inBand(power, lowBand(n))).toBeCloseTo(0.988, 6);
      expect(power.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 9);
      expect(Math.max(...power.subarray(n / 2 + 1))).toBe(0);
    }
  });

  it("accepts what brute force in float64 gives, whatever the threshold", () => {
    for (const threshold of [0.5, 0.65, 0.75, 0.9, 1]) {
      const problem = { ...PROBLEM, threshold };
      const records = perfect(problem, inputs);
      const verdict = suite.oracle(problem, inputs).check({ records }, SAMPLE);
      expect(verdict, `threshold ${threshold}`).toMatchObject({ matched: 128, total: 128, nearTies: 0 });
      expect(verdict.maxError).toBeLessThan(1e-7);
    }
  });

  it("has peaks on both sides of the threshold, and one pair in 32 that matches", () => {
    expect(loud.length).toBeGreaterThan(4);
    expect(quiet.length).toBeGreaterThan(32);
    const records = perfect({ ...PROBLEM, threshold: 0.93 }, inputs);
    expect(all.filter((pair) => records[4 * pair] !== NO_PEAK)).toHaveLength(4);
  });

  it("knows every pair without comparing every pair in full", () => {
    expect(verdictOf().sampled).toBeLessThan(PROBLEM.pairs / 2);
    for (const pair of quiet) {
      const invented = verdictOf((words, floats) => {
        words[4 * pair] = 7;
        floats.set([0.8, 0, 0.8], 4 * pair + 1);
      });
      expect(invented.matched, `pair ${pair}`).toBe(127);
      expect(invented.detail).toMatch(new RegExp(`^pair ${pair}: a peak of 0.8`));
    }
    for (const pair of loud) {
      const missed = verdictOf((words) => words.set([NO_PEAK, 0, 0, 0], 4 * pair));
      expect(missed.matched, `pair ${pair}`).toBe(127);
      expect(missed.detail).toMatch(new RegExp(`^pair ${pair}: no peak, float64 has`));
    }
  });

  const wrongs: [string, (words: Uint32Array, floats: Float32Array, at: number) => void, RegExp][] = [
    ["a neighbouring index", (words, _, at) => (words[at]! += 1), /: index \d+/],
    ["the conjugate value", (_, floats, at) => (floats[at + 2] = -floats[at + 2]!), /: value/],
    ["a magnitude that its value has not", (_, floats, at) => (floats[at + 3]! *= 1.1), /: magnitude/],
    ["no peak with a value left in it", (words, _, at) => (words[at] = NO_PEAK), /: no peak, but a value/],
  ];
  for (const [what, spoil, detail] of wrongs) {
    it(`calls ${what} a mismatch`, () => {
      const verdict = verdictOf((words, floats) => void spoil(words, floats, 4 * loud[0]!));
      expect(verdict.matched).toBe(127);
      expect(verdict.detail).toMatch(detail);
    });
  }

  it("accepts either answer within the operation's bound of the threshold, and counts it as a near tie", () => {
    const pair = loud[0]!;
    const magnitude = new Float32Array(right.buffer)[4 * pair + 3]!;
    for (const [shift, near] of [
      [1e-6, 1],
      [-1e-6, 1],
      [1e-5, 0],
    ] as const) {
      const problem = { ...PROBLEM, threshold: magnitude * (1 + shift) };
      const records = perfect(problem, inputs);
      const oracle = suite.oracle(problem, inputs);
      const other = records.slice();
      if (records[4 * pair] === NO_PEAK) other.set(right.subarray(4 * pair, 4 * pair + 4), 4 * pair);
      else other.set([NO_PEAK, 0, 0, 0], 4 * pair);
      expect(oracle.check({ records }, SAMPLE).matched).toBe(128);
      expect(oracle.check({ records: other }, SAMPLE)).toMatchObject({ matched: 127 + near, nearTies: near });
    }
  });

  it("collapsed inputs keep their spectra and are judged by the one pair that is left", () => {
    const collapsed = suite.collapse!(PROBLEM, 3);
    expect(collapsed.data).toEqual(inputs.data);
    const records = perfect(PROBLEM, collapsed);
    expect(suite.oracle(PROBLEM, collapsed).check({ records }, SAMPLE).matched).toBe(128);
    expect(suite.oracle(PROBLEM, collapsed).check({ records: right }, SAMPLE).matched).toBeLessThan(128);
  });

  it("calls missing and poisoned records mismatches, every one", () => {
    expect(suite.oracle(PROBLEM, inputs).check({}, SAMPLE)).toMatchObject({ matched: 0, total: 128 });
    expect(verdictOf((words) => void words.fill(0x7fc0dead)).matched).toBe(0);
  });
});

describe.each([
  ["with a threshold", PROBLEM],
  ["without", { n: 256, data: 4, templates: 32, pairs: 128 }],
])("an oracle %s", (_, problem: MatchedFilterProblem) => {
  it("that was prepared judges as it would have, and transforms nothing more for it", () => {
    const own = suite.inputs(problem, 3);
    const records = { records: right };
    const expected = suite.oracle(problem, own).check(records, SAMPLE);
    const oracle = suite.oracle(problem, own);
    oracle.prepare!(SAMPLE);
    // From here on it may not look at a spectrum any more: those that it judges in full it has transformed.
    own.data!.fill(Number.NaN);
    expect(oracle.check(records, SAMPLE)).toEqual(expected);
  });
});
