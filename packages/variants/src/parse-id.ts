import { type Config, Fault, type Space, type Value, wholeConfig } from "@tunelab/contract";
import { checkConfig, choices } from "./config.ts";
import { isIdWord } from "./space.ts";

/** An id taken apart; values are still text. */
export interface ParsedId {
  readonly algorithm: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Takes an id apart without knowing the space; parameters in any order. Throws a usage Fault that names the bad piece. */
export function parseId(text: string): ParsedId {
  const refuse = (why: string): never => {
    throw new Fault(
      "usage",
      `"${text}" is no variant id: ${why}; write algorithm/parameter=value,parameter=value`,
    );
  };
  const slash = text.indexOf("/");
  const algorithm = slash < 0 ? text : text.slice(0, slash);
  if (!isIdWord(algorithm)) return refuse("it names no algorithm");
  const settings: Record<string, string> = {};
  for (const piece of slash < 0 ? [] : text.slice(slash + 1).split(",")) {
    const [name, value, ...rest] = piece.split("=");
    if (!name || !value || rest.length > 0 || !isIdWord(name) || !isIdWord(value)) {
      return refuse(`"${piece}" is not parameter=value`);
    }
    if (Object.hasOwn(settings, name)) return refuse(`${name} is given twice`);
    settings[name] = value;
  }
  return { algorithm, settings };
}

/**
 * The configuration that text settings name in a space, values in their true types. A parameter left out has the value that
 * `absent` declares, else that of `defaults` when given. Throws a usage Fault for an unknown parameter or value, or a
 * broken constraint.
 */
export function parseConfig<C extends Config>(
  space: Space<C>,
  settings: Readonly<Record<string, string>>,
  defaults: Partial<C> = {},
): C {
  const config: Record<string, Value> = { ...defaults, ...wholeConfig(space, {}) } as Record<string, Value>;
  for (const [name, text] of Object.entries(settings)) {
    const parameter = space.parameters.find((one) => one.name === name);
    const value = parameter?.values.find((one) => String(one) === text);
    if (parameter && value === undefined) {
      throw new Fault("usage", `${name} cannot be ${text}: ${choices(parameter)}`);
    }
    config[name] = value ?? text; // an unknown name is reported by checkConfig, with the names there are
  }
  const fault = checkConfig(space, config);
  if (fault !== undefined) throw new Fault("usage", fault);
  return config as C;
}
