import { checkConfig, randomFrom } from "@tunelab/variants";
import { Domain } from "./domain.ts";
import type { Candidate, Spaces, Strategy } from "./strategy.ts";

/** Bad proposals in a row after which a strategy is taken to be broken: its search ends, the session goes on. */
const PATIENCE = 100;

/**
 * A strategy whose proposals can be trusted: an invalid candidate, or one that was proposed before, is told to `refuse` in one
 * line and the next is asked for. After a hundred in a row the search of this problem is over.
 */
export function guarded(strategy: Strategy, spaces: Spaces, refuse: (line: string) => void): Strategy {
  const domain = new Domain(spaces, randomFrom(0)); // draws nothing
  const fault = (candidate: Candidate): string | undefined => {
    const space = domain.spaceOf(candidate);
    if (!space) {
      const names = spaces.map(({ algorithm }) => algorithm).join(", ");
      return `an unknown algorithm "${candidate.algorithm}": there is ${names}`;
    }
    const wrong = checkConfig(space, candidate.config);
    if (wrong) return `an invalid variant of ${candidate.algorithm}: ${wrong}`;
    return domain.hasMet(candidate) ? `${candidate.algorithm} ${settings(candidate)} again` : undefined;
  };
  return {
    total: strategy.total,
    propose() {
      for (let bad = 0; bad < PATIENCE; bad++) {
        const candidate = strategy.propose();
        if (!candidate) return undefined;
        const wrong = fault(candidate);
        if (!wrong) {
          domain.meet(candidate);
          return candidate;
        }
        refuse(`the strategy proposed ${wrong}; it is skipped`);
      }
      refuse(`the strategy proposed ${PATIENCE} unusable variants in a row; its search ends here`);
      return undefined;
    },
    observe: (observation) => {
      domain.meet(observation.candidate);
      strategy.observe(observation);
    },
  };
}

const settings = ({ config }: Candidate): string =>
  Object.entries(config)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
