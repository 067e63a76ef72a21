import type { Config, Space } from "@tunelab/contract";
import { checkConfig, countValid, neighbours, type Random, sample } from "@tunelab/variants";
import type { Candidate, Spaces } from "./strategy.ts";

/** Configurations drawn at first; each later draw doubles, so that a short search never pays for a long list. */
const FIRST_DRAW = 256;

/**
 * The candidates of one problem as strategies see them: names to tell them apart, valid neighbours, and random draws that
 * leave out what was met before. A measured file is searched through it as well as an operation.
 */
export class Domain {
  readonly spaces: Spaces;
  readonly #places: ReadonlyMap<string, readonly ReadonlyMap<unknown, number>[]>;
  readonly #met = new Set<string>();
  #total: number | undefined;
  readonly #draws: Iterator<Candidate>;

  constructor(spaces: Spaces, random: Random) {
    this.spaces = spaces;
    this.#places = new Map(
      spaces.map(({ algorithm, space }) => [
        algorithm,
        space.parameters.map(({ values }) => new Map(values.map((value, index) => [value, index]))),
      ]),
    );
    this.#draws = turns(this, random);
  }

  /** Valid candidates in all, counted when first asked: 3 s in the four spaces of a filter with a threshold, 3e14 variants. */
  get total(): number {
    this.#total ??= this.spaces.reduce((sum, { space }) => sum + countValid(space), 0);
    return this.#total;
  }

  /** The space of a candidate's algorithm; undefined for an algorithm that is not searched. */
  spaceOf({ algorithm }: Candidate): Space | undefined {
    return this.spaces.find((one) => one.algorithm === algorithm)?.space;
  }

  /** Places of a candidate's values in their parameters' lists, in order of declaration. -1 for a foreign value. */
  placesOf({ algorithm, config }: Candidate): readonly number[] {
    const places = this.#places.get(algorithm) ?? [];
    const parameters = this.spaces.find((one) => one.algorithm === algorithm)?.space.parameters ?? [];
    return parameters.map(({ name }, index) => places[index]!.get(config[name]) ?? -1);
  }

  /** A name that no other candidate has, whatever characters its values hold: built from places, not from texts. */
  key(candidate: Candidate): string {
    return `${candidate.algorithm}/${this.placesOf(candidate).join(",")}`;
  }

  isValid(candidate: Candidate): boolean {
    const space = this.spaceOf(candidate);
    return space !== undefined && checkConfig(space, candidate.config) === undefined;
  }

  /** The valid candidates one parameter away, nearest values first. The algorithm stays. */
  neighbours(candidate: Candidate): readonly Candidate[] {
    const { algorithm, config } = candidate;
    const space = this.spaceOf(candidate);
    return space ? neighbours(space, config).map((near) => ({ algorithm, config: near })) : [];
  }

  /** Notes that a candidate was proposed or observed: `fresh` leaves it out from now on. */
  meet(candidate: Candidate): void {
    this.#met.add(this.key(candidate));
  }

  hasMet(candidate: Candidate): boolean {
    return this.#met.has(this.key(candidate));
  }

  /**
   * A random candidate not met before, uniform over each algorithm's space; undefined when all were met. The algorithms
   * take turns, so that a large space does not crowd out a small one, until each is used up.
   */
  fresh(): Candidate | undefined {
    for (;;) {
      const { done, value } = this.#draws.next();
      if (done) return undefined;
      if (!this.hasMet(value)) return value;
    }
  }
}

function* turns(domain: Domain, random: Random): Generator<Candidate, undefined> {
  let live = domain.spaces.map(({ algorithm, space }) => distinct(domain, algorithm, space, random));
  while (live.length > 0) {
    const next: typeof live = [];
    for (const draw of live) {
      const { done, value } = draw.next();
      if (done) continue;
      next.push(draw);
      yield value;
    }
    live = next;
  }
  return undefined;
}

/** Every valid configuration once, in random order, drawn only as far as it is asked for. */
function* distinct(
  domain: Domain,
  algorithm: string,
  space: Space,
  random: Random,
): Generator<Candidate, undefined> {
  const seen = new Set<string>();
  for (let wanted = FIRST_DRAW; ; wanted *= 2) {
    const drawn: readonly Config[] = sample(space, random, wanted);
    for (const config of drawn) {
      const candidate = { algorithm, config };
      const key = domain.key(candidate);
      if (seen.has(key)) continue;
      seen.add(key);
      yield candidate;
    }
    if (drawn.length < wanted) return undefined; // that was the whole space
  }
}
