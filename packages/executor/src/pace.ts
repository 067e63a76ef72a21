import { GROWTH } from "./budgets.ts";

/** The shortest time that a reading may claim for a submission; coarser than any clock's noise. */
const MEASURABLE_MS = 0.01;

/**
 * How many iterations of a host-driven loop a submission may hold. Their cost is known from an earlier run, or is learned: one iteration by
 * itself first, or as many as a model allows, then as many as the time budget holds, at most GROWTH times as many as before.
 */
export class Pace {
  readonly #submitMs: number;
  readonly #items: number;
  readonly learns: boolean;
  #each: number;
  #most: number;

  /** `msPerIteration`: of one item, where it is known; `expected`: where a model says what it is at most. */
  constructor(submitMs: number, msPerIteration: number | undefined, items: number, expected?: number) {
    this.#submitMs = submitMs;
    this.#items = items;
    this.learns = msPerIteration === undefined;
    this.#each = (msPerIteration ?? Number.POSITIVE_INFINITY) * items;
    const first = expected === undefined ? 1 : this.#affordable(expected * items);
    this.#most = this.learns ? first : this.#affordable();
  }

  /** Iterations of the next submission: at least one. */
  get iterations(): number {
    return this.#most;
  }

  /** Of all items, as told or by the fastest submission so far. */
  get msPerPass(): number {
    return this.#each;
  }

  /** Of one item, by the fastest submission so far. */
  get msPerIteration(): number {
    return this.#each / this.#items;
  }

  took(ms: number, iterations: number): void {
    this.#each = Math.min(this.#each, Math.max(ms, MEASURABLE_MS) / iterations);
    this.#most = Math.min(this.#most * GROWTH, this.#affordable());
  }

  #affordable(each = this.#each): number {
    return Math.max(1, Math.floor(this.#submitMs / each));
  }
}
