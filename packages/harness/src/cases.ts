import { type Oracle, type PortData, type Problem, problemKey, type Suite } from "@tunelab/contract";
import { ofSuite } from "./failures.ts";
import { CACHED_SEEDS } from "./protocol.ts";

/** Inputs of one seed and the oracle that judges what comes of them. */
export interface Case {
  readonly seed: number;
  readonly inputs: PortData;
  readonly oracle: Oracle;
}

/** Inputs and float64 oracles of the problem in hand: computed once a (problem, seed), dropped with the problem. */
export class CaseCache {
  #key = "";
  readonly #cases = new Map<number, Case>();

  get(suite: Suite, problem: Problem, seed: number, collapsed = false): Case {
    const which = collapsed ? " collapsed" : "";
    const key = `${suite.operation.name} ${suite.epoch} ${problemKey(problem)}${which}`;
    if (key !== this.#key) {
      this.#cases.clear();
      this.#key = key;
    }
    const known = this.#cases.get(seed);
    if (known) return known;
    const oldest = this.#cases.keys().next();
    if (this.#cases.size >= CACHED_SEEDS && !oldest.done) this.#cases.delete(oldest.value);
    const fresh = ofSuite(suite.operation.name, () => {
      const inputs = collapsed ? suite.collapse!(problem, seed) : suite.inputs(problem, seed);
      return { seed, inputs, oracle: suite.oracle(problem, inputs) };
    });
    this.#cases.set(seed, fresh);
    return fresh;
  }
}
