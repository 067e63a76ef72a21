import { type Config, Fault, type Space } from "@tunelab/contract";
import { exhaustive } from "./exhaustive.ts";
import { random } from "./random.ts";

/** One choice of algorithm and configuration. */
export interface Candidate {
  readonly algorithm: string;
  readonly config: Config;
}

/** What a strategy may learn of a candidate; `ns` is one repeat's time, absent when the variant cannot be ranked. */
export interface Observation {
  readonly candidate: Candidate;
  readonly ns?: number;
}

/**
 * A search over one problem's variants. Pure: the same spaces, seed and observations give the same proposals in the
 * same order. It neither plans nor measures; candidates that do not fit the device are dropped by the caller.
 */
export interface Strategy {
  /** Candidates that it can propose at most. */
  readonly total: number;
  /** The next candidate, undefined when there is none left. No candidate comes twice. */
  propose(): Candidate | undefined;
  observe(observation: Observation): void;
}

/** The algorithms of one problem with their spaces, in the operation's order. */
export type Spaces = readonly { readonly algorithm: string; readonly space: Space }[];

type StrategyFactory = (spaces: Spaces, seed: number) => Strategy;

/** Every strategy by the name that `--strategy` takes. */
export const STRATEGIES: Readonly<Record<StrategyName, StrategyFactory>> = { exhaustive, random };

export type StrategyName = "exhaustive" | "random";

/** The strategy of that name; a usage Fault lists what exists. */
export function strategyNamed(name: string): StrategyName {
  if (Object.hasOwn(STRATEGIES, name)) return name as StrategyName;
  throw new Fault("usage", `unknown strategy "${name}": choose ${Object.keys(STRATEGIES).join(" or ")}`);
}
