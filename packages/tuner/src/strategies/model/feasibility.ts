import type { Random } from "@tunelab/variants";
import type { Encoding } from "./encode.ts";
import { chanceUnder } from "./improvement.ts";
import { Surrogate } from "./surrogate.ts";

/** Costs of the second surrogate, and the border between them. */
const WORKED = 0;
const FAILED = 1;
const BORDER = (WORKED + FAILED) / 2;

/** Observations held: borders need fewer than times do. Successes come first, of failures a sample beyond half. */
const HELD = 160;

/** Least doubt about a place, in the unit of those costs: near a border even a close neighbour's fate proves little. */
const DOUBT = 0.1;

/**
 * How likely candidates are to give a time: a second Gaussian process over what worked and what failed. Its length scales tell
 * which parameters failures depend on, so that a limit met at one value of a parameter counts for all others' values.
 */
export class Feasibility {
  readonly #surrogate: Surrogate;
  #worked = 0;
  #failed = 0;

  constructor(encoding: Encoding, random: Random) {
    this.#surrogate = new Surrogate(encoding, random, HELD);
  }

  observe(x: Float64Array, failed: boolean): void {
    if (failed) this.#failed++;
    else this.#worked++;
    this.#surrogate.observe(x, failed ? FAILED : WORKED);
  }

  /** The pool changed: places are told anew. */
  drop(): void {
    this.#surrogate.drop();
  }

  /** One more place. */
  consider(x: Float64Array): void {
    this.#surrogate.consider(x);
  }

  /** The chance of each place to give a time, in (0, 1); 1 until something failed and something worked. */
  view(places: () => readonly Float64Array[]): (place: number) => number {
    if (this.#failed === 0 || this.#worked === 0) return () => 1;
    if (this.#surrogate.isStale) this.#surrogate.refit(places());
    const view = this.#surrogate.view(BORDER, []);
    const doubt = DOUBT / this.#surrogate.scale;
    return (place) => {
      const { improvement, deviation } = view(place);
      return Math.max(LEAST_CHANCE, chanceUnder(improvement, Math.hypot(deviation, doubt)));
    };
  }
}

/** Least chance: nothing is ever excluded for good. */
const LEAST_CHANCE = 1e-6;
