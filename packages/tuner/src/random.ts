import type { Config, Space } from "@tunelab/contract";
import { countValid, formatId, type Random, randomFrom, sample } from "@tunelab/variants";
import type { Candidate, Spaces, Strategy } from "./strategy.ts";

/** Configurations drawn at first; each later draw doubles, so that a short search never pays for a long list. */
const FIRST_DRAW = 256;

/**
 * Distinct variants, uniform over each algorithm's space. The algorithms take turns, so that a large space does not
 * crowd out a small one, until each is used up.
 */
export function random(spaces: Spaces, seed: number): Strategy {
  const source = randomFrom(seed);
  const draws = spaces.map(({ algorithm, space }) => ({ algorithm, configs: distinct(space, source) }));
  function* turns(): Generator<Candidate> {
    let live = draws;
    while (live.length > 0) {
      const next: typeof draws = [];
      for (const draw of live) {
        const { done, value } = draw.configs.next();
        if (done) continue;
        next.push(draw);
        yield { algorithm: draw.algorithm, config: value };
      }
      live = next;
    }
  }
  const candidates = turns();
  return {
    total: spaces.reduce((sum, { space }) => sum + countValid(space), 0),
    propose: () => candidates.next().value ?? undefined,
    observe: () => {},
  };
}

/** Every valid configuration once, in random order, drawn only as far as it is asked for. */
function* distinct(space: Space, source: Random): Generator<Config, undefined> {
  const seen = new Set<string>();
  for (let wanted = FIRST_DRAW; ; wanted *= 2) {
    const drawn = sample(space, source, wanted);
    for (const config of drawn) {
      const id = formatId("", space, config);
      if (seen.has(id)) continue;
      seen.add(id);
      yield config;
    }
    if (drawn.length < wanted) return undefined; // that was the whole space
  }
}
