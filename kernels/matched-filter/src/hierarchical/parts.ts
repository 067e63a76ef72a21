import type { Config, Constraint, Parameter, Value } from "@tunelab/contract";

/**
 * A kernel that holds two transforms has a configuration for each: the parameters of one get its name in front, `coarseRadix` and
 * `refineRadix`. The same knob has opposite optima in the two.
 */
export const named = (part: string, name: string): string =>
  `${part}${name[0]!.toUpperCase()}${name.slice(1)}`;

/** The parameters of a part under their long names. */
export const partParameters = (part: string, parameters: readonly Parameter[]): Parameter[] =>
  parameters.map((one) => ({ ...one, name: named(part, one.name), doc: `${part}: ${one.doc}` }));

/** The constraints of a part; they read the part's configuration by its short names, and what the part does not choose as undefined. */
export const partConstraints = (
  part: string,
  constraints: readonly Constraint<never>[],
  chosen: readonly string[],
): Constraint<never>[] =>
  constraints.map((one): Constraint<never> => {
    const own = one.parameters.filter((name) => chosen.includes(name));
    const names = own.map((name) => [name, named(part, name)] as const);
    // One object for all calls: made anew, names and all, this was half of what drawing variants of such a space took.
    const short: Record<string, Value> = {};
    return {
      name: `${part}-${one.name}`,
      doc: `${part}: ${one.doc}`,
      parameters: names.map(([, long]) => long),
      holds: (config: Config) => {
        for (const [name, long] of names) short[name] = config[long]!;
        return (one as Constraint).holds(short);
      },
    };
  });

/** The configuration of a part by its short names. */
export function partOf(part: string, config: Config): Config {
  const own = Object.entries(config).filter(([name]) => name.startsWith(part) && name.length > part.length);
  return Object.fromEntries(
    own.map(([name, value]) => [name[part.length]!.toLowerCase() + name.slice(part.length + 1), value]),
  );
}

/** A part's configuration under its long names. */
export const asPart = (part: string, config: Config): Config =>
  Object.fromEntries(Object.entries(config).map(([name, value]) => [named(part, name), value]));
