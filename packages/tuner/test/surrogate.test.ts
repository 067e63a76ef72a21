import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { factor, solveLower, solveUpper } from "../src/strategies/model/cholesky.ts";
import type { Encoding } from "../src/strategies/model/encode.ts";
import { fitTheta, kernelOf, negativeLogPosterior, priorTheta } from "../src/strategies/model/fit.ts";
import { matern52 } from "../src/strategies/model/kernel.ts";
import { Posterior } from "../src/strategies/model/posterior.ts";

const ENCODING: Encoding = { width: 3, groups: [0, 1, 1], scales: 2, encode: () => new Float64Array(3) };
const random = randomFrom(7);
const N = 12;
const points = Array.from({ length: N + 3 }, () => Float64Array.from({ length: 3 }, () => random.float()));
const y = Float64Array.from(points.slice(0, N), ([a, b]) => Math.sin(5 * a!) + 0.3 * b!);
const x = Float64Array.from(points.slice(0, N).flatMap((point) => [...point]));

/** Mean and variance by the textbook formula, solved by Gauss-Jordan elimination. */
function textbook(
  at: Float64Array,
  theta: Float64Array,
): { readonly mean: number; readonly variance: number } {
  const { weights, noise } = kernelOf(ENCODING, theta);
  const k = (a: Float64Array, b: Float64Array): number =>
    matern52(a.reduce((sum, value, index) => sum + weights[index]! * (value - b[index]!) ** 2, 0));
  const rows = Array.from({ length: N }, (_, i) => [
    ...Array.from({ length: N }, (_, j) => k(points[i]!, points[j]!) + (i === j ? noise : 0)),
    y[i]!,
    k(points[i]!, at),
  ]);
  for (let i = 0; i < N; i++) {
    const pivot = rows[i]![i]!;
    rows[i] = rows[i]!.map((value) => value / pivot);
    for (let j = 0; j < N; j++) {
      if (j !== i) rows[j] = rows[j]!.map((value, column) => value - rows[j]![i]! * rows[i]![column]!);
    }
  }
  let mean = 0;
  let variance = 1;
  for (let i = 0; i < N; i++) {
    mean += k(points[i]!, at) * rows[i]![N]!;
    variance -= k(points[i]!, at) * rows[i]![N + 1]!;
  }
  return { mean, variance };
}

describe("the Cholesky factor", () => {
  it("solves both ways, and refuses a matrix that is not positive definite", () => {
    const a = Float64Array.of(4, 0, 0, 2, 5, 0, 1, 3, 6);
    expect(factor(a, 3, 3)).toBe(true);
    const b = Float64Array.of(4 + 4 + 3, 2 + 10 + 9, 1 + 6 + 18);
    solveLower(a, 3, 3, b);
    solveUpper(a, 3, 3, b);
    expect([...b].map((value) => Number(value.toFixed(12)))).toEqual([1, 2, 3]);
    expect(factor(Float64Array.of(1, 0, 2, 1), 2, 2)).toBe(false);
  });
});

describe("the posterior", () => {
  const theta = Float64Array.of(Math.log(0.4), Math.log(0.8), -4);

  it("is the textbook's, whether observations come at once or one by one after a place", () => {
    const at = points[N]!;
    const expected = textbook(at, theta);
    const atOnce = new Posterior(kernelOf(ENCODING, theta), 3, N, 1);
    atOnce.begin(x, y);
    atOnce.add([at]);
    const mixed = new Posterior(kernelOf(ENCODING, theta), 3, N, 1);
    mixed.begin(x.slice(0, 18), y.slice(0, 6));
    mixed.add([at]);
    for (let i = 6; i < N; i++) mixed.observe(points[i]!, y[i]!);
    for (const posterior of [atOnce, mixed]) {
      expect(posterior.means[0]).toBeCloseTo(expected.mean, 9);
      expect(posterior.variances[0]).toBeCloseTo(expected.variance, 9);
      expect(posterior.meanAt(at)).toBeCloseTo(expected.mean, 9);
    }
    expect(mixed.signal).toBeCloseTo(atOnce.signal, 9);
  });

  it("believes points at their means, which changes none, and is no surer of what it believes than of what it knows", () => {
    const posterior = new Posterior(kernelOf(ENCODING, theta), 3, N + 2, 2);
    posterior.begin(x, y);
    posterior.add([points[N]!]);
    const [mean, variance] = [posterior.means[0]!, posterior.variances[0]!];
    posterior.believe(points[N + 1]!);
    posterior.believe(points[N + 2]!);
    expect(posterior.means[0]).toBeCloseTo(mean, 10);
    expect(posterior.variances[0]!).toBeLessThan(variance - 1e-6);
  });

  it.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 2, 0]]])(
    "has observed what it believed once that has come, in whatever order (%j), and believes the rest at its new mean",
    (order) => {
      const believed = [points[N]!, points[N + 1]!, points[N + 2]!];
      const came = [2, -1, 0.5];
      const at = [Float64Array.of(0.2, 0.4, 0.9), ...believed];
      const posterior = new Posterior(kernelOf(ENCODING, theta), 3, N + 4, 1);
      posterior.begin(x, y);
      posterior.add(at);
      const beliefs = believed.map((point) => posterior.believe(point));
      const plain = new Posterior(kernelOf(ENCODING, theta), 3, N + 4, 1);
      plain.begin(x, y);
      plain.add(at);
      for (const [count, index] of order.entries()) {
        posterior.settle(beliefs[index]!, came[index]!);
        plain.observe(believed[index]!, came[index]!);
        // Something that nobody believed in comes in between.
        if (count === 0) for (const one of [posterior, plain]) one.observe(Float64Array.of(0.3, 0.3, 0.3), 1);
        for (const place of at.keys()) expect(posterior.means[place]).toBeCloseTo(plain.means[place]!, 9);
      }
      expect(Math.abs(plain.means[0]!)).toBeGreaterThan(1e-3);
      for (const place of at.keys())
        expect(posterior.variances[place]).toBeCloseTo(plain.variances[place]!, 9);
      expect(posterior.signal).toBeCloseTo(plain.signal, 9);
      expect(posterior.meanAt(at[0]!)).toBeCloseTo(plain.meanAt(at[0]!), 9);
    },
  );

  it("takes more places than it was made for", () => {
    const posterior = new Posterior(kernelOf(ENCODING, theta), 3, N, 1);
    posterior.begin(x, y);
    for (let place = 0; place < 5; place++) posterior.add([points[N]!]);
    expect(posterior.means[4]).toBe(posterior.means[0]);
  });
});

describe("the fit of hyperparameters", () => {
  it("follows the true slope of the log posterior", () => {
    const theta = Float64Array.of(-0.7, 0.4, -3);
    const { gradient } = negativeLogPosterior(ENCODING, x, y, theta);
    for (let k = 0; k < 3; k++) {
      const step = 1e-5;
      const moved = (by: number): number =>
        negativeLogPosterior(
          ENCODING,
          x,
          y,
          theta.map((value, index) => value + (index === k ? by : 0)),
        ).value;
      expect(gradient[k]).toBeCloseTo((moved(step) - moved(-step)) / (2 * step), 4);
    }
  });

  it("only goes uphill, and finds the coordinate that matters", () => {
    const from = priorTheta(ENCODING);
    const fitted = fitTheta(ENCODING, x, y, from, 40);
    expect(negativeLogPosterior(ENCODING, x, y, fitted).value).toBeLessThan(
      negativeLogPosterior(ENCODING, x, y, from).value,
    );
    expect(fitted[0]!).toBeLessThan(fitted[1]!);
  });
});
