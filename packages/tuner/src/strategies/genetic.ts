import type { Value } from "@tunelab/contract";
import type { Random } from "@tunelab/variants";
import type { Domain } from "./domain.ts";
import { type Course, sequential, type Wish } from "./sequential.ts";
import type { Candidate, Spaces, Strategy } from "./strategy.ts";

/** Members of a generation, the usual size for spaces of thousands of variants (Kernel Tuner takes 20 too). */
const POPULATION = 20;

/** Members drawn for a place as parent, the best of which gets it. */
const TOURNAMENT = 3;

/** Best members that live on unchanged: what was found is never lost. */
const ELITE = 2;

/** Valid children tried for before a random candidate takes the place. */
const BIRTHS = 50;

interface Member {
  readonly candidate: Candidate;
  readonly cost: number;
}

/**
 * A genetic algorithm: tournament selection, uniform crossover between parents of one algorithm, mutation of one parameter
 * on average, invalid children born again. Needs no notion of near and far, and keeps several good regions alive.
 */
export function genetic(spaces: Spaces, seed: number, start: readonly Candidate[] = []): Strategy {
  return sequential(spaces, seed, start, generations);
}

function* generations(domain: Domain, random: Random, start: readonly Candidate[]): Course {
  /** Members of this generation that were asked for before their turn. */
  const ahead: Candidate[] = [];
  const wish = (
    candidate: Candidate,
    members: readonly Member[],
    make: () => Candidate | undefined,
  ): Wish => ({
    candidate,
    another: () => {
      const one = members.length + 1 + ahead.length < POPULATION ? make() : undefined;
      if (one) ahead.push(one);
      return one;
    },
  });
  let population: Member[] = [];
  const first = start.slice(0, POPULATION);
  const fresh = (): Candidate | undefined => domain.fresh();
  while (population.length < POPULATION) {
    const candidate = first[population.length] ?? ahead.shift() ?? fresh();
    if (!candidate) return;
    population.push({ candidate, cost: yield wish(candidate, population, fresh) });
  }
  for (;;) {
    population.sort((a, b) => a.cost - b.cost);
    const parents = population;
    const next = population.slice(0, ELITE);
    const child = (): Candidate | undefined => born(domain, random, parents);
    while (next.length < POPULATION) {
      const candidate = ahead.shift() ?? child() ?? fresh();
      if (!candidate) return;
      next.push({ candidate, cost: yield wish(candidate, next, child) });
    }
    population = next;
  }
}

/** A valid child not met before; undefined when none came in many births, as in a population that has converged. */
function born(domain: Domain, random: Random, population: readonly Member[]): Candidate | undefined {
  for (let birth = 0; birth < BIRTHS; birth++) {
    const mother = chosen(random, population);
    const father = chosen(random, population);
    const child = mutated(domain, random, crossed(random, mother, father));
    if (domain.isValid(child) && !domain.hasMet(child)) return child;
  }
  return undefined;
}

function chosen(random: Random, population: readonly Member[]): Candidate {
  let best = population[random.integer(population.length)]!;
  for (let draw = 1; draw < TOURNAMENT; draw++) {
    const other = population[random.integer(population.length)]!;
    if (other.cost < best.cost) best = other;
  }
  return best.candidate;
}

function crossed(random: Random, mother: Candidate, father: Candidate): Candidate {
  if (mother.algorithm !== father.algorithm) return mother;
  const config: Record<string, Value> = {};
  for (const [name, value] of Object.entries(mother.config)) {
    config[name] = random.integer(2) === 0 ? value : (father.config[name] ?? value);
  }
  return { algorithm: mother.algorithm, config };
}

function mutated(domain: Domain, random: Random, { algorithm, config }: Candidate): Candidate {
  const parameters = domain.spaceOf({ algorithm, config })?.parameters ?? [];
  const open = parameters.filter(({ values }) => values.length > 1);
  const changed: Record<string, Value> = { ...config };
  for (const { name, values } of open) {
    if (random.integer(open.length) === 0) changed[name] = values[random.integer(values.length)]!;
  }
  return { algorithm, config: changed };
}
