import { type Config, type Constraint, Fault, type Space } from "@tunelab/contract";
import { randomFrom } from "./random.ts";

/**
 * The constraints by the parameter that decides them: entry i + 1 holds those whose last parameter, in the order of
 * declaration, is parameter i; entry 0 those that read none. Throws a usage Fault for a name the space has not.
 */
export function constraintLevels<C extends Config>(space: Space<C>): readonly (readonly Constraint<C>[])[] {
  const position = new Map(space.parameters.map((parameter, index) => [parameter.name, index]));
  const levels: Constraint<C>[][] = Array.from({ length: space.parameters.length + 1 }, () => []);
  for (const constraint of space.constraints) {
    const last = constraint.parameters.reduce((latest, name) => {
      const index = position.get(name);
      if (index === undefined) {
        throw new Fault(
          "usage",
          `constraint ${constraint.name} reads the unknown parameter ${name}: the space has ${[...position.keys()].join(", ")}`,
        );
      }
      return Math.max(latest, index);
    }, -1);
    levels[last + 1]?.push(constraint);
  }
  return levels;
}

/** Raw combinations tried to catch a constraint that reads what it does not declare. */
const HONESTY_SAMPLES = 64;

/**
 * Everything wrong with a space as data, one line each; empty when it is well formed: names and values that an id cannot
 * carry or tell apart, parameters without values, constraints that read parameters they do not declare (they would
 * be checked before those are chosen, and prune valid configurations unseen).
 */
export function checkSpace<C extends Config>(space: Space<C>): readonly string[] {
  const faults: string[] = [];
  const names = space.parameters.map((parameter) => parameter.name);
  for (const name of repeated(names)) faults.push(`two parameters are named ${name}`);
  for (const name of repeated(space.constraints.map((constraint) => constraint.name))) {
    faults.push(`two constraints are named ${name}`);
  }
  for (const { name, values, absent } of space.parameters) {
    if (!isIdWord(name)) faults.push(`parameter "${name}" has a character that ids use: / , = or space`);
    if (values.length === 0) faults.push(`parameter ${name} has no values`);
    else if (absent !== undefined && !values.includes(absent)) {
      faults.push(`${name} does not list ${absent}, which an id without it means`);
    }
    for (const value of values) {
      if (!isIdWord(String(value)))
        faults.push(`${name} has the value "${value}" with a character that ids use`);
    }
    for (const value of repeated(values.map(String))) faults.push(`${name} lists the value ${value} twice`);
  }
  for (const constraint of space.constraints) {
    const unknown = constraint.parameters.filter((name) => !names.includes(name));
    if (unknown.length > 0)
      faults.push(`constraint ${constraint.name} reads the unknown parameter ${unknown[0]}`);
  }
  if (faults.length === 0) faults.push(...undeclaredReads(space));
  return faults;
}

/** Whether a name or value can stand in an id. */
export function isIdWord(text: string): boolean {
  return /^[^/,=\s]+$/.test(text);
}

function repeated(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text, index) => texts.indexOf(text) !== index))];
}

function undeclaredReads<C extends Config>(space: Space<C>): readonly string[] {
  const random = randomFrom(0);
  const faults = new Set<string>();
  for (let sample = 0; sample < HONESTY_SAMPLES; sample++) {
    const raw = Object.fromEntries(
      space.parameters.map(({ name, values }) => [name, values[random.integer(values.length)]!]),
    );
    for (const constraint of space.constraints) {
      const watched = new Proxy(raw, {
        get: (target, key) => {
          if (typeof key === "string" && !constraint.parameters.includes(key)) {
            faults.add(`constraint ${constraint.name} reads ${key}, which it does not declare`);
          }
          return Reflect.get(target, key) as unknown;
        },
      });
      constraint.holds(watched as C);
    }
  }
  return [...faults];
}
