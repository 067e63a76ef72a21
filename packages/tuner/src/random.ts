import { randomFrom, sample } from "@tunelab/variants";
import type { Candidate, Spaces, Strategy } from "./strategy.ts";

/** Candidates drawn from an algorithm's space at most: more than an hour of trials on the fastest device. */
const MOST_DRAWN = 8192;

/**
 * Distinct variants, uniform over each algorithm's space. The algorithms take turns, so that a large space does not
 * crowd out a small one, until each is used up.
 */
export function random(spaces: Spaces, seed: number): Strategy {
  const source = randomFrom(seed);
  const drawn = spaces.map(({ algorithm, space }) => ({
    algorithm,
    configs: sample(space, source, MOST_DRAWN),
  }));
  const most = Math.max(0, ...drawn.map(({ configs }) => configs.length));
  function* turns(): Generator<Candidate> {
    for (let turn = 0; turn < most; turn++) {
      for (const { algorithm, configs } of drawn) {
        const config = configs[turn];
        if (config) yield { algorithm, config };
      }
    }
  }
  const candidates = turns();
  return {
    total: drawn.reduce((sum, { configs }) => sum + configs.length, 0),
    propose: () => candidates.next().value ?? undefined,
    observe: () => {},
  };
}
