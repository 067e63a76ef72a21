import type { Config, Parameter, Space, Value } from "@tunelab/contract";

/** One line that says what is wrong with a configuration and what would be right; undefined when it is valid. */
export function checkConfig<C extends Config>(space: Space<C>, config: Config): string | undefined {
  const names = space.parameters.map((parameter) => parameter.name);
  const unknown = Object.keys(config).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    return `unknown parameter "${unknown}": the parameters are ${names.join(", ") || "none"}`;
  }
  for (const parameter of space.parameters) {
    const value = Object.hasOwn(config, parameter.name) ? config[parameter.name] : undefined;
    if (value === undefined) return `parameter ${parameter.name} is missing: ${choices(parameter)}`;
    if (!parameter.values.includes(value)) {
      return `${parameter.name} cannot be ${JSON.stringify(value)}: ${choices(parameter)}`;
    }
  }
  for (const constraint of space.constraints) {
    if (constraint.holds(config as C)) continue;
    const settings = constraint.parameters.map((name) => `${name}=${config[name]}`).join(", ");
    return `${settings || "this problem"} breaks the constraint ${constraint.name}: ${constraint.doc}`;
  }
  return undefined;
}

/** "choose one of 2, 4, 8 points". */
export function choices({ values, unit }: Parameter): string {
  return `choose one of ${values.map(String).join(", ")}${unit ? ` ${unit}` : ""}`;
}

/**
 * The valid configurations that differ from `config` in one parameter: those that moved to the value next to theirs in
 * the order of declaration first, then two away, and so on.
 */
export function neighbours<C extends Config>(space: Space<C>, config: C): readonly C[] {
  const moves: { readonly distance: number; readonly name: string; readonly value: Value }[] = [];
  for (const { name, values } of space.parameters) {
    const here = values.indexOf(config[name]!);
    for (const [index, value] of values.entries()) {
      if (index !== here) moves.push({ distance: Math.abs(index - here), name, value });
    }
  }
  return moves
    .sort((a, b) => a.distance - b.distance) // stable: equals stay in order of declaration
    .map(({ name, value }) => ({ ...config, [name]: value }))
    .filter((candidate) => space.constraints.every((constraint) => constraint.holds(candidate)));
}
