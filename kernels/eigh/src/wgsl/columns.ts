import { block, formatU32, type Text } from "@tunelab/variants";
import type { Lanes } from "./lanes.ts";
import type { Reduced, Talk } from "./talk.ts";
import { turned, turnText } from "./turn.ts";

/** Columns whose angle has a cosine of at most eps / 4 are left as they are: (eps / 4)^2. */
const SQUARE = "8.9e-16f";
/** The square of 4 eps: cosines that a sweep may leave behind. A dot product of 64 products errs by less. */
export const DONE = "2.3e-13f";

export const sum = (name: string): Reduced => ({ name, by: "add", type: "f32" });

export const registers = (quads: number, column: string): string[] =>
  Array.from({ length: quads }, (_, quad) => `${column}${quad}`);

/** A thread's elements of a column: the register's component, and the row it holds, as text over `row`, a number when split is 1. */
export const elements = (
  { quads, split }: Lanes,
  column: string,
): { readonly name: string; readonly at: string; readonly most: number }[] =>
  registers(quads, column).flatMap((register, quad) =>
    [0, 1, 2, 3].map((part) => {
      const least = 4 * quad * split + part;
      return {
        name: `${register}.${"xyzw"[part]}`,
        at: split === 1 ? formatU32(least) : `(4u * row + ${formatU32(least)})`,
        most: least + 4 * (split - 1),
      };
    }),
  );

/** Elements whose rows are all of the matrix come as they are, others under a condition, those beyond it not at all. */
export const within = (
  n: number,
  { at, most }: { readonly at: string; readonly most: number },
  split: number,
  text: string,
): Text => {
  if (most < n) return text;
  return most - 4 * (split - 1) < n && block(`if (${at} < ${formatU32(n)})`, text);
};

/** The dot product of two columns' parts as a balanced tree of vec4 products. */
export function dots(quads: number, a: string, b: string): string {
  const sum = (terms: readonly string[]): string => {
    if (terms.length === 1) return terms[0]!;
    const half = Math.ceil(terms.length / 2);
    return `(${sum(terms.slice(0, half))} + ${sum(terms.slice(half))})`;
  };
  return sum(registers(quads, a).map((name, quad) => `dot(${name}, ${b}${quad})`));
}

/** Where `playing` holds, turns columns `first` and `second` and exchanges their places; squared lengths with them. */
export function turnColumns(quads: number, first: string, second: string, playing: string, talk: Talk): Text {
  const [a, b] = [`${first}${first}`, `${second}${second}`];
  const turn: Text = [
    "let share = both * both;",
    `let product = ${a} * ${b};`,
    turnText(a, b, "both", `share <= ${SQUARE} * product`),
    "most = max(most, select(share / product, 0.0f, idle));",
    "largest = max(largest, abs(sine));",
    `let longer = ${b} + tangent * both;`,
    `${b} = ${a} - tangent * both;`,
    `${a} = longer;`,
    registers(quads, first).map((_, quad) => {
      const [x, y] = [`${first}${quad}`, `${second}${quad}`];
      const after = turned(x, y, "sine", "half");
      return [`let t${quad} = ${after.y};`, `${y} = ${after.x};`, `${x} = t${quad};`];
    }),
  ];
  return [
    `both = ${dots(quads, first, second)};`,
    talk.reducePair(sum("both")),
    block(`if (${playing})`, turn),
  ];
}
