import type { Random } from "@tunelab/variants";
import type { Domain } from "./domain.ts";
import { type Course, sequential } from "./sequential.ts";
import type { Candidate, Spaces, Strategy } from "./strategy.ts";

/**
 * Local search with restarts: from a random candidate, neighbours in random order, moving to the first that is faster; where
 * none is, again from another random candidate. Simple, and strong where one parameter at a time leads downhill.
 */
export function local(spaces: Spaces, seed: number, start: readonly Candidate[] = []): Strategy {
  return sequential(spaces, seed, start, descents);
}

function* descents(domain: Domain, random: Random, start: readonly Candidate[]): Course {
  for (const one of start) yield* descent(domain, random, one);
  for (let next = domain.fresh(); next; next = domain.fresh()) yield* descent(domain, random, next);
}

function* descent(domain: Domain, random: Random, from: Candidate): Course {
  let here = from;
  let cost = yield here;
  for (let improved = true; improved; ) {
    improved = false;
    for (const near of random.shuffle(domain.neighbours(here))) {
      const its = yield near;
      if (its >= cost) continue;
      here = near;
      cost = its;
      improved = true;
      break;
    }
  }
}
