import { type Algorithm, type Config, largestDispatch, type Plan, type Problem } from "@tunelab/contract";
import { type Asker, rankTables } from "../rank-tables.ts";
import type { RuleSet } from "../rule/shelf.ts";
import { boundUs, expectedUs } from "./model.ts";

/** What a run should take on this device. */
export interface Expectation {
  readonly ms: number;
  /** How to cut the first run: of one item, with the factor by which the model was ever short, and the compute units to keep busy. */
  readonly bound: { readonly expectedMsPerItem: number; readonly computeUnits?: number };
}

/** Says what a variant's run should take; undefined where nothing of the algorithm was measured on this device. */
export type Expecting = (
  asker: Asker,
  variant: {
    readonly algorithm: Algorithm;
    readonly config: Config;
    readonly problem: Problem;
    readonly plan: Plan;
  },
) => Expectation | undefined;

/** By the cost models of an operation's rule sets; another device's say nothing. */
export function expectingOf(sets: readonly RuleSet[]): Expecting {
  return (asker, { algorithm, config, problem, plan }) => {
    const [closest] = rankTables(plan.operation, asker, [], sets);
    const model = closest?.own ? closest.source.costs?.[algorithm.name] : undefined;
    const { items } = plan.batch;
    if (!model || items < 1) return undefined;
    const { flops, requestedBytes } = algorithm.cost(problem, config);
    const load = {
      flops,
      requestedBytes,
      invocations: largestDispatch(plan) * algorithm.resources(problem, config).invocations,
    };
    const { computeUnits } = closest!.source;
    return {
      ms: expectedUs(model, load) / 1000,
      bound: {
        expectedMsPerItem: boundUs(model, load) / 1000 / items,
        ...(computeUnits === undefined ? {} : { computeUnits }),
      },
    };
  };
}
