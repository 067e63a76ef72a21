import { type Config, Fault, type Space } from "@tunelab/contract";
import { isIdWord } from "./space.ts";

/** Values that parameters may take, by their names, as text: `{ tile: ["1"], radix: ["8", "16"] }`. */
export type Where = Readonly<Record<string, readonly string[]>>;

/** Reads `tile=1,radix=8|16`. @throws Fault `usage` that names the bad piece. */
export function parseWhere(text: string): Where {
  const where: Record<string, readonly string[]> = {};
  for (const piece of text.split(",")) {
    const [name = "", values = "", ...rest] = piece.trim().split("=");
    const list = values.split("|");
    if (rest.length > 0 || !isIdWord(name) || !list.every(isIdWord))
      throw new Fault(
        "usage",
        `"${piece}" restricts nothing: write parameter=value or parameter=value|value`,
      );
    if (Object.hasOwn(where, name))
      throw new Fault("usage", `${name} is restricted twice: write ${name}=value|value`);
    where[name] = list;
  }
  return where;
}

/**
 * The part of a space in which parameters take the given values only; a parameter that the space has not restricts nothing. Ids
 * and plans of what is left are the same as in the whole space.
 */
export function restrict<C extends Config>(space: Space<C>, where: Where): Space<C> {
  return {
    ...space,
    parameters: space.parameters.map((parameter) => {
      const wanted = Object.hasOwn(where, parameter.name) ? where[parameter.name] : undefined;
      if (!wanted) return parameter;
      return { ...parameter, values: parameter.values.filter((value) => wanted.includes(String(value))) };
    }),
  };
}

/** Refuses a name that none of the spaces has, and a value that no such parameter takes. @throws Fault `usage` with those there are. */
export function checkWhere(where: Where, spaces: readonly Space[]): void {
  for (const [name, values] of Object.entries(where)) {
    const all = spaces.flatMap(({ parameters }) => parameters);
    const known = all.filter((parameter) => parameter.name === name).flatMap((parameter) => parameter.values);
    if (known.length === 0) {
      const names = [...new Set(all.map((parameter) => parameter.name))].join(", ");
      throw new Fault("usage", `no parameter is called ${name}: there is ${names}`);
    }
    const taken = [...new Set(known.map(String))];
    const stranger = values.find((value) => !taken.includes(value));
    if (stranger !== undefined)
      throw new Fault("usage", `${name} cannot be ${stranger} here: there is ${taken.join(", ")}`);
  }
}
