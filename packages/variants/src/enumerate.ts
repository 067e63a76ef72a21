import type { Config, Constraint, Parameter, Space, Value } from "@tunelab/contract";
import { soonestFirst } from "./order.ts";
import { constraintLevels } from "./space.ts";

/**
 * Every valid configuration, depth first in the order of declaration. A constraint is checked as soon as its last
 * parameter is chosen, so a branch that breaks it is never entered. `onVisit` is told of every choice tried.
 */
export function* enumerate<C extends Config>(space: Space<C>, onVisit?: () => void): Generator<C> {
  const levels = constraintLevels(space);
  const { parameters } = space;
  const chosen: Record<string, Value> = {};
  const holds = (level: number): boolean => levels[level]!.every((one) => one.holds(chosen as C));

  function* descend(depth: number): Generator<C> {
    const parameter = parameters[depth];
    if (!parameter) {
      yield { ...chosen } as C;
      return;
    }
    for (const value of parameter.values) {
      onVisit?.();
      chosen[parameter.name] = value;
      if (holds(depth + 1)) yield* descend(depth + 1);
    }
    delete chosen[parameter.name];
  }
  if (holds(0)) yield* descend(0);
}

/** Choices below which a part is simply enumerated; above, one parameter is fixed at a time until the rest falls apart. */
const ENUMERATED = 4096;

/**
 * Number of valid configurations. Parameters that no chain of constraints ties together are counted apart and the counts
 * multiplied, so unconstrained parameters cost nothing. A large part is counted for each value of its most constrained parameter,
 * which unties others: two transforms that share a workgroup size are counted apart once it is fixed. Exact to 2^53.
 */
export function countValid<C extends Config>(space: Space<C>): number {
  return countParts(space, new Map());
}

/** Counts by part: where one half of a kernel is fixed value by value, what is left of the other is counted once for each way that they are tied. */
type Counted = Map<string, number>;

/** A constraint and the values that parameters of it were fixed at, in order; what it was before any was. */
type Fixed<C extends Config> = Constraint<C> & {
  readonly given?: string;
  readonly values?: Readonly<Record<string, Value>>;
  readonly whole?: Constraint<C>["holds"];
};

const keyOf = <C extends Config>({ parameters, constraints }: Space<C>): string =>
  [
    ...parameters.map(({ name }) => name),
    ...constraints.map(({ name, given = "" }: Fixed<C>) => `${name}${given}`),
  ].join();

function countParts<C extends Config>(space: Space<C>, counted: Counted): number {
  let product = 1;
  // Small parts first: where a constraint has come down to false, nothing large is counted beside it.
  const parts = independentParts(space).toSorted((a, b) => countRaw(a) - countRaw(b));
  for (const part of parts) {
    product *= countPart(part, counted);
    if (product === 0) return 0;
  }
  return product;
}

function countPart<C extends Config>(part: Space<C>, counted: Counted): number {
  if (part.constraints.length === 0) return countRaw(part);
  const key = keyOf(part);
  const count = counted.get(key) ?? countTied(part, counted);
  counted.set(key, count);
  return count;
}

function countTied<C extends Config>(part: Space<C>, counted: Counted): number {
  if (countRaw(part) <= ENUMERATED) {
    let count = 0;
    for (const _ of enumerate(soonestFirst(part))) count++;
    return count;
  }
  const uses = ({ name }: Parameter): number =>
    part.constraints.filter(({ parameters }) => parameters.includes(name)).length;
  const tightest = part.parameters.reduce((a, b) => (uses(b) > uses(a) ? b : a));
  const counts = tightest.values.map((value) => countParts(fixed(part, tightest.name, value), counted));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The space of the other parameters where one has a value. */
function fixed<C extends Config>(
  { parameters, constraints }: Space<C>,
  name: string,
  value: Value,
): Space<C> {
  return {
    parameters: parameters.filter((one) => one.name !== name),
    constraints: constraints.map((one: Fixed<C>) =>
      one.parameters.includes(name) ? fixedAt(one, name, value) : one,
    ),
  };
}

function fixedAt<C extends Config>(one: Fixed<C>, name: string, value: Value): Fixed<C> {
  const values = { ...one.values, [name]: value };
  const whole = one.whole ?? one.holds;
  // One object for all calls: a copy each, at each of ten fixings, was a third of the counting. Its constraint reads no other keys.
  const scratch: Record<string, Value> = { ...values };
  return {
    ...one,
    values,
    whole,
    given: `${one.given ?? ""};${name}=${value}`,
    parameters: one.parameters.filter((other) => other !== name),
    holds: (config) => whole(Object.assign(scratch, config, values) as C),
  };
}

/** Number of combinations before any constraint. */
export function countRaw<C extends Config>(space: Space<C>): number {
  return space.parameters.reduce((product, parameter) => product * parameter.values.length, 1);
}

/**
 * The space as a product of smaller ones that share no constraint; their valid configurations combine freely.
 * Constraints that read no parameter come as a part without parameters.
 */
export function independentParts<C extends Config>(space: Space<C>): readonly Space<C>[] {
  constraintLevels(space); // refuses unknown names
  const leader = new Map(space.parameters.map(({ name }) => [name, name]));
  const find = (name: string): string => {
    const up = leader.get(name)!;
    return up === name ? name : find(up);
  };
  for (const { parameters } of space.constraints) {
    for (const name of parameters) leader.set(find(name), find(parameters[0]!));
  }
  const parts = new Map<
    string,
    { parameters: Parameter[]; constraints: Space<C>["constraints"][number][] }
  >();
  const part = (key: string) => {
    const existing = parts.get(key);
    if (existing) return existing;
    const fresh = { parameters: [], constraints: [] };
    parts.set(key, fresh);
    return fresh;
  };
  for (const parameter of space.parameters) part(find(parameter.name)).parameters.push(parameter);
  for (const constraint of space.constraints) {
    const [first] = constraint.parameters;
    part(first === undefined ? "" : find(first)).constraints.push(constraint);
  }
  return [...parts.values()];
}
