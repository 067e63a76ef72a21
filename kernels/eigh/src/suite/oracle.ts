import type { Oracle, PortData, Verdict } from "@tunelab/contract";
import { randomFrom } from "@tunelab/variants";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { type EighProblem, EPSILON, MOST_SWEEPS, STATUS } from "../problem.ts";
import { symmetric } from "./inputs.ts";

/** Errors beyond this many n eps are no matter of accuracy: such a matrix is wrong. */
const WRONG = 1000;

/** Errors of one matrix's decomposition in units of n eps. */
export interface Errors {
  /** ||A V - V diag(w)||_F / ||A||_F; without vectors 0. */
  readonly residual: number;
  /** ||V^T V - I||_F; without vectors 0. */
  readonly orthogonality: number;
  /** max |w - w float64| / ||A||_2; NaN where float64 was not asked. */
  readonly value: number;
}

/** Eigenvalues in float64, ascending: ml-matrix's tridiagonal QL on the matrix scaled to 1. */
export function eigenvaluesOf(a: Float64Array, n: number): Float64Array {
  const largest = a.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  if (largest === 0) return new Float64Array(n);
  const scaled = Matrix.from1DArray(
    n,
    n,
    Array.from(a, (x) => x / largest),
  );
  const { realEigenvalues } = new EigenvalueDecomposition(scaled, { assumeSymmetric: true });
  return Float64Array.from(realEigenvalues, (x) => x * largest).sort();
}

/** Residual and orthogonality of columns `vectors` (row by row, from `at`) and `values`, in n eps. */
export function vectorErrors(
  a: Float64Array,
  n: number,
  values: ArrayLike<number>,
  vectors: ArrayLike<number>,
): Pick<Errors, "residual" | "orthogonality"> {
  const frobenius = frobeniusOf(a) || Number.MIN_VALUE;
  // Columns as rows: dot products run over neighbours.
  const v = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) v[k * n + i] = vectors[i * n + k]!;
  let [residual, angles] = [0, 0];
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) {
      const row = dot(a, i * n, v, k * n, n) - values[k]! * v[k * n + i]!;
      residual += (row / frobenius) ** 2;
    }
    for (let l = 0; l <= k; l++) {
      const off = dot(v, k * n, v, l * n, n) - (k === l ? 1 : 0);
      angles += (k === l ? 1 : 2) * off * off;
    }
  }
  return {
    residual: Math.sqrt(residual) / (n * EPSILON),
    orthogonality: Math.sqrt(angles) / (n * EPSILON),
  };
}

/**
 * Both errors from one random vector z of signs, in O(n^2) instead of O(n^3): E |(A V - V W) z|^2 = ||A V - V W||_F^2, and so for V^T V - I.
 */
export function probedErrors(
  a: Float64Array,
  n: number,
  values: ArrayLike<number>,
  vectors: ArrayLike<number>,
  signs: ArrayLike<number>,
): Pick<Errors, "residual" | "orthogonality"> {
  const frobenius = frobeniusOf(a) || Number.MIN_VALUE;
  const [y, scaled, back] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i++) {
    let [plain, weighted] = [0, 0];
    for (let k = 0; k < n; k++) {
      const x = vectors[i * n + k]! * signs[k]!;
      plain += x;
      weighted += x * values[k]!;
    }
    y[i] = plain;
    scaled[i] = weighted;
    for (let k = 0; k < n; k++) back[k]! += vectors[i * n + k]! * plain;
  }
  let [residual, angles] = [0, 0];
  for (let i = 0; i < n; i++) {
    residual += ((dot(a, i * n, y, 0, n) - scaled[i]!) / frobenius) ** 2;
    angles += (back[i]! - signs[i]!) ** 2;
  }
  return {
    residual: Math.sqrt(residual) / (n * EPSILON),
    orthogonality: Math.sqrt(angles) / (n * EPSILON),
  };
}

/** In four sums, which do not wait for each other: 512 x 512 products of 512 in 86 ms instead of 135. */
function dot(x: Float64Array, xAt: number, y: Float64Array, yAt: number, n: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = n - (n % 4);
  for (let i = 0; i < whole; i += 4) {
    a += x[xAt + i]! * y[yAt + i]!;
    b += x[xAt + i + 1]! * y[yAt + i + 1]!;
    c += x[xAt + i + 2]! * y[yAt + i + 2]!;
    d += x[xAt + i + 3]! * y[yAt + i + 3]!;
  }
  for (let i = whole; i < n; i++) a += x[xAt + i]! * y[yAt + i]!;
  return a + b + (c + d);
}

/** Errors of a matrix of a batch, or what is wrong with it; `full` asks for both errors of the vectors in full and the values against float64. */
export type Judge = (outputs: PortData, item: number, full: boolean) => Errors | string;

/** Eigenvalues of a batch's matrices in float64, each computed once: 0.9 s at n = 512. */
type Spectra = (item: number, a: Float64Array) => Float64Array;

function spectraOf(n: number): Spectra {
  const spectra = new Map<number, Float64Array>();
  return (item, a) => {
    const known = spectra.get(item) ?? eigenvaluesOf(a, n);
    spectra.set(item, known);
    return known;
  };
}

/**
 * Judges a matrix by its status, order, trace, and residual and orthogonality along a random vector (those of its input as the kernel read it), or, in full, by both
 * themselves and by the eigenvalues of a float64 solver. A matrix that is not finite must be reported, with NaN in all its results.
 */
export function judgeOf(
  problem: EighProblem,
  inputs: PortData,
  exact: Spectra = spectraOf(problem.n),
): Judge {
  const { n } = problem;
  const random = randomFrom(n);
  const signs = Float64Array.from({ length: n }, () => (random.integer(2) === 0 ? -1 : 1));
  function errorsOf(
    a: Float64Array,
    values: ArrayLike<number>,
    vectors: ArrayLike<number> | undefined,
    full: boolean,
  ): Pick<Errors, "residual" | "orthogonality"> {
    if (!vectors) return { residual: 0, orthogonality: 0 };
    return full ? vectorErrors(a, n, values, vectors) : probedErrors(a, n, values, vectors, signs);
  }

  return (outputs, item, full) => {
    const a = symmetric(problem, inputs.matrices!, item);
    const values = outputs.values!.subarray(n * item, n * (item + 1));
    const vectors =
      problem.vectors === "yes" ? outputs.vectors!.subarray(n * n * item, n * n * (item + 1)) : undefined;
    const [status, sweeps] = [outputs.status![2 * item]!, outputs.status![2 * item + 1]!];
    // Squares of float32 are finite in float64: the norm is finite when every element is.
    const frobenius = frobeniusOf(a);
    if (!Number.isFinite(frobenius)) {
      if (status !== STATUS.nonFinite) return `status ${status} for a matrix that is not finite`;
      const all = [...values, ...(vectors ?? [])];
      return all.every(Number.isNaN) ? NONE : "numbers for a matrix that is not finite";
    }
    if (status !== STATUS.converged) return `status ${status} after ${sweeps} sweeps`;
    if (sweeps > MOST_SWEEPS) return `${sweeps} sweeps, over ${MOST_SWEEPS}`;
    for (let k = 1; k < n; k++)
      if (!(values[k - 1]! <= values[k]!)) return `values ${k - 1} and ${k} are not ascending`;
    let trace = 0;
    for (let k = 0; k < n; k++) trace += values[k]! - a[k * n + k]!;
    if (!(Math.abs(trace) <= WRONG * n * EPSILON * frobenius)) return `the trace is off by ${trace}`;
    const errors = errorsOf(a, values, vectors, full);
    return { ...errors, value: full ? valueError(exact(item, a), values) : Number.NaN };
  };
}

/** Judges decompositions: every matrix, a random sample of them in full. */
export function oracleOf(problem: EighProblem, inputs: PortData): Oracle {
  const { n, batch } = problem;
  const exact = spectraOf(n);
  const judge = judgeOf(problem, inputs, exact);
  return {
    prepare({ count, seed }): void {
      for (const item of sampleOf(batch, count, seed)) {
        const a = symmetric(problem, inputs.matrices!, item);
        // A matrix that is not finite has no eigenvalues: what the kernel must say of it needs none.
        if (Number.isFinite(frobeniusOf(a))) exact(item, a);
      }
    },
    check(outputs, sample): Verdict {
      const missing = missingPort(problem, outputs);
      if (missing) {
        return {
          matched: 0,
          total: batch,
          sampled: 0,
          maxError: Number.POSITIVE_INFINITY,
          nearTies: 0,
          detail: missing,
        };
      }
      const chosen = sampleOf(batch, sample.count, sample.seed);
      let [matched, maxError] = [0, 0];
      let detail: string | undefined;
      for (let item = 0; item < batch; item++) {
        const found = judge(outputs, item, chosen.has(item));
        let wrong = typeof found === "string" ? found : undefined;
        if (typeof found !== "string") {
          for (const [name, error] of Object.entries(found) as [keyof Errors, number][]) {
            if (name === "value" && !chosen.has(item)) continue;
            const size = Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
            maxError = Math.max(maxError, size);
            if (size > WRONG) wrong ??= `${name} is off by ${size.toPrecision(3)} n eps`;
          }
        }
        if (wrong === undefined) matched++;
        else detail ??= `matrix ${item}: ${wrong}`;
      }
      return {
        matched,
        total: batch,
        sampled: chosen.size,
        maxError,
        nearTies: 0,
        ...(detail ? { detail } : {}),
      };
    },
  };
}

const NONE: Errors = { residual: 0, orthogonality: 0, value: 0 };

/** Largest distance of sorted eigenvalues, over the largest of them in size, in n eps. */
function valueError(exact: Float64Array, values: ArrayLike<number>): number {
  const n = exact.length;
  const norm = Math.max(Math.abs(exact[0]!), Math.abs(exact[n - 1]!)) || Number.MIN_VALUE;
  let most = 0;
  for (let k = 0; k < n; k++) {
    const off = Math.abs(values[k]! - exact[k]!) / norm;
    most = Number.isNaN(off) ? Number.POSITIVE_INFINITY : Math.max(most, off);
  }
  return most / (n * EPSILON);
}

function frobeniusOf(a: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * a[i]!;
  return Math.sqrt(sum);
}

function missingPort({ n, batch, vectors }: EighProblem, outputs: PortData): string | undefined {
  const need = {
    values: n * batch,
    status: 2 * batch,
    ...(vectors === "yes" ? { vectors: n * n * batch } : {}),
  };
  for (const [name, words] of Object.entries(need)) {
    const have = outputs[name]?.length ?? 0;
    if (have < words) return `${name} hold ${have} words, not ${words}`;
  }
  return undefined;
}

/** Distinct items to compare in full; all of them when the sample is as large. */
function sampleOf(items: number, count: number, seed: number): ReadonlySet<number> {
  if (count >= items) return new Set(Array.from({ length: items }, (_, item) => item));
  const random = randomFrom(seed);
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random.integer(items));
  return chosen;
}
