import type { Config, Space } from "@tunelab/contract";

/** Why a configuration (of a table, of another problem) lies outside a space; undefined when it is in it. */
export function outsideSpace(space: Space, config: Config): string | undefined {
  const names = new Set(space.parameters.map(({ name }) => name));
  const unknown = Object.keys(config).find((name) => !names.has(name));
  if (unknown !== undefined) return `has a parameter ${unknown} that no longer exists`;
  for (const { name, values } of space.parameters) {
    const value = config[name];
    if (value === undefined) return `has no value for ${name}`;
    if (!values.includes(value)) return `has ${name}=${value}, which does not exist for this problem`;
  }
  const broken = space.constraints.find((constraint) => !constraint.holds(config));
  return broken && `breaks the constraint ${broken.name}`;
}
