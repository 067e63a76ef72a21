import { dot, factor, solveLower, solveLowerRows } from "./cholesky.ts";
import { covariance, type Kernel } from "./kernel.ts";

/** A point believed to come out at its mean. */
export type Belief = object;

/**
 * A Gaussian process's mean and variance at a growing pool of points, kept up to date as observations come: one more
 * observation costs O(n) a point instead of O(n^2). Targets have mean 0 and variance about 1.
 */
export class Posterior {
  readonly #kernel: Kernel;
  readonly #width: number;
  readonly #capacity: number;
  readonly #x: Float64Array;
  readonly #l: Float64Array;
  /** L^-1 y. */
  readonly #z: Float64Array;
  /** What is believed: the last rows, in order. */
  readonly #beliefs: Belief[] = [];
  #n = 0;
  #poolX: Float64Array;
  /** L^-1 k(X, pool), a row a point. */
  #poolV: Float64Array;
  #pool = 0;
  means: Float64Array;
  /** Without the noise, relative to the signal's variance. */
  variances: Float64Array;
  #fit = 0;

  constructor(kernel: Kernel, width: number, capacity: number, poolRoom: number) {
    this.#kernel = kernel;
    this.#width = width;
    this.#capacity = capacity;
    this.#x = new Float64Array(capacity * width);
    this.#l = new Float64Array(capacity * capacity);
    this.#z = new Float64Array(capacity);
    this.#poolX = new Float64Array(poolRoom * width);
    this.#poolV = new Float64Array(poolRoom * capacity);
    this.means = new Float64Array(poolRoom);
    this.variances = new Float64Array(poolRoom);
  }

  /** Observations and beliefs. */
  get count(): number {
    return this.#n;
  }

  /** Variance of the signal, given the observations: inverse gamma prior of two observations at 1. */
  get signal(): number {
    return (this.#fit + 2) / (this.#n + 2);
  }

  /** Conditions on all observations at once: x holds n rows. Only on an empty posterior. */
  begin(x: Float64Array, y: Float64Array): void {
    const n = y.length;
    const { noise } = this.#kernel;
    this.#x.set(x);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        this.#l[i * this.#capacity + j] = covariance(this.#kernel, x, i * this.#width, x, j * this.#width);
      }
      this.#l[i * this.#capacity + i] = 1 + noise;
    }
    factor(this.#l, n, this.#capacity);
    this.#z.set(y);
    solveLower(this.#l, n, this.#capacity, this.#z);
    this.#n = n;
    for (let i = 0; i < n; i++) this.#fit += this.#z[i]! ** 2;
  }

  /** Adds points to the pool, at the next places. */
  add(points: readonly Float64Array[]): void {
    const first = this.#pool;
    this.#pool += points.length;
    if (this.#pool > this.means.length) this.#grow();
    for (const [index, point] of points.entries()) {
      const place = first + index;
      const row = place * this.#capacity;
      this.#poolX.set(point, place * this.#width);
      for (let i = 0; i < this.#n; i++) {
        this.#poolV[row + i] = covariance(this.#kernel, this.#x, i * this.#width, point, 0);
      }
    }
    solveLowerRows(this.#l, this.#n, this.#capacity, this.#poolV, first, points.length);
    for (let place = first; place < this.#pool; place++) {
      const row = place * this.#capacity;
      let mean = 0;
      let variance = 1;
      for (let i = 0; i < this.#n; i++) {
        const v = this.#poolV[row + i]!;
        mean += v * this.#z[i]!;
        variance -= v * v;
      }
      this.means[place] = mean;
      this.variances[place] = variance;
    }
  }

  /** Mean at a point outside the pool. */
  meanAt(point: Float64Array): number {
    const v = new Float64Array(this.#n);
    for (let i = 0; i < this.#n; i++) v[i] = covariance(this.#kernel, this.#x, i * this.#width, point, 0);
    solveLower(this.#l, this.#n, this.#capacity, v);
    return v.reduce((sum, value, i) => sum + value * this.#z[i]!, 0);
  }

  /** One more observation. */
  observe(point: Float64Array, y: number): void {
    if (this.#beliefs.length > 0) {
      this.settle(this.believe(point), y);
      return;
    }
    const { rest, mean } = this.#condition(point);
    const d = Math.sqrt(Math.max(rest, this.#kernel.noise));
    const z = (y - mean) / d;
    this.#z[this.#n] = z;
    this.#fit += z * z;
    this.#append(point, d, z);
  }

  /** One more point, believed to come out at its mean: the means stay, variances fall. */
  believe(point: Float64Array): Belief {
    const { rest } = this.#condition(point);
    this.#z[this.#n] = 0;
    this.#append(point, Math.sqrt(Math.max(rest, this.#kernel.noise)), 0);
    const belief = {};
    this.#beliefs.push(belief);
    return belief;
  }

  /**
   * What was believed has come out at y. Its row moves before those that are still believed, by rotations of neighbouring rows: O(points)
   * for each of them, where taking all back and believing them again costs O(n points).
   */
  settle(belief: Belief, y: number): void {
    const first = this.#n - this.#beliefs.length;
    const place = this.#beliefs.indexOf(belief);
    this.#beliefs.splice(place, 1);
    for (let row = first + place; row > first; row--) this.#exchange(row - 1);
    const from = first * this.#capacity;
    let mean = 0;
    for (let i = 0; i < first; i++) mean += this.#l[from + i]! * this.#z[i]!;
    const z = (y - mean) / this.#l[from + first]!;
    this.#z[first] = z;
    this.#fit += z * z;
    for (let at = 0; at < this.#pool; at++) this.means[at]! += this.#poolV[at * this.#capacity + first]! * z;
  }

  #append(point: Float64Array, d: number, z: number): void {
    const n = this.#n++;
    this.#l[n * this.#capacity + n] = d;
    const own = this.#l.subarray(n * this.#capacity, n * this.#capacity + n);
    for (let place = 0; place < this.#pool; place++) {
      const v = (this.#covarianceAt(place, point) - dot(own, this.#poolV, place * this.#capacity)) / d;
      this.#poolV[place * this.#capacity + n] = v;
      this.means[place]! += v * z;
      this.variances[place]! -= v * v;
    }
  }

  /**
   * Exchanges two believed points, in rows i and i + 1: with p, q and r where those rows meet columns i and i + 1, a rotation of the
   * columns by (q, r) / |(q, r)| makes the factor triangular again.
   */
  #exchange(i: number): void {
    const [upper, lower] = [i * this.#capacity, (i + 1) * this.#capacity];
    const [p, q, r] = [this.#l[upper + i]!, this.#l[lower + i]!, this.#l[lower + i + 1]!];
    const length = Math.hypot(q, r);
    const [c, s] = [q / length, r / length];
    swap(this.#x, i * this.#width, this.#width);
    swap(this.#l, upper, i, this.#capacity);
    this.#l[upper + i] = length;
    this.#l[lower + i] = p * c;
    this.#l[lower + i + 1] = p * s;
    for (let row = i + 2; row < this.#n; row++) rotate(this.#l, row * this.#capacity + i, c, s);
    for (let place = 0; place < this.#pool; place++) rotate(this.#poolV, place * this.#capacity + i, c, s);
  }

  /** Puts a point into the next row: its variance given the rows before, noise included, and its mean. */
  #condition(point: Float64Array): { readonly rest: number; readonly mean: number } {
    const n = this.#n;
    const row = n * this.#capacity;
    this.#x.set(point, n * this.#width);
    for (let i = 0; i < n; i++) {
      this.#l[row + i] = covariance(this.#kernel, this.#x, i * this.#width, point, 0);
    }
    solveLower(this.#l, n, this.#capacity, this.#l.subarray(row));
    let rest = 1 + this.#kernel.noise;
    let mean = 0;
    for (let i = 0; i < n; i++) {
      const l = this.#l[row + i]!;
      rest -= l * l;
      mean += l * this.#z[i]!;
    }
    return { rest, mean };
  }

  #covarianceAt(place: number, point: Float64Array): number {
    return covariance(this.#kernel, this.#poolX, place * this.#width, point, 0);
  }

  #grow(): void {
    const room = Math.max(this.#pool, 2 * this.means.length);
    const wider = (old: Float64Array, perPlace: number): Float64Array => {
      const grown = new Float64Array(room * perPlace);
      grown.set(old);
      return grown;
    };
    this.#poolX = wider(this.#poolX, this.#width);
    this.#poolV = wider(this.#poolV, this.#capacity);
    this.means = wider(this.means, 1);
    this.variances = wider(this.variances, 1);
  }
}

/** Exchanges `count` numbers from `at` on with those `stride` further. */
function swap(values: Float64Array, at: number, count: number, stride: number = count): void {
  const kept = values.slice(at, at + count);
  values.copyWithin(at, at + stride, at + stride + count);
  values.set(kept, at + stride);
}

/** Two neighbouring numbers in the basis of (c, s) and (s, -c). */
function rotate(values: Float64Array, at: number, c: number, s: number): void {
  const [u, v] = [values[at]!, values[at + 1]!];
  values[at] = c * u + s * v;
  values[at + 1] = s * u - c * v;
}
