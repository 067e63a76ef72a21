import { type Config, Fault, namedParameters, type Space } from "@tunelab/contract";
import { isIdWord } from "./space.ts";

/**
 * The canonical id of a variant, parameters in order of declaration: `fused/radix=16,workgroup=256,exchange=split`; the
 * algorithm's name alone when it names none. A parameter at the value that `absent` declares is left out. A label for people:
 * identity is the plan's hash.
 */
export function formatId<C extends Config>(algorithm: string, space: Space<C>, config: C): string {
  const settings = namedParameters(space, config).map(({ name }) => {
    const value = String(config[name]);
    if (!isIdWord(name) || !isIdWord(value) || config[name] === undefined) {
      throw new Fault("usage", `${name}=${value} cannot stand in an id: give a value without / , = or space`);
    }
    return `${name}=${value}`;
  });
  return settings.length === 0 ? algorithm : `${algorithm}/${settings.join(",")}`;
}
