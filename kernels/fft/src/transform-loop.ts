import { block, formatU32, type Text } from "@tunelab/variants";
import { bitsOf } from "./bits.ts";
import { range } from "./codelets.ts";
import { accesses, layoutOf } from "./exchange.ts";
import { passText } from "./pass-text.ts";
import { butterflyOffset, registerOf, type Shape } from "./passes.ts";
import type { TransformOptions } from "./transform-options.ts";
import { entriesOf, tableOffset } from "./twiddles.ts";

/**
 * The first pass that a loop may stand for: it and all after it have the radix of the pass before it, so that one text exchanges and
 * transforms for all. Undefined where fewer than two would be in the loop.
 */
export function firstRolled({ passes }: Shape): number | undefined {
  const radix = passes.at(-1)!.radix;
  const first = passes.findIndex((pass) => pass.radix === radix) + 1;
  return passes.length - first >= 2 ? first : undefined;
}

/**
 * The passes from `first` on as a loop over levels. A round exchanges the outputs of the pass before and transforms; only that exchange's
 * writes and the factors depend on the level, by shifts that no range analysis follows: a device with robustness on clamps them.
 * Needs all registers staged at once and factors from a table.
 */
export function loopText(
  shape: Shape,
  options: TransformOptions,
  first: number,
  at: (slot: string) => string,
): Text[] {
  const { passes, points } = shape;
  const { padding, gap, staging } = options.exchange;
  const pass = passes[first]!;
  const { radix } = pass;
  const before = passes[first - 1]!;
  const read = accesses(layoutOf(shape, before, pass, options.exchange), "read", "li");
  const each = range(points / radix);
  const slots = each.flatMap((b) => [
    `let lj${b} = t + ${formatU32(butterflyOffset(shape, pass, b))};`,
    `let lo${b} = ((lj${b} >> shift) << (shift + ${formatU32(bitsOf(radix))})) + (lj${b} & (before - 1u));`,
    range(radix).map((m) => {
      const slot = m ? `lo${b} + (${formatU32(m)} << shift)` : `lo${b}`;
      const padded = padding ? `${slot} + (${slot}) / ${formatU32(padding)} * ${formatU32(gap)}` : slot;
      return `let ls${registerOf(pass, b, m)} = ${padded};`;
    }),
  ]);
  const exchange = (staging === "split" ? [".x", ".y"] : [""]).flatMap((part) => [
    "workgroupBarrier();",
    range(points).map((r) => `${at(`ls${r}`)} = x${r}${part};`),
    "workgroupBarrier();",
    read.list.map(({ register, slotText }) => `x${register}${part} = ${at(slotText)};`),
  ]);
  const next = passText(shape, pass, options, "l", undefined, {
    index: (b) => `lj${b} & (next - 1u)`,
    place: (entry) => ` + table${entry ? ` + ${formatU32(entry)} * next` : ""}`,
  });
  return [
    `// passes ${first} to ${passes.length - 1}: radix ${radix}, a level a round`,
    `var shift = ${formatU32(bitsOf(before.before))};`,
    `var table = ${formatU32(tableOffset(shape, pass, options))};`,
    read.text,
    block(
      `for (var level = ${formatU32(first)}; level < ${formatU32(passes.length)}; level += 1u)`,
      "let before = 1u << shift;",
      `let next = before << ${formatU32(bitsOf(radix))};`,
      ...slots,
      ...exchange,
      ...next.factors,
      ...next.text,
      `table += ${formatU32(entriesOf(pass, options))} * next;`,
      `shift += ${formatU32(bitsOf(radix))};`,
    ),
  ];
}
