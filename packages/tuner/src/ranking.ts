import type { Objective } from "./objective.ts";
import { lastTrial, type Screened } from "./screened.ts";

/** Screened variants that are certified beside the defaults. */
export const FINALISTS = 6;

interface Ranked {
  readonly one: Screened;
  readonly place: number;
  readonly cost: number;
}

/**
 * The screened variants that can be ranked, kept in order as they come: leaders of the race in their order, then by the screened
 * trial's cost, then by name. Asked ten times a trial; sorted anew each time, two thousand variants took 18 ms a trial.
 */
export class Ranking {
  readonly #objective: Objective;
  readonly #all: Screened[] = [];
  #order: Ranked[] = [];
  #finalists: readonly Screened[] | undefined;

  constructor(objective: Objective) {
    this.#objective = objective;
  }

  add(one: Screened): void {
    this.#all.push(one);
    const ranked = this.#ranked(one);
    if (!ranked) return;
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.#order[middle]!, ranked) < 0) low = middle + 1;
      else high = middle;
    }
    this.#order.splice(low, 0, ranked);
    this.#finalists = undefined;
  }

  /** What was ranked has changed: it was raced, or certified. */
  renew(): void {
    this.#order = this.#all.flatMap((one) => this.#ranked(one) ?? []).sort(compare);
    this.#finalists = undefined;
  }

  /** The best, `most` of them at most. */
  best(most: number): readonly Screened[] {
    return this.#order.slice(0, most).map(({ one }) => one);
  }

  get count(): number {
    return this.#order.length;
  }

  /** The best few, and everyone who is kept and gave a time. */
  get finalists(): readonly Screened[] {
    this.#finalists ??= this.#order.flatMap(({ one }, place) => (place < FINALISTS || one.keep ? [one] : []));
    return this.#finalists;
  }

  #ranked(one: Screened): Ranked | undefined {
    const cost = this.#objective.cost(one.trial);
    const last = lastTrial(one);
    if (cost === undefined || (last !== one.trial && this.#objective.cost(last) === undefined))
      return undefined;
    return { one, cost, place: one.place ?? Number.MAX_SAFE_INTEGER };
  }
}

function compare(a: Ranked, b: Ranked): number {
  return a.place - b.place || a.cost - b.cost || (a.one.variant < b.one.variant ? -1 : 1);
}
