import { randomFrom } from "@tunelab/variants";
import { Domain } from "./domain.ts";
import type { Spaces, Strategy } from "./strategy.ts";

/** Distinct variants in random order, the algorithms in turn. Learns nothing: the yardstick of every other strategy. */
export function random(spaces: Spaces, seed: number): Strategy {
  const domain = new Domain(spaces, randomFrom(seed));
  return {
    total: domain.total,
    propose: () => {
      const candidate = domain.fresh();
      if (candidate) domain.meet(candidate);
      return candidate;
    },
    observe: ({ candidate }) => domain.meet(candidate),
  };
}
