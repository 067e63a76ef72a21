import { block, formatU32, type Text } from "@tunelab/variants";

/**
 * Runs `body` with `name` = 0 to `count` - 1, at most `most` times. A bound that is a constant spares the 64-bit counter that Tint gives loops which it cannot
 * prove finite.
 */
export function bounded(name: string, count: string, most: number, ...body: readonly Text[]): Text {
  return block(
    `for (var ${name} = 0u; ${name} < ${formatU32(most)}; ${name} += 1u)`,
    `if (${name} >= ${count}) { break; }`,
    ...body,
  );
}
