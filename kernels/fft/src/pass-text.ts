import type { Text } from "@tunelab/variants";
import { codelet, codeletText, correlateText, fusedCodelet, multiplyText, range } from "./codelets.ts";
import { twiddleIndex } from "./exchange.ts";
import { butterflyOffset, type Pass, registerOf, type Shape, widthOf } from "./passes.ts";
import type { TransformHooks, TransformOptions } from "./transform-options.ts";
import { factorsOf, type TwiddlePlace, twiddleText } from "./twiddles.ts";

/**
 * The butterflies of a pass, and apart from them the definitions of its factors. `rolled` stands for a pass of a loop, whose number the
 * text does not know: no two butterflies share their factors.
 */
export function passText(
  shape: Shape,
  pass: Pass,
  options: TransformOptions,
  prefix: string,
  products: TransformHooks["products"],
  rolled?: { readonly index: (b: number) => string; readonly place: TwiddlePlace },
): { readonly factors: Text[]; readonly text: Text[] } {
  const factors: Text[] = [];
  const text: Text[] = [];
  const { butterfly, sign } = options;
  const twiddled = pass.before > 1;
  // Butterflies of one thread share their factors when their distance is a multiple of `before`: all of a column of width 1.
  const width = widthOf(pass);
  const shared = !pass.spread && !rolled && (width * shape.threads) % pass.before === 0;
  const turn = (b: number): number => butterflyOffset(shape, pass, b) % pass.before;
  for (const b of range(shape.points / pass.radix)) {
    const own = range(pass.radix).map((m) => registerOf(pass, b, m));
    const names = own.map((r) => `x${r}`);
    const temporaries = `${prefix}v${b}_`;
    const alike = pass.spread && range(b).find((earlier) => turn(earlier) === turn(b));
    const column = shared ? b % width : (alike ?? b);
    const owner = (shared || pass.spread || rolled) && column === 0 ? prefix : `${prefix}b${column}`;
    const w = twiddled ? factorsOf(pass, options).map((factor) => `${owner}${factor.name}`) : [];
    if (twiddled && column === b) {
      const k = rolled ? rolled.index(b) : twiddleIndex(shape, pass, b, options.exchange.index);
      factors.push(twiddleText(shape, pass, options, k, owner, rolled?.place));
    }
    const pick = (values: readonly string[]): string[] => own.map((r) => values[r]!);
    if (butterfly !== "split") {
      const inputs = products ? [...pick(products.a), ...pick(products.h)] : [...names, ...w];
      const factored = butterfly === "fused" ? "twiddled" : "merged";
      const kind = products ? "products" : twiddled ? factored : "points";
      text.push(codeletText(fusedCodelet(pass.radix, sign, kind), inputs, names, temporaries));
      continue;
    }
    if (products) {
      for (const r of own) text.push(`x${r} = ${correlateText(products.a[r]!, products.h[r]!)};`);
    }
    for (const [index, factor] of w.entries()) {
      const name = names[index + 1]!;
      text.push(`${name} = ${multiplyText(name, `${factor}.x`, `${factor}.y`)};`);
    }
    text.push(codeletText(codelet(pass.radix, sign), names, names, temporaries));
  }
  return { factors, text };
}
