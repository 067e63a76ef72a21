import type { PortData, Verdict } from "@tunelab/contract";
import { randomFrom } from "@tunelab/variants";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { beforeAll, describe, expect, it } from "vitest";
import { matrixStride, operation, rowStride, STATUS } from "../src/index.ts";
import { eigenvaluesOf, eighProblem, KINDS, kindOf, matrixOf, suite, symmetric } from "../src/suite.ts";

const problem = eighProblem(7, KINDS.length, { spectrum: "mixed", pad: 2, gap: 1 });
const { n, batch } = problem;
const SAMPLE = { count: batch, seed: 1 };

/** Outputs as a perfect kernel would write them: float64, rounded once. */
function perfect(inputs: PortData): PortData {
  const values = new Float32Array(batch * n).fill(Number.NaN);
  const vectors = new Float32Array(batch * n * n).fill(Number.NaN);
  const status = new Uint32Array(2 * batch);
  for (let item = 0; item < batch; item++) {
    const a = symmetric(problem, inputs.matrices!, item);
    status[2 * item + 1] = 3;
    if (!a.every(Number.isFinite)) {
      status[2 * item] = STATUS.nonFinite;
      continue;
    }
    const scale = a.reduce((most, x) => Math.max(most, Math.abs(x)), 0) || 1;
    const whole = Matrix.from1DArray(
      n,
      n,
      [...a].map((x) => x / scale),
    );
    const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(whole, {
      assumeSymmetric: true,
    });
    const order = [...realEigenvalues.keys()].sort((x, y) => realEigenvalues[x]! - realEigenvalues[y]!);
    for (const [k, from] of order.entries()) {
      values[item * n + k] = realEigenvalues[from]! * scale;
      for (let i = 0; i < n; i++) vectors[item * n * n + i * n + k] = eigenvectorMatrix.get(i, from);
    }
  }
  return { values, vectors, status };
}

let inputs: PortData;
let right: PortData;
beforeAll(() => {
  inputs = suite.inputs(problem, 7);
  right = perfect(inputs);
});

/** The verdict over the right outputs after `spoil` changed a copy of them. */
function verdictOf(
  spoil: (outputs: { values: Float32Array; vectors: Float32Array; status: Uint32Array }) => void = () => {},
): Verdict {
  const copy = {
    values: (right.values as Float32Array).slice(),
    vectors: (right.vectors as Float32Array).slice(),
    status: (right.status as Uint32Array).slice(),
  };
  spoil(copy);
  return suite.oracle(problem, inputs).check(copy, SAMPLE);
}

describe("the eigensolver's inputs", () => {
  it("have the spectrum that was asked for, within float64's rounding of their scale", () => {
    for (const kind of KINDS.filter(({ spectrum }) => spectrum)) {
      for (const order of [1, 2, 9, 24]) {
        const want = kind.spectrum!(order, randomFrom(order)).sort();
        const found = eigenvaluesOf(whole(matrixOf(kind, order, randomFrom(order)), order), order);
        const norm = Math.max(...want.map(Math.abs));
        for (const [k, value] of want.entries()) {
          expect(Math.abs(found[k]! - value) / norm, `${kind.name}, n = ${order}, value ${k}`).toBeLessThan(
            1e-13,
          );
        }
      }
    }
  });

  it("of mixed spectra hold junk above the diagonal and NaN between rows and matrices, which the oracle never reads", () => {
    const stride = 7 * 9 + 1;
    expect(inputs.matrices!.length).toBe(batch * stride);
    expect(inputs.matrices![1]).toBe(7e5);
    expect([7, 8, 7 * 9].map((at) => inputs.matrices![at])).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect(symmetric(problem, inputs.matrices!, 0).every(Number.isFinite)).toBe(true);
  });

  it("of random spectra are symmetric, the same for the same seed, others for another", () => {
    const random = eighProblem(4, 2);
    const made = suite.inputs(random, 1).matrices!;
    expect(made[1]).toBe(made[4]);
    expect(suite.inputs(random, 1).matrices).toEqual(made);
    expect(suite.inputs(random, 2).matrices).not.toEqual(made);
  });

  it("span float32: graded matrices have rows from 1e18 down, huge ones 1e37, tiny ones 1e-30", () => {
    const largest = (name: string): number => {
      const item = KINDS.findIndex((kind) => kind.name === name);
      return Math.max(...symmetric(problem, inputs.matrices!, item).map(Math.abs));
    };
    expect(largest("graded 1e-30 to 1e30")).toBeGreaterThan(1e29);
    expect(largest("huge")).toBeGreaterThan(1e36);
    expect(largest("tiny")).toBeLessThan(1e-29);
  });
});

const whole = (a: Float64Array, order: number): Float64Array => {
  const full = a.slice();
  for (let i = 0; i < order; i++) for (let j = 0; j < i; j++) full[j * order + i] = a[i * order + j]!;
  return full;
};

describe("the eigensolver's oracle", () => {
  it("accepts what float64 gives, rounded once, of every kind of matrix", () => {
    const verdict = verdictOf();
    expect(verdict).toMatchObject({ matched: batch, total: batch, sampled: batch });
    expect(verdict.detail).toBeUndefined();
    expect(verdict.maxError).toBeLessThan(1);
  });

  it("reports an eigenvector that is off by 50 n eps as that error, not as a wrong answer", () => {
    const verdict = verdictOf(({ vectors }) => {
      vectors[0]! += 50 * n * 2 ** -23;
    });
    expect(verdict.matched).toBe(batch);
    expect(verdict.maxError).toBeGreaterThan(5);
    expect(verdict.maxError).toBeLessThan(120);
  });

  const nan = KINDS.findIndex(({ nonFinite }) => nonFinite);
  const wrongs: [string, number, Parameters<typeof verdictOf>[0], RegExp][] = [
    [
      "a swapped pair of values",
      1,
      ({ values }) => void values.subarray(n, n + 2).reverse(),
      /values 0 and 1 are not ascending/,
    ],
    [
      "a vector of another value",
      1,
      ({ vectors }) => void vectors.copyWithin(n * n, n * n + 1, n * n + 2),
      /is off by/,
    ],
    [
      "a status of not converged",
      1,
      ({ status }) => void status.set([STATUS.unconverged, 40], 2),
      /status 1 after 40 sweeps/,
    ],
    [
      "a shifted spectrum",
      1,
      ({ values }) =>
        void values.set(
          values.subarray(n, 2 * n).map((x) => x + 1),
          n,
        ),
      /trace/,
    ],
    [
      "a matrix with NaN that is called fine",
      nan,
      ({ status }) => void status.fill(0, 2 * nan, 2 * nan + 1),
      /status 0 for a matrix that is not finite/,
    ],
    [
      "numbers for a matrix with NaN",
      nan,
      ({ values }) => void values.fill(1, nan * n, (nan + 1) * n),
      /numbers for a matrix/,
    ],
    [
      "NaN for a matrix without",
      1,
      ({ vectors }) => void vectors.fill(Number.NaN, n * n, n * n + 1),
      /Infinity n eps/,
    ],
  ];
  for (const [what, item, spoil, detail] of wrongs) {
    it(`calls ${what} a mismatch and names the matrix`, () => {
      const verdict = verdictOf(spoil);
      expect(verdict.matched).toBe(batch - 1);
      expect(verdict.detail).toMatch(new RegExp(`^matrix ${item}: .*`));
      expect(verdict.detail).toMatch(detail);
    });
  }

  it("notices a wrong eigenvalue in the sample alone where no vectors are wanted", () => {
    const bare = { ...problem, vectors: "no" } as const;
    const { values, status } = right;
    expect(suite.oracle(bare, inputs).check({ values: values!, status: status! }, SAMPLE)).toMatchObject({
      matched: batch,
    });
    // Two values moved towards each other: the trace and the order stay.
    const moved = (values as Float32Array).slice();
    const gap = moved[n - 1]! - moved[0]!;
    moved[0]! += 0.01 * gap;
    moved[n - 1]! -= 0.01 * gap;
    expect(suite.oracle(bare, inputs).check({ values: moved, status: status! }, SAMPLE).matched).toBe(
      batch - 1,
    );
  });

  it("finds a wrong vector outside the sample too, along a random vector", () => {
    const bad = (right.vectors as Float32Array).slice();
    bad[n * n + 3]! += 0.01;
    const none = { count: 0, seed: 1 };
    const fine = suite.oracle(problem, inputs).check(right, none);
    expect(fine).toMatchObject({ matched: batch, sampled: 0 });
    expect(fine.maxError).toBeLessThan(1);
    const verdict = suite.oracle(problem, inputs).check({ ...right, vectors: bad }, none);
    expect(verdict.matched).toBe(batch - 1);
    expect(verdict.detail).toMatch(/^matrix 1: /);
  });

  it("solves no matrix of the sample any more once it is prepared", () => {
    const bare = { ...problem, vectors: "no" } as const;
    const own = { matrices: (inputs.matrices as Float32Array).slice() };
    const expected = suite.oracle(bare, own).check(right, SAMPLE);
    const oracle = suite.oracle(bare, own);
    oracle.prepare!(SAMPLE);
    // Other matrices of the same diagonal: trace and order are still right, a spectrum computed now would not be.
    const [row, matrix] = [rowStride(bare), matrixStride(bare)];
    for (let item = 0; item < batch; item++)
      for (let i = 1; i < n; i++) {
        const at = item * matrix + i * row;
        for (let j = at; j < at + i; j++) if (Number.isFinite(own.matrices[j])) own.matrices[j] = 0;
      }
    expect(oracle.check(right, SAMPLE)).toEqual(expected);
    expect(suite.oracle(bare, own).check(right, SAMPLE).maxError).toBeGreaterThan(10 * expected.maxError);
  });

  it("calls outputs that are missing wrong, every one", () => {
    expect(suite.oracle(problem, inputs).check({}, SAMPLE)).toMatchObject({ matched: 0, total: batch });
  });

  it("knows the kind of every matrix of a batch, and lists no problem that the operation refuses", () => {
    expect(kindOf(problem, batch).name).toBe(KINDS[0]!.name);
    for (const each of Object.values(suite.workloads).flat()) expect(operation.refuse(each)).toBeUndefined();
  });
});

describe("the eigensolver's operation", () => {
  const refusals: [Record<string, unknown>, RegExp][] = [
    [{ n: 0 }, /n is 0, not a positive integer/],
    [{ n: 513 }, /n is 513, over 512/],
    [{ batch: 0 }, /batch is 0/],
    [{ pad: -1 }, /pad is -1, not a non-negative integer/],
    [{ vectors: "maybe" }, /vectors is maybe, not one of yes, no/],
    [{ spectrum: "flat" }, /spectrum is flat/],
    [{ lda: 4 }, /no dimension lda/],
    [{ n: 512, batch: 20_000 }, /elements, over/],
  ];
  for (const [change, message] of refusals) {
    it(`refuses ${JSON.stringify(change)} in one line`, () => {
      expect(operation.refuse({ ...eighProblem(4, 4), ...change } as never)).toMatch(message);
    });
  }
});
