import { block, formatU32, type Text } from "@tunelab/variants";

/**
 * Every `threads`-th of `count` items from thread `t` on, in unit steps; `body` reads the item's index as `name`. Tint takes no condition into account:
 * where threads run out of items the index is held below `count` by a minimum, one for all that the body addresses with it.
 */
export function strided(name: string, count: number, threads: number, ...body: readonly Text[]): Text {
  const index = `t + step * ${formatU32(threads)}`;
  return block(
    stepsOf(count, threads),
    count % threads === 0
      ? [`let ${name} = ${index};`, body]
      : [
          `let at = ${index};`,
          block(`if (at < ${formatU32(count)})`, `let ${name} = min(at, ${formatU32(count - 1)});`, body),
        ],
  );
}

/** The share of workgroup `own` of `groups` in `count` items, strided over its threads. */
export function shared(
  name: string,
  count: number,
  groups: number,
  threads: number,
  ...body: readonly Text[]
): Text {
  const each = Math.ceil(count / groups);
  const index = `own * ${formatU32(each)} + part`;
  return strided(
    "part",
    each,
    threads,
    count % groups === 0
      ? [`let ${name} = ${index};`, body]
      : block(
          `if (${index} < ${formatU32(count)})`,
          `let ${name} = min(${index}, ${formatU32(count - 1)});`,
          body,
        ),
  );
}

/** `strided` for a body that addresses nothing but by remainders of the index, which need no bound of it. */
export function stridedRound(name: string, count: number, threads: number, ...body: readonly Text[]): Text {
  return block(
    stepsOf(count, threads),
    `let ${name} = t + step * ${formatU32(threads)};`,
    count % threads === 0 ? body : block(`if (${name} < ${formatU32(count)})`, body),
  );
}

const stepsOf = (count: number, threads: number): string =>
  `for (var step = 0u; step < ${formatU32(Math.ceil(count / threads))}; step += 1u)`;
