import type { Random } from "@tunelab/variants";

/**
 * A kind of symmetric matrix. Where `spectrum` is given the eigenvalues are known beforehand: the matrix is Q diag(spectrum) Q^T with a random
 * orthogonal Q, in float64, then rounded. `fill` writes the lower triangle itself.
 */
export interface Kind {
  readonly name: string;
  spectrum?(n: number, random: Random): Float64Array;
  fill?(n: number, random: Random): Float64Array;
  /** Whether the matrix holds NaN or infinity, so that no decomposition exists. */
  readonly nonFinite?: boolean;
}

const each = (n: number, value: (index: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => value(i));
const signed = (random: Random): number => (random.integer(2) === 0 ? -1 : 1);
const within = (random: Random): number => 2 * random.float() - 1;

/** A standard normal number (Box and Muller 1958). */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());

/** Symmetric with normal entries: variance 1/2 off the diagonal, 1 on it, as (R + R^T) / 2 has for normal R. */
function gaussian(n: number, random: Random): Float64Array {
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) a[i * n + j] = normal(random) * (i === j ? 1 : Math.SQRT1_2);
  }
  return a;
}

function spoiled(value: number): NonNullable<Kind["fill"]> {
  return (n, random) => {
    const a = gaussian(n, random);
    const i = random.integer(n);
    a[i * n + random.integer(i + 1)] = value;
    return a;
  };
}

/** Every kind that `mixed` inputs go through in turn. Float32's range limits the largest and smallest scale. */
export const KINDS: readonly Kind[] = [
  { name: "random", fill: gaussian },
  { name: "uniform", spectrum: (n, random) => each(n, () => within(random)) },
  {
    name: "graded 1e-30 to 1e30",
    spectrum: (n, random) => each(n, (i) => signed(random) * 10 ** (n === 1 ? 30 : -30 + (60 * i) / (n - 1))),
  },
  {
    name: "graded by rows",
    // Row and column i scaled by 10^-(20 i / n): both ends of float32's range in one matrix.
    fill: (n, random) => {
      const a = gaussian(n, random);
      for (let i = 0; i < n; i++)
        for (let j = 0; j <= i; j++) a[i * n + j]! *= 10 ** (18 - (18 * (i + j)) / n);
      return a;
    },
  },
  {
    name: "clustered",
    spectrum: (n, random) =>
      each(n, (i) => (i < n / 2 ? -0.5 + 1e-6 * within(random) : 1 + 1e-4 * within(random))),
  },
  { name: "repeated", spectrum: (n, random) => each(n, () => [-1, 0.5, 2][random.integer(3)]!) },
  { name: "rank one", spectrum: (n) => each(n, (i) => (i === 0 ? 3 : 0)) },
  { name: "half rank", spectrum: (n, random) => each(n, (i) => (i % 2 === 0 ? 1 + random.float() : 0)) },
  {
    name: "diagonal",
    fill: (n, random) => {
      const a = new Float64Array(n * n);
      for (let i = 0; i < n; i++) a[i * n + i] = within(random);
      return a;
    },
  },
  { name: "zero", fill: (n) => new Float64Array(n * n) },
  { name: "identity", spectrum: (n) => each(n, () => 1) },
  {
    name: "ones",
    fill: (n) => new Float64Array(n * n).fill(1),
  },
  {
    // Wilkinson's W+: eigenvalues in pairs that agree to more digits than float32 has.
    name: "Wilkinson",
    fill: (n) => {
      const a = new Float64Array(n * n);
      for (let i = 0; i < n; i++) {
        a[i * n + i] = Math.abs(i - (n - 1) / 2);
        if (i > 0) a[i * n + i - 1] = 1;
      }
      return a;
    },
  },
  { name: "huge", spectrum: (n, random) => each(n, () => 1e37 * within(random)) },
  { name: "tiny", spectrum: (n, random) => each(n, () => 1e-30 * within(random)) },
  { name: "NaN inside", fill: spoiled(Number.NaN), nonFinite: true },
  { name: "infinity inside", fill: spoiled(Number.POSITIVE_INFINITY), nonFinite: true },
];

/** The matrix of a kind, lower triangle, in float64. */
export function matrixOf(kind: Kind, n: number, random: Random): Float64Array {
  if (kind.fill) return kind.fill(n, random);
  return similar(kind.spectrum!(n, random), random);
}

/** Q diag(values) Q^T for Q the product of n random reflections: each takes the matrix A to A - v w^T - w v^T. */
export function similar(values: Float64Array, random: Random): Float64Array {
  const n = values.length;
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) a[i * n + i] = values[i]!;
  const reflections = n === 1 ? 0 : Math.min(n, 24);
  for (let r = 0; r < reflections; r++) {
    const v = each(n, () => normal(random));
    const length = Math.hypot(...v);
    for (let i = 0; i < n; i++) v[i]! /= length;
    // H A H = A - v w^T - w v^T with p = 2 A v and w = p - (v . p) v.
    const p = each(n, (i) => 2 * dot(a, i * n, v));
    const half = dot(p, 0, v);
    const w = each(n, (i) => p[i]! - half * v[i]!);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) a[i * n + j]! -= v[i]! * w[j]! + w[i]! * v[j]!;
    }
  }
  return a;
}

function dot(a: Float64Array, from: number, v: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < v.length; j++) sum += a[from + j]! * v[j]!;
  return sum;
}
