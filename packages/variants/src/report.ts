import type { Config, Space, Value } from "@tunelab/contract";
import { type Emptiness, whyEmpty } from "./empty.ts";
import { countRaw, countValid, enumerate, independentParts } from "./enumerate.ts";

export interface SpaceReport {
  /** Combinations before any constraint, and valid ones. */
  readonly raw: number;
  readonly valid: number;
  /** The constraints in their order, each with the configurations left before and after it. */
  readonly constraints: readonly {
    readonly name: string;
    readonly doc: string;
    readonly before: number;
    readonly after: number;
  }[];
  /** Values that no valid configuration has. */
  readonly unreachable: readonly { readonly parameter: string; readonly value: Value }[];
  /** Present when nothing is valid. */
  readonly empty?: Emptiness;
}

/** What each constraint leaves of a space, and which values none can reach: the page to read when a space surprises. */
export function reportSpace<C extends Config>(space: Space<C>): SpaceReport {
  const raw = countRaw(space);
  let before = raw;
  const constraints = space.constraints.map(({ name, doc }, index) => {
    const after = countValid({ ...space, constraints: space.constraints.slice(0, index + 1) });
    const row = { name, doc, before, after };
    before = after;
    return row;
  });
  const empty = before === 0 ? whyEmpty(space) : undefined;
  return {
    ...(empty ? { empty } : {}),
    raw,
    valid: before,
    constraints,
    unreachable: before === 0 ? everyValue(space) : unreachable(space),
  };
}

function everyValue<C extends Config>(space: Space<C>): SpaceReport["unreachable"] {
  return space.parameters.flatMap(({ name, values }) => values.map((value) => ({ parameter: name, value })));
}

function unreachable<C extends Config>(space: Space<C>): SpaceReport["unreachable"] {
  const reached = new Map(space.parameters.map(({ name }) => [name, new Set<Value>()]));
  for (const part of independentParts(space)) {
    for (const config of enumerate(part)) {
      for (const { name } of part.parameters) reached.get(name)?.add(config[name]!);
    }
  }
  return everyValue(space).filter(({ parameter, value }) => !reached.get(parameter)?.has(value));
}
