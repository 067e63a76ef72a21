import type { Config, Space, Value } from "@tunelab/contract";
import { enumerate } from "./enumerate.ts";
import type { Random } from "./random.ts";
import { constraintLevels } from "./space.ts";

/** Choices tried before a space counts as large: about 20 ms of enumeration, and at most as many configurations held. */
const SMALL_SPACE_VISITS = 100_000;

/** Blind draws per configuration before descending with backtracking: accepts spaces of which 1 in 1000 is valid. */
const BLIND_DRAWS = 2_000;

/** Repeats of known configurations in a row after which the rest is taken in order instead. */
const REPEATS_IN_A_ROW = 200;

/**
 * `count` distinct valid configurations in random order; fewer only when the space has fewer. The same `random` state
 * gives the same list.
 * - A small space (under 100,000 choices tried) is enumerated and picked from without replacement: exactly uniform.
 * - In a large one, raw combinations are drawn and thrown away at the first broken constraint: uniform too.
 * - Where under about 1 in 1000 is valid, a random descent that backtracks out of dead ends takes over: every valid
 *   configuration can come, those beside dead ends come more often.
 */
export function sample<C extends Config>(space: Space<C>, random: Random, count: number): readonly C[] {
  const all = enumerateUpTo(space, SMALL_SPACE_VISITS);
  if (all) return random.shuffle(all).slice(0, count);

  const found = new Map<string, C>();
  const key = (config: C): string => space.parameters.map(({ name }) => String(config[name])).join(",");
  let blind = true;
  let repeats = 0;
  while (found.size < count && repeats < REPEATS_IN_A_ROW) {
    const drawn: C | undefined = blind ? drawBlindly(space, random) : descend(space, random);
    if (!drawn && !blind) return []; // a complete search found nothing
    if (!drawn) {
      blind = false;
      continue;
    }
    const before = found.size;
    found.set(key(drawn), drawn);
    repeats = found.size === before ? repeats + 1 : 0;
  }
  if (found.size < count) {
    for (const config of enumerate(space)) {
      found.set(key(config), config);
      if (found.size >= count) break;
    }
  }
  return [...found.values()];
}

/** Spaces found to be large: a strategy that draws more and more tried the same 100,000 choices each time, 20 to 150 ms. */
const large = new WeakSet<object>();

/** All valid configurations, or undefined when that takes more than `visits` choices. */
function enumerateUpTo<C extends Config>(space: Space<C>, visits: number): readonly C[] | undefined {
  if (large.has(space)) return undefined;
  let visited = 0;
  const tooLarge = Symbol("too large");
  const all: C[] = [];
  try {
    const tick = () => {
      if (++visited > visits) throw tooLarge;
    };
    for (const config of enumerate(space, tick)) all.push(config);
  } catch (error) {
    if (error !== tooLarge) throw error;
    large.add(space);
    return undefined;
  }
  return all;
}

function drawBlindly<C extends Config>(space: Space<C>, random: Random): C | undefined {
  const levels = constraintLevels(space);
  if (!levels[0]!.every((one) => one.holds({} as C))) return undefined;
  draws: for (let draw = 0; draw < BLIND_DRAWS; draw++) {
    const chosen: Record<string, Value> = {};
    for (const [index, { name, values }] of space.parameters.entries()) {
      if (values.length === 0) return undefined;
      chosen[name] = values[random.integer(values.length)]!;
      if (!levels[index + 1]!.every((one) => one.holds(chosen as C))) continue draws;
    }
    return chosen as C;
  }
  return undefined;
}

/** The first configuration of a depth-first walk over shuffled values. */
function descend<C extends Config>(space: Space<C>, random: Random): C | undefined {
  const parameters = space.parameters.map((one) => ({ ...one, values: random.shuffle(one.values) }));
  const [first] = enumerate({ ...space, parameters });
  return first;
}
