import { bestNs, Fault, type Metric, type Suite, TIME_METRIC, type Trial } from "@tunelab/contract";

/** What a search is for. */
export interface Objective {
  readonly name: string;
  /** What is minimised, a positive number; undefined for a trial that cannot be ranked. */
  cost(trial: Trial): number | undefined;
}

/** The fastest: the one objective that tables rank by, and races decide. */
export const TIME: Objective = { name: TIME_METRIC, cost: bestNs };

/**
 * The objective of that name for an operation: `time`, or one of its suite's metrics. Only trials with a time count, and positive
 * values: searches compare ratios. @throws Fault `usage` that lists what there is.
 */
export function objectiveNamed(name: string, { operation, metrics = [] }: Suite): Objective {
  if (name === TIME_METRIC) return TIME;
  const metric = metrics.find((one) => one.name === name);
  if (metric) return { name, cost: (trial) => costOf(metric, trial) };
  const names = [TIME_METRIC, ...metrics.map((one) => one.name)].join(", ");
  throw new Fault("usage", `${operation.name} has no metric "${name}": there is ${names}`);
}

function costOf({ name, better }: Metric, trial: Trial): number | undefined {
  const value = trial.metrics?.[name];
  if (bestNs(trial) === undefined || value === undefined || !(value > 0)) return undefined;
  return better === "lower" ? value : 1 / value;
}
