/**
 * How a committed file differs from what the evidence gives, in one line: the first place in JSON, the first line in other texts.
 * Undefined when it does not. `found` is undefined for a file that is not there, `wanted` for one that should not be.
 */
export function driftOf(
  path: string,
  found: string | undefined,
  wanted: string | undefined,
): string | undefined {
  if (found === wanted) return undefined;
  if (found === undefined) return `${path} is missing`;
  if (wanted === undefined) return `${path} is left over: no published evidence gives it`;
  if (path.endsWith(".json")) return `${path}: ${jsonDrift(found, wanted)}`;
  const [have, want] = [found.split("\n"), wanted.split("\n")];
  const line = want.findIndex((text, index) => text !== have[index]);
  return `${path} differs from line ${1 + (line < 0 ? want.length : line)} on`;
}

function jsonDrift(found: string, wanted: string): string {
  let value: unknown;
  try {
    value = JSON.parse(found);
  } catch (error) {
    return `not JSON (${error instanceof Error ? error.message.split("\n")[0] : error})`;
  }
  return firstDifference(value, JSON.parse(wanted), "") ?? "the values are right, their layout is not";
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Longest value that a message shows whole. */
const SHOWN = 60;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
};

/** `entries[0].rows[2].minUs is 3.2, the evidence gives 4.1`. */
function firstDifference(found: unknown, wanted: unknown, at: string): string | undefined {
  if (found === wanted) return undefined;
  if (!isObject(found) || !isObject(wanted) || Array.isArray(found) !== Array.isArray(wanted))
    return `${at || "it"} is ${shown(found)}, the evidence gives ${shown(wanted)}`;
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
    const place = Array.isArray(wanted) ? `${at}[${key}]` : at ? `${at}.${key}` : key;
    if (!Object.hasOwn(found, key)) return `${place} is gone, the evidence gives ${shown(wanted[key])}`;
    if (!Object.hasOwn(wanted, key))
      return `${place} is ${shown(found[key])}, the evidence gives no such value`;
    const difference = firstDifference(found[key], wanted[key], place);
    if (difference) return difference;
  }
  return undefined;
}
