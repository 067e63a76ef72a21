import { type Config, Fault, type Space, type Status } from "@tunelab/contract";
import { annealing } from "./annealing.ts";
import { exhaustive } from "./exhaustive.ts";
import { genetic } from "./genetic.ts";
import { local } from "./local.ts";
import { model } from "./model/model.ts";
import { random } from "./random.ts";

/** One choice of algorithm and configuration. */
export interface Candidate {
  readonly algorithm: string;
  readonly config: Config;
}

/** What a strategy may learn of a candidate. */
export interface Observation {
  readonly candidate: Candidate;
  /** `refused` too for one that does not fit the device. Whatever carries no time guides the search away. */
  readonly status: Status;
  /** One repeat's time in ns, or the cost that another objective gives; absent when the candidate cannot be ranked. */
  readonly ns?: number;
  /** Relative spread of the samples, (median - minimum) / minimum; absent when it is not known. */
  readonly spread?: number;
}

/**
 * A search over one problem's variants. Pure: the same spaces, seed, start and observations give the same proposals in the
 * same order. It neither plans nor measures; candidates that do not fit the device are dropped by the caller.
 */
export interface Strategy {
  /** Candidates that it can propose at most. */
  readonly total: number;
  /**
   * The next candidate, undefined when there is none left: the search is done. No candidate comes twice, and none that was
   * observed before. May be asked again before the last one is observed, so that a caller can compile ahead.
   */
  propose(): Candidate | undefined;
  /** Takes in a result, also of a candidate that it did not propose: a default, or an earlier session's. */
  observe(observation: Observation): void;
}

/** The algorithms of one problem with their spaces, in the operation's order. */
export type Spaces = readonly { readonly algorithm: string; readonly space: Space }[];

/** `start`: candidates to try first, best first: what was good on a related device or a neighbouring problem. */
export type StrategyFactory = (spaces: Spaces, seed: number, start?: readonly Candidate[]) => Strategy;

/** Every strategy by the name that `--strategy` takes. */
export const STRATEGIES: Readonly<Record<StrategyName, StrategyFactory>> = {
  exhaustive,
  random,
  local,
  genetic,
  annealing,
  model,
};

export type StrategyName = "exhaustive" | "random" | "local" | "genetic" | "annealing" | "model";

export const STRATEGY_NAMES = Object.keys(STRATEGIES) as readonly StrategyName[];

/** What searches when nobody chooses: the best in reports/search/strategies.md. */
export const DEFAULT_STRATEGY: StrategyName = "model";

/** The strategy of that name; a usage Fault lists what exists. */
export function strategyNamed(name: string): StrategyName {
  if (Object.hasOwn(STRATEGIES, name)) return name as StrategyName;
  throw new Fault("usage", `unknown strategy "${name}": choose ${STRATEGY_NAMES.join(", ")}`);
}
