import type { Config, Parameter, Space, Value } from "./operation.ts";

/**
 * The configuration with every parameter: those it lacks take the value that `Parameter.absent` declares. What enters from a
 * file (a table's row, a trial) may be older than a parameter; the rest of the code has whole configurations only.
 */
export function wholeConfig<C extends Config>(space: Space<C>, config: Config): C {
  const older = space.parameters.filter(
    ({ name, absent }) => absent !== undefined && !Object.hasOwn(config, name),
  );
  if (older.length === 0) return config as C;
  const implied = older.map(({ name, absent }): [string, Value] => [name, absent!]);
  return { ...config, ...Object.fromEntries(implied) } as unknown as C;
}

/** The parameters that a variant's id names, in order: all but those at the value that an id without them means. */
export function namedParameters<C extends Config>(space: Space<C>, config: C): readonly Parameter[] {
  return space.parameters.filter(
    ({ name, absent }) => absent === undefined || (config[name] ?? absent) !== absent,
  );
}
