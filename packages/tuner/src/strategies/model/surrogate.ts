import type { Random } from "@tunelab/variants";
import type { Encoding } from "./encode.ts";
import { fitTheta, kernelOf, priorTheta, type Theta } from "./fit.ts";
import { type Belief, Posterior } from "./posterior.ts";

/** Growth of the observations after which the hyperparameters are fitted again: often while few, seldom when dear. */
const GROWTH = 1.2;

/** Observations that hyperparameters are fitted to, at most, and steps of the fit: 25 ms in the worst case here. */
const FITTED = 120;
const FIT_STEPS = 25;

/** Places for neighbours of leaders beside the pool, before memory is moved. */
const ROOM = 400;

/** Observations that fit in beyond those at which hyperparameters are due again: failures come in between. */
const SPARE_ROOM = 16;

/** Candidates being measured that are believed in at once, at most: those that 16 compilers and their queue can hold, and some more. */
const MOST_BELIEVED = 32;

/** Least variance of a place: rounding leaves less, or less than none, where the data say everything. */
const LEAST_VARIANCE = 1e-12;

/** Failures held beside them, the latest: where most variants do not fit the device, they would crowd out what was timed. */
const FAILURES = 100;

/**
 * What a failure is held at: what it would probably have cost, which takes the attraction of the unknown from its surroundings
 * and leaves fast variants beside it fast; never better than the average, 0, so that hope does not draw the search back.
 */
const failureAt = (posterior: Posterior, x: Float64Array): number => Math.max(0, posterior.meanAt(x));

interface Timed {
  readonly x: Float64Array;
  readonly cost: number;
}

/** How a place of the pool compares with a target cost, in units of standardised cost. */
export type View = (place: number) => { readonly improvement: number; readonly deviation: number };

/** The Gaussian process over what was timed: standardised costs, hyperparameters fitted now and then, a pool of places. */
export class Surrogate {
  readonly #encoding: Encoding;
  readonly #random: Random;
  readonly #most: number;
  readonly #timed: Timed[] = [];
  readonly #failed: Float64Array[] = [];
  #theta: Theta;
  #posterior: Posterior | undefined;
  #nextFit = 0;
  #mean = 0;
  #scale = 1;
  /** What the posterior believes of candidates that are being measured. */
  #beliefs = new Map<Float64Array, Belief>();
  /** Observations that the posterior holds at most; beliefs come on top. */
  #room = 0;

  /** `held`: observations that it holds at most: time grows with their square. The least costly half stays, of the rest a sample. */
  constructor(encoding: Encoding, random: Random, held: number) {
    this.#encoding = encoding;
    this.#random = random;
    this.#most = held;
    this.#theta = priorTheta(encoding);
  }

  /** Whether enough was observed since the last fit. */
  get isStale(): boolean {
    return this.#posterior === undefined || this.#timed.length >= this.#nextFit || !this.#hasRoom;
  }

  /** Cost of one unit of a view. */
  get scale(): number {
    return this.#scale;
  }

  get #hasRoom(): boolean {
    return this.#posterior !== undefined && this.#posterior.count - this.#beliefs.size < this.#room;
  }

  /** `x`: the very array that was pending, where it was. */
  observe(x: Float64Array, cost: number): void {
    this.#timed.push({ x, cost });
    if (this.#posterior) this.#learn(this.#posterior, x, (cost - this.#mean) / this.#scale);
  }

  /**
   * A failure says nothing of times, but its place is unknown no longer. Hyperparameters are fitted without it.
   */
  observeFailure(x: Float64Array): void {
    this.#failed.push(x);
    if (this.#posterior) this.#learn(this.#posterior, x, failureAt(this.#posterior, x));
  }

  #learn(posterior: Posterior, x: Float64Array, y: number): void {
    const belief = this.#beliefs.get(x);
    if (belief === undefined) {
      if (this.#hasRoom) posterior.observe(x, y);
      return;
    }
    this.#beliefs.delete(x);
    posterior.settle(belief, y);
  }

  /** Fits hyperparameters, and considers these places from now on. */
  refit(places: readonly Float64Array[]): void {
    const held = this.#some(this.#timed, this.#most);
    this.#standardise(held);
    const fitted = this.#some(held, FITTED);
    this.#theta = fitTheta(
      this.#encoding,
      this.#rows(fitted.map(({ x }) => x)),
      this.#targets(fitted),
      this.#theta,
      FIT_STEPS,
    );
    this.#nextFit = Math.ceil(this.#timed.length * GROWTH);
    const failed = this.#failed.slice(-FAILURES);
    this.#room = held.length + failed.length + this.#nextFit - this.#timed.length + SPARE_ROOM;
    const capacity = this.#room + MOST_BELIEVED;
    const kernel = kernelOf(this.#encoding, this.#theta);
    this.#posterior = new Posterior(kernel, this.#encoding.width, capacity, places.length + ROOM);
    this.#posterior.begin(this.#rows(held.map(({ x }) => x)), this.#targets(held));
    for (const x of failed) this.#posterior.observe(x, failureAt(this.#posterior, x));
    this.#beliefs.clear();
    this.#posterior.add(places);
  }

  /** Forgets all places: stale from now on. */
  drop(): void {
    this.#posterior = undefined;
    this.#beliefs.clear();
  }

  /** One more place. */
  consider(place: Float64Array): void {
    this.#posterior?.add([place]);
  }

  /**
   * How places compare with `target`, a cost, while `pending` are being measured: those are believed to come out at their mean
   * (the kriging believer of Ginsbourger, Le Riche and Carraro, 2010), so that the next one is not their twin. Each is believed once
   * and settled when it comes: believed anew for each proposal, 16 of them took 0.16 s of the 0.18 s from trial to trial.
   */
  view(target: number, pending: readonly Float64Array[]): View {
    const posterior = this.#posterior!;
    for (const x of pending) {
      if (this.#beliefs.size >= MOST_BELIEVED) break;
      if (!this.#beliefs.has(x)) this.#beliefs.set(x, posterior.believe(x));
    }
    const { means, variances, signal } = posterior;
    const aim = (target - this.#mean) / this.#scale;
    return (place) => ({
      improvement: aim - means[place]!,
      deviation: Math.sqrt(Math.max(variances[place]!, LEAST_VARIANCE) * signal),
    });
  }

  #some(timed: readonly Timed[], most: number): readonly Timed[] {
    if (timed.length <= most) return timed;
    const sorted = [...timed].sort((a, b) => a.cost - b.cost);
    const half = most / 2;
    return [...sorted.slice(0, half), ...this.#random.shuffle(sorted.slice(half)).slice(0, half)];
  }

  #standardise(timed: readonly Timed[]): void {
    const { length } = timed;
    this.#mean = timed.reduce((sum, { cost }) => sum + cost, 0) / length;
    const variance = timed.reduce((sum, { cost }) => sum + (cost - this.#mean) ** 2, 0) / length;
    this.#scale = Math.sqrt(variance) || 1; // all alike: any scale does
  }

  #targets(timed: readonly Timed[]): Float64Array {
    return Float64Array.from(timed, ({ cost }) => (cost - this.#mean) / this.#scale);
  }

  #rows(points: readonly Float64Array[]): Float64Array {
    const { width } = this.#encoding;
    const rows = new Float64Array(points.length * width);
    for (const [row, x] of points.entries()) rows.set(x, row * width);
    return rows;
  }
}
