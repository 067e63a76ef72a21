import type { Config, Space, Value } from "@tunelab/contract";
import { type Emptiness, whyEmpty } from "./empty.ts";
import { countRaw, countValid, enumerate, independentParts } from "./enumerate.ts";
import { soonestFirst } from "./order.ts";

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
  const missing = new Set(
    independentParts(space).flatMap((part) =>
      everyValue(part)
        .filter(({ parameter, value }) => !reaches(part, parameter, value))
        .map(nameOf),
    ),
  );
  return everyValue(space).filter((one) => missing.has(nameOf(one)));
}

const nameOf = ({ parameter, value }: SpaceReport["unreachable"][number]): string => `${parameter}=${value}`;

function reaches<C extends Config>(space: Space<C>, parameter: string, value: Value): boolean {
  const parameters = space.parameters.map((one) =>
    one.name === parameter ? { ...one, values: [value] } : one,
  );
  return !enumerate(soonestFirst({ ...space, parameters })).next().done;
}
