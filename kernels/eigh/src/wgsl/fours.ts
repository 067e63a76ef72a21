import { block, formatU32, type Text } from "@tunelab/variants";

/**
 * Runs `body` for four of the indexes from `from` on and before `to`, at most `most` of them, at once: `spots` (vec4u), of which those past the last are
 * the last again, and `whole` (vec4<bool>), which says of which that is not so. Four loads and four divisions are then under way together, where one
 * waits for the other in a loop of single steps.
 */
export function fours(from: string, to: string, most: number, ...body: readonly Text[]): Text {
  return block(
    `for (var four = 0u; four < ${formatU32(Math.ceil(most / 4))}; four += 1u)`,
    `let j = ${from === "0u" ? "" : `${from} + `}4u * four;`,
    `if (j >= ${to}) { break; }`,
    "let next = vec4u(j, j + 1u, j + 2u, j + 3u);",
    `let whole = next < vec4u(${to});`,
    `let spots = min(next, vec4u(${to} - 1u));`,
    ...body,
  );
}

/** Elements of an array, by what stands at each of the four spots, as a vec4f. */
export const fourOf = (element: (spot: string) => string): string =>
  `vec4f(${[..."xyzw"].map((part) => element(`spots.${part}`)).join(", ")})`;

/** The sum of a vec4f's components. */
export const total = (vector: string): string => `(${vector}.x + ${vector}.y) + (${vector}.z + ${vector}.w)`;
