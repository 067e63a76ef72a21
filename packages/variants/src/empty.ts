import type { Config, Constraint, Space } from "@tunelab/contract";
import { enumerate } from "./enumerate.ts";
import { soonestFirst } from "./order.ts";

/** Why a space has no valid configuration. */
export interface Emptiness {
  /** The constraint that removed the last configurations, in order of declaration; absent when a parameter has no values. */
  readonly emptiedBy?: string;
  /** Constraints that no configuration fulfils together while it can fulfil all but any one of them. */
  readonly contradictory: readonly string[];
  /** Both in one line. */
  readonly reason: string;
}

/** Why a space has no valid configuration, or undefined when it has one. */
export function whyEmpty<C extends Config>(space: Space<C>): Emptiness | undefined {
  if (!isEmpty(space)) return undefined;
  const valueless = space.parameters.find(({ values }) => values.length === 0);
  if (valueless) {
    return {
      contradictory: [],
      reason: `no variant is valid: the parameter ${valueless.name} has no values`,
    };
  }
  const upTo = space.constraints.findIndex((_, index) =>
    isEmpty({ ...space, constraints: space.constraints.slice(0, index + 1) }),
  );
  // Drop one after the other what the rest contradicts without: what stays is needed, each of it (a minimal core).
  let core: readonly Constraint<C>[] = space.constraints.slice(0, upTo + 1);
  for (const one of core) {
    const rest = core.filter((other) => other !== one);
    if (isEmpty({ ...space, constraints: rest })) core = rest;
  }
  const emptiedBy = space.constraints[upTo]!.name;
  const told = core.map(({ name, doc }) => `${name} (${doc})`);
  const reason =
    told.length === 1
      ? `no variant is valid: ${told[0]} holds for no combination of values`
      : `no variant is valid: ${emptiedBy} removes the last; ${told.join(", ")} contradict one another`;
  return { emptiedBy, contradictory: core.map(({ name }) => name), reason };
}

function isEmpty<C extends Config>(space: Space<C>): boolean {
  for (const _ of enumerate(soonestFirst(space))) return false;
  return true;
}
