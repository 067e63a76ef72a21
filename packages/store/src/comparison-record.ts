import { type Comparison, Fault } from "@tunelab/contract";
import { encodeJson } from "./records.ts";

/** What `encodeJson` wrote: numbers that JSON lacks come back as numbers. */
export const decodeJson = (text: string): unknown =>
  JSON.parse(text, (_key, part: unknown) =>
    part === "NaN" || part === "Infinity" || part === "-Infinity" ? Number(part) : part,
  );

/** A comparison as one line of JSON for a file; `decodeComparison` reads it back, infinities included. */
export const encodeComparison = (comparison: Comparison): string => `${encodeJson(comparison)}\n`;

/** @throws Fault `data` naming the file when the text is no comparison. */
export function decodeComparison(text: string, name: string): Comparison {
  let value: unknown;
  try {
    value = decodeJson(text);
  } catch (error) {
    throw new Fault("data", `${name} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  const { schema, id, rows, names } = (value ?? {}) as Partial<Comparison>;
  if (typeof schema !== "number" || typeof id !== "string" || !Array.isArray(rows) || !names)
    throw new Fault("data", `${name} is no record of a comparison: \`compare --record FILE\` writes one`);
  return value as Comparison;
}
