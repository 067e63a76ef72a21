import type { PortData, Verdict } from "@tunelab/contract";
import { roots, transform } from "@tunelab/kernel-fft/suite";
import { beforeAll, describe, expect, it } from "vitest";
import type { MatchedFilterProblem } from "../src/index.ts";
import { suite } from "../src/suite.ts";

const problem: MatchedFilterProblem = { n: 128, data: 3, templates: 5, pairs: 15 };
const SAMPLE = { count: 15, seed: 1 };

it("collapsed inputs are those of the seed with every pair at the first slice, and the oracle knows their answers", () => {
  const plain = suite.inputs(problem, 7);
  const collapsed = suite.collapse!(problem, 7);
  expect(collapsed.data).toEqual(plain.data);
  expect(collapsed.templates).toEqual(plain.templates);
  expect(collapsed.pairs!.length).toBe(plain.pairs!.length);
  expect([...collapsed.pairs!].every((index) => index === 0)).toBe(true);
  const records = perfect(problem, collapsed);
  expect(suite.oracle(problem, collapsed).check({ records }, SAMPLE)).toMatchObject({
    matched: 15,
    total: 15,
  });
  // Answers of the plain pairs are wrong there.
  const others = perfect(problem, plain);
  expect(suite.oracle(problem, collapsed).check({ records: others }, SAMPLE).matched).toBeLessThan(15);
});

/** Records as a perfect kernel would write them, in float64 and rounded once. */
function perfect({ n, pairs }: MatchedFilterProblem, inputs: PortData): Uint32Array {
  const words = new Uint32Array(4 * pairs);
  const floats = new Float32Array(words.buffer);
  const [data, templates, list] = [inputs.data!, inputs.templates!, inputs.pairs!];
  for (let p = 0; p < pairs; p++) {
    const z = new Float64Array(2 * n);
    for (let f = 0; f < n; f++) {
      const [a, b] = [2 * (list[2 * p]! * n + f), 2 * (list[2 * p + 1]! * n + f)];
      z[2 * f] = data[a]! * templates[b]! + data[a + 1]! * templates[b + 1]!;
      z[2 * f + 1] = data[a + 1]! * templates[b]! - data[a]! * templates[b + 1]!;
    }
    transform(z, roots(n, 1));
    let best = 0;
    const size = (q: number): number => Math.hypot(z[2 * q]!, z[2 * q + 1]!);
    for (let q = 1; q < n; q++) if (size(q) > size(best)) best = q;
    words[4 * p] = best;
    floats.set([z[2 * best]!, z[2 * best + 1]!, size(best)], 4 * p + 1);
  }
  return words;
}

let inputs: PortData;
let right: Uint32Array;
beforeAll(() => {
  inputs = suite.inputs(problem, 7);
  right = perfect(problem, inputs);
});

/** The verdict over the right records after `spoil` changed them. */
function verdictOf(spoil: (words: Uint32Array, floats: Float32Array) => void = () => {}): Verdict {
  const words = right.slice();
  spoil(words, new Float32Array(words.buffer));
  return suite.oracle(problem, inputs).check({ records: words }, SAMPLE);
}

describe("the float64 transform of the oracle", () => {
  it("is the inverse DFT by its definition", () => {
    const n = 16;
    const input = Float64Array.from({ length: 2 * n }, (_, i) => Math.sin(i * i + 1));
    const output = input.slice();
    transform(output, roots(n, 1));
    for (let k = 0; k < n; k++) {
      let [re, im] = [0, 0];
      for (let m = 0; m < n; m++) {
        const [c, s] = [Math.cos((2 * Math.PI * k * m) / n), Math.sin((2 * Math.PI * k * m) / n)];
        re += input[2 * m]! * c - input[2 * m + 1]! * s;
        im += input[2 * m]! * s + input[2 * m + 1]! * c;
      }
      expect(output[2 * k]).toBeCloseTo(re, 12);
      expect(output[2 * k + 1]).toBeCloseTo(im, 12);
    }
  });
});

describe("the matched filter's oracle", () => {
  it("accepts what float64 gives, with the rounding of one float32 as its error", () => {
    const verdict = verdictOf();
    expect(verdict).toMatchObject({ matched: 15, total: 15, sampled: 15, nearTies: 0 });
    expect(verdict.detail).toBeUndefined();
    expect(verdict.maxError).toBeLessThan(1e-7);
  });

  it("takes another lag of the same magnitude as a near tie, and one of less as a mismatch", () => {
    const n = 128;
    // 1 + exp(2 pi i 2 t / n) + 0.5 exp(2 pi i t / n) is largest at lag 0, and less at n / 2; without the last they are equal.
    const spectrum = (third: number): Float32Array => {
      const words = new Float32Array(2 * n);
      words.set([1, 0, third, 0, 1, 0]);
      return words;
    };
    for (const [third, nearTies] of [
      [0, 1],
      [0.5, 0],
    ] as const) {
      const one = { n, data: 1, templates: 1, pairs: 1 };
      const templates = new Float32Array(2 * n).map((_, word) => (word % 2 ? 0 : 1));
      const inputs = { data: spectrum(third), templates, pairs: new Uint32Array(2) };
      const records = new Uint32Array(4);
      records[0] = n / 2;
      new Float32Array(records.buffer).set([2 - third, 0, 2 - third], 1);
      const verdict = suite.oracle(one, inputs).check({ records }, SAMPLE);
      expect(verdict).toMatchObject({ nearTies, matched: nearTies });
    }
  });

  it("accepts what float64 gives at n = 65536, every lag planted", () => {
    const long = { n: 65_536, data: 1, templates: 2, pairs: 2 };
    const own = suite.inputs(long, 4);
    const verdict = suite.oracle(long, own).check({ records: perfect(long, own) }, SAMPLE);
    expect(verdict).toMatchObject({ matched: 2, total: 2, sampled: 2, nearTies: 0 });
    expect(verdict.maxError).toBeLessThan(1e-7);
  });

  it("plants a lag of its own for every pair", () => {
    expect(new Set(Array.from({ length: 15 }, (_, p) => right[4 * p])).size).toBeGreaterThan(10);
  });

  it("reports a magnitude that is off by 1e-5 as an error of 1e-5, not as a wrong answer", () => {
    const verdict = verdictOf((_, floats) => {
      floats[4 * 3 + 3] = floats[4 * 3 + 3]! * (1 + 1e-5);
    });
    expect(verdict.matched).toBe(15);
    expect(verdict.maxError).toBeGreaterThan(0.9e-5);
    expect(verdict.maxError).toBeLessThan(1.1e-5);
  });

  // Word of pair 4's record, and what becomes of it.
  const wrongs: [string, number, (word: number, float: number) => number, RegExp][] = [
    ["a neighbouring index", 0, (index) => (index + 1) % 128, /^pair 4: index \d+, planted at \d+$/],
    ["a record that says no peak", 0, () => 0xffffffff, /^pair 4: index 4294967295/],
    ["the conjugate value", 2, (_, im) => -im, /^pair 4: value/],
    ["a magnitude of NaN", 3, () => Number.NaN, /^pair 4: magnitude NaN/],
    ["twice the magnitude", 3, (_, magnitude) => 2 * magnitude, /^pair 4: magnitude/],
  ];
  for (const [what, word, change, detail] of wrongs) {
    it(`calls ${what} a mismatch and names the pair`, () => {
      const verdict = verdictOf((words, floats) => {
        const at = 4 * 4 + word;
        (word === 0 ? words : floats)[at] = change(words[at]!, floats[at]!);
      });
      expect(verdict.matched).toBe(14);
      expect(verdict.detail).toMatch(detail);
    });
  }

  it("calls poisoned records and missing ones mismatches, every one", () => {
    const poisoned = verdictOf((words) => void words.fill(0x7fc0dead));
    expect(poisoned.matched).toBe(0);
    expect(poisoned.maxError).toBe(Number.POSITIVE_INFINITY);
    expect(suite.oracle(problem, inputs).check({}, SAMPLE)).toMatchObject({ matched: 0, total: 15 });
  });

  it("makes the same inputs from the same seed, and others from another", () => {
    expect(suite.inputs(problem, 7)).toEqual(inputs);
    expect(suite.inputs(problem, 8).data).not.toEqual(inputs.data);
  });

  it("lists no problem that the operation refuses, and the published one among the standard ones", () => {
    for (const problems of Object.values(suite.workloads)) {
      for (const each of problems) expect(suite.operation.refuse(each)).toBeUndefined();
    }
    expect(suite.workloads.standard).toContainEqual({ n: 4096, data: 64, templates: 512, pairs: 32_768 });
  });
});
