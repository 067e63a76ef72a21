import type { Config, Constraint, Value } from "@tunelab/contract";

/**
 * A conditional parameter as a constraint: where `active` does not hold, `parameter` means nothing and takes the one value
 * `otherwise`, so that variants which differ in nothing are not listed twice. `reads` are the parameters that `active` reads.
 */
export function onlyWhen<C extends Config>(
  parameter: string,
  otherwise: Value,
  reads: readonly string[],
  active: (config: C) => boolean,
  doc: string,
): Constraint<C> {
  return {
    name: `${parameter}-only-when`,
    doc,
    parameters: [...reads, parameter],
    holds: (config) => active(config) || config[parameter] === otherwise,
  };
}
