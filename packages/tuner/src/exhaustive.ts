import { countValid, enumerate } from "@tunelab/variants";
import type { Candidate, Spaces, Strategy } from "./strategy.ts";

/** Every valid variant in the order of the spaces: complete, and blind to what comes late when the budget is short. */
export function exhaustive(spaces: Spaces): Strategy {
  function* all(): Generator<Candidate> {
    for (const { algorithm, space } of spaces) {
      for (const config of enumerate(space)) yield { algorithm, config };
    }
  }
  const candidates = all();
  return {
    total: spaces.reduce((sum, { space }) => sum + countValid(space), 0),
    propose: () => candidates.next().value ?? undefined,
    observe: () => {},
  };
}
