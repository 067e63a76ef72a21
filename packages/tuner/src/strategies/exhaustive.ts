import { enumerate, randomFrom } from "@tunelab/variants";
import { Domain } from "./domain.ts";
import type { Candidate, Spaces, Strategy } from "./strategy.ts";

/** Every valid variant in the order of the spaces: complete, and blind to what comes late when the budget is short. */
export function exhaustive(spaces: Spaces): Strategy {
  const domain = new Domain(spaces, randomFrom(0)); // draws nothing
  function* all(): Generator<Candidate, undefined> {
    for (const { algorithm, space } of spaces) {
      for (const config of enumerate(space)) {
        const candidate = { algorithm, config };
        if (!domain.hasMet(candidate)) yield candidate;
      }
    }
    return undefined;
  }
  const candidates = all();
  return {
    total: domain.total,
    propose: () => candidates.next().value,
    observe: ({ candidate }) => domain.meet(candidate),
  };
}
