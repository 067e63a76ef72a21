import type { Random } from "@tunelab/variants";
import type { Domain } from "./domain.ts";
import { type Course, sequential } from "./sequential.ts";
import type { Candidate, Spaces, Strategy } from "./strategy.ts";

/** Temperatures in units of log time: at first a variant e^0.5 = 1.65 times slower is taken once in e, at last one 1% slower. */
const HOT = 0.5;
const COLD = 0.01;

/** Steps from hot to cold; then it is heated again from the best candidate so far, since nobody knows how long a search lasts. */
const STEPS = 150;

/** Refused neighbours in a row after which a walk is stuck between failures and starts elsewhere. */
const STUCK = 30;

/**
 * Simulated annealing: one walk over neighbours that takes worse ones with probability exp(-difference / temperature),
 * cooled geometrically and reheated.
 */
export function annealing(spaces: Spaces, seed: number, start: readonly Candidate[] = []): Strategy {
  return sequential(spaces, seed, start, walk);
}

function* walk(domain: Domain, random: Random, start: readonly Candidate[]): Course {
  let here = start[0] ?? domain.fresh();
  if (!here) return;
  let cost = yield here;
  let best = { candidate: here, cost };
  for (let refused = 0, step = 0; ; step++) {
    const nears = domain.neighbours(here);
    const elsewhere = cost === Number.POSITIVE_INFINITY || nears.length === 0 || refused >= STUCK;
    const next: Candidate | undefined = elsewhere ? domain.fresh() : nears[random.integer(nears.length)];
    if (!next) return;
    const its = yield next;
    const temperature = HOT * (COLD / HOT) ** ((step % STEPS) / STEPS);
    const taken = elsewhere || its <= cost || random.float() < Math.exp((cost - its) / temperature);
    refused = taken ? 0 : refused + 1;
    if (taken) {
      here = next;
      cost = its;
    }
    if (its < best.cost) best = { candidate: next, cost: its };
    if (step % STEPS === STEPS - 1) {
      here = best.candidate;
      cost = best.cost;
    }
  }
}
