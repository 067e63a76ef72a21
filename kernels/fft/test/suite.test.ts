import type { PortData, Verdict } from "@tunelab/contract";
import { beforeAll, describe, expect, it } from "vitest";
import type { FftProblem } from "../src/index.ts";
import { roots, suite, transform } from "../src/suite.ts";

const problem: FftProblem = { n: 128, batch: 9, direction: "forward" };
const SAMPLE = { count: 2, seed: 1 };

/** What a perfect kernel writes: float64, rounded once. */
function perfect({ n, batch, direction }: FftProblem, inputs: PortData): Float32Array {
  const table = roots(n, direction === "inverse" ? 1 : -1);
  const output = new Float32Array(2 * n * batch);
  for (let item = 0; item < batch; item++) {
    const values = Float64Array.from(inputs.input!.subarray(2 * n * item, 2 * n * (item + 1)));
    transform(values, table);
    output.set(values, 2 * n * item);
  }
  return output;
}

let inputs: PortData;
let right: Float32Array;
beforeAll(() => {
  inputs = suite.inputs(problem, 7);
  right = perfect(problem, inputs);
});

/** The verdict over the right outputs after `spoil` changed them. Two of nine items are compared in full. */
function verdictOf(spoil: (words: Float32Array) => void = () => {}): Verdict {
  const words = right.slice();
  spoil(words);
  return suite.oracle(problem, inputs).check({ output: words }, SAMPLE);
}

describe("the float64 transform of the oracle", () => {
  for (const sign of [-1, 1] as const) {
    it(`is the DFT by its definition, sign ${sign}`, () => {
      const n = 16;
      const input = Float64Array.from({ length: 2 * n }, (_, i) => Math.sin(i * i + 1));
      const output = input.slice();
      transform(output, roots(n, sign));
      for (let k = 0; k < n; k++) {
        let [re, im] = [0, 0];
        for (let m = 0; m < n; m++) {
          const angle = (sign * 2 * Math.PI * k * m) / n;
          re += input[2 * m]! * Math.cos(angle) - input[2 * m + 1]! * Math.sin(angle);
          im += input[2 * m]! * Math.sin(angle) + input[2 * m + 1]! * Math.cos(angle);
        }
        expect(output[2 * k]).toBeCloseTo(re, 12);
        expect(output[2 * k + 1]).toBeCloseTo(im, 12);
      }
    });
  }
});

describe("the transform's inputs", () => {
  for (const direction of ["forward", "inverse"] as const) {
    it(`${direction}: every item peaks at the tone planted in it, at its own bin`, () => {
      const own: FftProblem = { ...problem, direction };
      const output = perfect(own, suite.inputs(own, 3));
      const peaks = Array.from({ length: own.batch }, (_, item) => {
        const sizes = Array.from({ length: own.n }, (_, k) =>
          Math.hypot(output[2 * (item * own.n + k)]!, output[2 * (item * own.n + k) + 1]!),
        );
        const peak = Math.max(...sizes);
        expect(peak).toBeGreaterThan(0.4 * own.n);
        expect(sizes.filter((size) => size > peak / 2)).toHaveLength(1);
        return sizes.indexOf(peak);
      });
      expect(new Set(peaks).size).toBeGreaterThan(6);
    });
  }

  it("are the same from the same seed, and others from another", () => {
    expect(suite.inputs(problem, 7)).toEqual(inputs);
    expect(suite.inputs(problem, 8).input).not.toEqual(inputs.input);
  });
});

describe("the transform's oracle", () => {
  it("accepts what float64 gives, with the rounding of one float32 as its error", () => {
    const verdict = verdictOf();
    expect(verdict).toMatchObject({ matched: 9, total: 9, sampled: 2, nearTies: 0 });
    expect(verdict.detail).toBeUndefined();
    expect(verdict.maxError).toBeLessThan(6e-8);
  });

  it("reports an error of 1e-5 of the norm as that, not as wrong, where it samples all", () => {
    const words = right.map((value) => value * (1 + 1e-5));
    const verdict = suite.oracle(problem, inputs).check({ output: words }, { count: 9, seed: 1 });
    expect(verdict.matched).toBe(9);
    expect(verdict.maxError).toBeGreaterThan(0.99e-5);
    expect(verdict.maxError).toBeLessThan(1.01e-5);
  });

  const at = (item: number, k: number): number => 2 * (item * problem.n + k);
  // Every item in turn: whether it is sampled or only checked as a whole must not matter.
  const wrongs: [string, (words: Float32Array, item: number) => void][] = [
    [
      "one output off by a tenth of the root mean square",
      (words, item) => words.set([right[at(item, 77)]! + 2], at(item, 77)),
    ],
    [
      "two neighbouring outputs swapped",
      (words, item) => {
        words.copyWithin(at(item, 40), at(item, 41), at(item, 42));
        words.set(right.subarray(at(item, 40), at(item, 41)), at(item, 41));
      },
    ],
    [
      "the conjugate",
      (words, item) => {
        for (let k = 0; k < problem.n; k++) words[at(item, k) + 1]! *= -1;
      },
    ],
    [
      "the reversed order of the other direction",
      (words, item) => {
        for (let k = 1; k < problem.n; k++)
          words.set(right.subarray(at(item, k), at(item, k) + 2), at(item, problem.n - k));
      },
    ],
    [
      "a transform divided by n",
      (words, item) => {
        for (let w = at(item, 0); w < at(item + 1, 0); w++) words[w]! /= problem.n;
      },
    ],
    [
      "another item's transform",
      (words, item) => {
        const other = (item + 1) % problem.batch;
        words.set(right.subarray(at(other, 0), at(other + 1, 0)), at(item, 0));
      },
    ],
    ["one NaN", (words, item) => words.set([Number.NaN], at(item, 5))],
    ["zeros", (words, item) => void words.fill(0, at(item, 0), at(item + 1, 0))],
  ];
  for (const [what, change] of wrongs) {
    it(`calls ${what} wrong in whichever item, and names it`, () => {
      for (let item = 0; item < problem.batch; item++) {
        const verdict = verdictOf((words) => change(words, item));
        expect(verdict.matched).toBe(8);
        expect(verdict.detail).toMatch(new RegExp(`^item ${item}: `));
      }
    });
  }

  it("calls poisoned and missing outputs mismatches, every one", () => {
    const poisoned = verdictOf((words) => void words.fill(Number.NaN));
    expect(poisoned).toMatchObject({ matched: 0, maxError: Number.POSITIVE_INFINITY });
    expect(suite.oracle(problem, inputs).check({}, SAMPLE)).toMatchObject({ matched: 0, total: 9 });
    const short = { output: right.subarray(2) };
    expect(suite.oracle(problem, inputs).check(short, SAMPLE).detail).toMatch(/holds 2302 words, not 2304/);
  });

  it("judges as it would have once it is prepared, and looks at no input any more", () => {
    const own = suite.inputs(problem, 7);
    const expected = suite.oracle(problem, own).check({ output: right }, SAMPLE);
    const oracle = suite.oracle(problem, own);
    oracle.prepare!(SAMPLE);
    (own.input as Float32Array).fill(Number.NaN);
    expect(oracle.check({ output: right }, SAMPLE)).toEqual(expected);
  });
});

describe("the transform's workloads", () => {
  it("hold no problem that the operation refuses; the standard one fills 2^25 points", () => {
    for (const problems of Object.values(suite.workloads)) {
      for (const each of problems) expect(suite.operation.refuse(each)).toBeUndefined();
    }
    expect(suite.workloads.standard).toContainEqual({ n: 4096, batch: 8192, direction: "forward" });
    expect(suite.workloads.full).toContainEqual({ n: 4096, batch: 32_768, direction: "forward" });
  });

  it("count 5 n log2 n FLOPs, and every point read and written once", () => {
    expect(suite.work({ n: 1024, batch: 3, direction: "inverse" })).toEqual({
      flops: 3 * 5 * 1024 * 10,
      bytes: 3 * 1024 * 8 * 2,
      items: 3,
    });
  });
});
