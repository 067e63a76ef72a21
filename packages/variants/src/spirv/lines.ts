import type { Access } from "./accesses.ts";

/** A line of a WGSL text, counted from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/**
 * The line of each access, in order: the k-th access to an array in the module is the k-th `name[` of the text, as the compiler keeps
 * their order and makes each function once. Undefined for an array where the two counts differ (a function that is not called).
 */
export function linesOf(wgsl: string, accesses: readonly Access[]): readonly (Line | undefined)[] {
  const places = new Map<string, readonly Line[]>();
  const lines = wgsl.split("\n");
  for (const { array } of accesses) {
    if (places.has(array)) continue;
    // A name with its own bracket, no part of another name or a member; what a comment says is none.
    const pattern = new RegExp(`(?<![\\w.])${escaped(array)}\\[`, "g");
    places.set(
      array,
      lines.flatMap((line, index) =>
        [...line.replace(/\/\/.*/, "").matchAll(pattern)].map(() => ({
          number: index + 1,
          text: line.trim(),
        })),
      ),
    );
  }
  const total = new Map<string, number>();
  for (const { array } of accesses) total.set(array, (total.get(array) ?? 0) + 1);
  const met = new Map<string, number>();
  return accesses.map(({ array }) => {
    const found = places.get(array)!;
    const at = met.get(array) ?? 0;
    met.set(array, at + 1);
    return found.length === total.get(array) ? found[at] : undefined;
  });
}

const escaped = (text: string): string => text.replace(/[^\w]/g, "\\$&");
