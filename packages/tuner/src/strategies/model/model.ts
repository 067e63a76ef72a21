import { type Random, randomFrom } from "@tunelab/variants";
import { Domain } from "../domain.ts";
import { costOf } from "../sequential.ts";
import type { Candidate, Observation, Spaces, Strategy } from "../strategy.ts";
import { farProspect } from "./design.ts";
import { type Encoding, encodingOf } from "./encode.ts";
import { Feasibility } from "./feasibility.ts";
import { logExpectedImprovement } from "./improvement.ts";
import { Pool } from "./pool.ts";
import { Surrogate } from "./surrogate.ts";

/** Candidates with a time before the model chooses: fewer teach it nothing, more are spent blindly. */
const INITIAL = 8;

/** The same for candidates of any kind, when most of them fail. */
const INITIAL_WITH_FAILURES = 3 * INITIAL;

/** Random candidates considered at once: enough to find good regions; neighbours of the leaders reach what lies inside them. */
const POOL = 4_000;

/** Observations that the model of times holds. */
const HELD = 600;

/** Best candidates whose neighbours are considered too, whatever the pool was drawn from. */
const LEADERS = 3;

/**
 * Bayesian optimisation: a Gaussian process over log time, asked for the candidate of the greatest expected improvement times
 * the chance that it gives a time at all. Strong where an evaluation is dear: it is the default.
 */
export function model(spaces: Spaces, seed: number, start: readonly Candidate[] = []): Strategy {
  return new Model(spaces, seed, start);
}

interface Known {
  readonly candidate: Candidate;
  readonly x: Float64Array;
  /** Log time; infinite for a failure. */
  readonly cost: number;
}

class Model implements Strategy {
  readonly total: number;
  readonly #random: Random;
  readonly #domain: Domain;
  readonly #encoding: Encoding;
  readonly #pool: Pool;
  readonly #surrogate: Surrogate;
  readonly #feasibility: Feasibility;
  readonly #start: Candidate[];
  readonly #known: Known[] = [];
  readonly #pending = new Map<string, Float64Array>();
  /** Candidates with a time, fastest first, as many as lead. */
  #leaders: Known[] = [];
  readonly #explored = new Set<string>();
  #timed = 0;

  constructor(spaces: Spaces, seed: number, start: readonly Candidate[]) {
    this.#random = randomFrom(seed);
    this.#domain = new Domain(spaces, this.#random);
    this.#encoding = encodingOf(spaces);
    this.#pool = new Pool(this.#domain, this.#encoding, POOL);
    this.#surrogate = new Surrogate(this.#encoding, this.#random, HELD);
    this.#feasibility = new Feasibility(this.#encoding, this.#random);
    this.#start = start.filter((one) => this.#domain.isValid(one));
    this.total = this.#domain.total;
  }

  propose(): Candidate | undefined {
    const candidate = this.#given() ?? this.#chosen();
    if (!candidate) return undefined;
    this.#domain.meet(candidate);
    this.#pool.close(candidate);
    this.#pending.set(this.#domain.key(candidate), this.#encoding.encode(candidate));
    return candidate;
  }

  observe(observation: Observation): void {
    const { candidate } = observation;
    this.#domain.meet(candidate);
    this.#pool.close(candidate);
    const key = this.#domain.key(candidate);
    const x = this.#pending.get(key) ?? this.#encoding.encode(candidate);
    this.#pending.delete(key);
    const cost = costOf(observation);
    const known = { candidate, x, cost };
    this.#known.push(known);
    this.#feasibility.observe(known.x, cost === Number.POSITIVE_INFINITY);
    if (cost === Number.POSITIVE_INFINITY) {
      this.#surrogate.observeFailure(known.x);
      return;
    }
    this.#timed++;
    this.#surrogate.observe(known.x, cost);
    this.#leaders = [...this.#leaders, known].sort((a, b) => a.cost - b.cost).slice(0, LEADERS);
  }

  /** The next candidate that the caller wanted tried first. */
  #given(): Candidate | undefined {
    while (this.#start.length > 0) {
      const candidate = this.#start.shift()!;
      if (!this.#domain.hasMet(candidate)) return candidate;
    }
    return undefined;
  }

  #chosen(): Candidate | undefined {
    const pool = this.#pool;
    const blind = this.#timed < 2 || (this.#timed < INITIAL && this.#known.length < INITIAL_WITH_FAILURES);
    if (blind) {
      if (pool.prospects.length === 0) pool.refresh();
      // Far means at the edges, where most fails: until something works, any place is as good.
      const known = this.#timed === 0 ? [] : this.#known;
      const points = [...known.map(({ x }) => x), ...this.#pending.values()];
      const place = farProspect(pool.prospects, points, this.#random, this.#chances());
      return place === undefined ? this.#anyOpen() : pool.prospects[place]!.candidate;
    }
    if (this.#surrogate.isStale) {
      this.#refresh();
      this.#surrogate.refit(pool.prospects.map(({ x }) => x));
    }
    this.#explore();
    return this.#mostPromising() ?? this.#anyOpen();
  }

  /** Takes the neighbours of the leaders into the pool. */
  #explore(): void {
    for (const { candidate } of this.#leaders) {
      const key = this.#domain.key(candidate);
      if (this.#explored.has(key)) continue;
      this.#explored.add(key);
      for (const near of this.#domain.neighbours(candidate)) {
        const prospect = this.#pool.add(near);
        if (!prospect) continue;
        this.#surrogate.consider(prospect.x);
        this.#feasibility.consider(prospect.x);
      }
    }
  }

  #chances(): (place: number) => number {
    return this.#feasibility.view(() => this.#pool.prospects.map(({ x }) => x));
  }

  /** A new pool: what surrogates know of places is void. */
  #refresh(): void {
    this.#pool.refresh();
    this.#surrogate.drop();
    this.#feasibility.drop();
  }

  #mostPromising(): Candidate | undefined {
    const { prospects } = this.#pool;
    const view = this.#surrogate.view(this.#leaders[0]!.cost, [...this.#pending.values()]);
    const chanceOf = this.#chances();
    let best: Candidate | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const [place, prospect] of prospects.entries()) {
      if (!prospect.open) continue;
      const { improvement, deviation } = view(place);
      const promise = logExpectedImprovement(improvement, deviation) + Math.log(chanceOf(place));
      if (promise <= most) continue;
      most = promise;
      best = prospect.candidate;
    }
    return best;
  }

  /** What is left, when the model has nothing to say. */
  #anyOpen(): Candidate | undefined {
    const open = this.#pool.prospects.find((one) => one.open);
    if (open) return open.candidate;
    this.#refresh();
    return this.#pool.prospects[0]?.candidate;
  }
}
