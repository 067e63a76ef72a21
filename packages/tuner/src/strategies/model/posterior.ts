import { dot, factor, solveLower, solveLowerRows } from "./cholesky.ts";
import { covariance, type Kernel } from "./kernel.ts";

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
  /** Targets of the rows from the first belief on; NaN for what is believed. */
  readonly #y: Float64Array;
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
    this.#y = new Float64Array(capacity);
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
    const n = this.#n;
    const { rest, mean } = this.#condition(point);
    const d = Math.sqrt(Math.max(rest, this.#kernel.noise));
    this.#l[n * this.#capacity + n] = d;
    const z = (y - mean) / d;
    this.#y[n] = y;
    this.#z[n] = z;
    this.#fit += z * z;
    this.#n++;
    const own = this.#l.subarray(n * this.#capacity, n * this.#capacity + n);
    for (let place = 0; place < this.#pool; place++) {
      const v = (this.#covarianceAt(place, point) - dot(own, this.#poolV, place * this.#capacity)) / d;
      this.#poolV[place * this.#capacity + n] = v;
      this.means[place]! += v * z;
      this.variances[place]! -= v * v;
    }
  }

  /** One more point, believed to come out at its mean: the means stay, variances fall. Returns its row, which `settle` takes. */
  believe(point: Float64Array): number {
    const row = this.#n;
    this.observe(point, this.meanAt(point));
    this.#y[row] = Number.NaN;
    this.#fit -= this.#z[row]! ** 2; // 0 but for rounding
    this.#z[row] = 0;
    return row;
  }

  /**
   * What was believed has come out at y. As if it had been observed at the time: rows after it that are known are conditioned on it
   * anew, beliefs stay at their means. O(points) for each of those rows, instead of O(n points) for taking all beliefs back and again.
   */
  settle(row: number, y: number): void {
    this.#y[row] = y;
    for (let at = row; at < this.#n; at++) {
      const known = this.#y[at]!;
      if (Number.isNaN(known)) continue;
      const from = at * this.#capacity;
      const mean = dot(this.#l.subarray(from, from + at), this.#z, 0);
      const z = (known - mean) / this.#l[from + at]!;
      const change = z - this.#z[at]!;
      if (change === 0) continue;
      this.#fit += z * z - this.#z[at]! ** 2;
      this.#z[at] = z;
      for (let place = 0; place < this.#pool; place++) {
        this.means[place]! += this.#poolV[place * this.#capacity + at]! * change;
      }
    }
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
