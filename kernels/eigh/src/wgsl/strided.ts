import { block, formatU32, type Text } from "@tunelab/variants";

/** Every `threads`-th of `count` items from thread `t` on, in unit steps; `body` reads the item's index as `name`. */
export function strided(name: string, count: number, threads: number, ...body: readonly Text[]): Text {
  const steps = Math.ceil(count / threads);
  const guarded: readonly Text[] =
    count % threads === 0 ? body : [block(`if (${name} < ${formatU32(count)})`, ...body)];
  return block(
    `for (var step = 0u; step < ${formatU32(steps)}; step += 1u)`,
    `let ${name} = t + step * ${formatU32(threads)};`,
    ...guarded,
  );
}
