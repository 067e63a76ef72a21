import { formatU32, lines, type Text } from "@tunelab/variants";
import { codelet, codeletText, correlateText, fusedCodelet, multiplyText, range } from "./codelets.ts";
import {
  type Access,
  accesses,
  type ExchangeOptions,
  exchangeWords,
  layoutOf,
  twiddleIndex,
} from "./exchange.ts";
import { butterflyOffset, type Pass, registerOf, type Shape, widthOf } from "./passes.ts";
import { type FactorOptions, factorsOf, twiddleText } from "./twiddles.ts";

export interface TransformOptions extends FactorOptions {
  readonly exchange: ExchangeOptions;
  /** Give the factors apart from the text, so that a loop computes them once and keeps them in registers. */
  readonly hoist: boolean;
}

/** Name of the workgroup array that exchanges go through. */
export const STAGE = "stage";

/** Declaration of the exchange array of `transforms` side by side; empty for a transform of one pass. */
export function stageDeclaration(
  shape: Shape,
  exchange: ExchangeOptions,
  transforms = 1,
  name: string = STAGE,
): string {
  if (shape.passes.length < 2) return "";
  const type = exchange.staging === "split" ? "f32" : "vec2f";
  return `var<workgroup> ${name}: array<${type}, ${transforms * exchangeWords(shape, exchange)}>;`;
}

/** Names of the registers: vec2f variables that the caller declares with `var`, loaded with inputPosition of pass 0. */
export const registers = (shape: Shape): string[] => range(shape.points).map((r) => `x${r}`);

/** What a kernel adds to the transform's text. */
export interface TransformHooks {
  /** Statements that run where every thread has passed one barrier of this transform. */
  readonly afterFirstBarrier?: readonly Text[];
  /** Register r starts as a conj(h) of these values, by register; else the caller loads the registers. */
  readonly products?: { readonly a: readonly string[]; readonly h: readonly string[] };
  /** Index of this transform's slot in the exchange array, as text; the slot itself where the array is all its own. */
  readonly stageIndex?: (slot: string) => string;
  /** Name of the exchange array; STAGE unless given. */
  readonly stage?: string;
}

export interface TransformText {
  /** Twiddle factors, when they stand apart (`hoist`): once before the kernel's loop. */
  readonly factors: string;
  readonly text: string;
  /** Barriers that follow the statements given as `afterFirstBarrier`. */
  readonly barriersAfter: number;
}

/**
 * The statements of a whole in-workgroup transform on the registers x0 .. x{points-1} of thread `t`: at the end register r
 * holds outputPosition of the last pass. `afterFirstBarrier` statements run where every thread has passed one barrier of this
 * transform (so nothing of an earlier round of the kernel is still being read). Straight-line, uniform control flow at barriers.
 */
export function transformText(
  shape: Shape,
  options: TransformOptions,
  { afterFirstBarrier = [], products, stageIndex = (slot) => slot, stage = STAGE }: TransformHooks = {},
): TransformText {
  const text: Text[] = [];
  const hoisted: Text[] = [];
  let barriers = 0;
  const barrier = (): void => {
    text.push("workgroupBarrier();");
    if (barriers === 0) text.push(...afterFirstBarrier);
    barriers++;
  };
  const at = ({ slotText }: Access): string => `${stage}[${stageIndex(slotText)}]`;
  // Nobody reads the exchange array when the transform begins; after each read it must not be overwritten before a barrier.
  let beingRead = false;
  for (const [index, pass] of shape.passes.entries()) {
    const prefix = `p${index}`;
    text.push(`// pass ${index}: radix ${pass.radix} after ${pass.before}`);
    const passed = passText(shape, pass, options, prefix, index === 0 ? products : undefined);
    (options.hoist ? hoisted : text).push(...passed.factors);
    text.push(...passed.text);
    const next = shape.passes[index + 1];
    if (!next) continue;
    const layout = layoutOf(shape, pass, next, options.exchange);
    const write = accesses(layout, "write", `${prefix}o`);
    const read = accesses(layout, "read", `${prefix}i`);
    text.push(...write.text, ...read.text);
    // A chunk's reader must not overwrite registers that a later chunk still stages: it fills y, all at once at the end.
    const direct = layout.chunks === 1;
    if (!direct) text.push(range(shape.points).map((r) => `var ${prefix}y${r} = vec2f();`));
    const name = (r: number): string => (direct ? `x${r}` : `${prefix}y${r}`);
    for (const part of options.exchange.staging === "split" ? [".x", ".y"] : [""]) {
      for (const chunk of range(layout.chunks)) {
        if (beingRead) barrier();
        text.push(guarded(write.list, chunk, (a) => `${at(a)} = x${a.register}${part};`));
        barrier();
        text.push(guarded(read.list, chunk, (a) => `${name(a.register)}${part} = ${at(a)};`));
        beingRead = true;
      }
    }
    if (!direct) text.push(range(shape.points).map((r) => `x${r} = ${prefix}y${r};`));
  }
  return { factors: lines(...hoisted), text: lines(...text), barriersAfter: Math.max(0, barriers - 1) };
}

/** The accesses of one chunk: bare where every thread takes part, under a condition where the thread index decides. */
function guarded(list: readonly Access[], chunk: number, statement: (access: Access) => string): Text[] {
  const text: Text[] = [];
  const conditional = new Map<string, string[]>();
  for (const access of list) {
    if (access.chunk === chunk) text.push(statement(access));
    else if (access.chunk === undefined) {
      const known = conditional.get(access.chunkText) ?? [];
      known.push(statement(access));
      conditional.set(access.chunkText, known);
    }
  }
  for (const [condition, body] of conditional) {
    text.push(
      `if (${condition} == ${formatU32(chunk)}) {`,
      body.map((line) => `  ${line}`),
      "}",
    );
  }
  return text;
}

/** The butterflies of a pass, and apart from them the definitions of its factors. */
function passText(
  shape: Shape,
  pass: Pass,
  options: TransformOptions,
  prefix: string,
  products: TransformHooks["products"],
): { readonly factors: Text[]; readonly text: Text[] } {
  const factors: Text[] = [];
  const text: Text[] = [];
  const { butterfly, sign } = options;
  const twiddled = pass.before > 1;
  // Butterflies of one thread share their factors when their distance is a multiple of `before`: all of a column of width 1.
  const width = widthOf(pass);
  const shared = !pass.spread && (width * shape.threads) % pass.before === 0;
  const turn = (b: number): number => butterflyOffset(shape, pass, b) % pass.before;
  for (const b of range(shape.points / pass.radix)) {
    const own = range(pass.radix).map((m) => registerOf(pass, b, m));
    const names = own.map((r) => `x${r}`);
    const temporaries = `${prefix}v${b}_`;
    const alike = pass.spread && range(b).find((earlier) => turn(earlier) === turn(b));
    const column = shared ? b % width : (alike ?? b);
    const owner = (shared || pass.spread) && column === 0 ? prefix : `${prefix}b${column}`;
    const w = twiddled ? factorsOf(pass, options).map((factor) => `${owner}${factor.name}`) : [];
    if (twiddled && column === b) {
      factors.push(twiddleText(shape, pass, options, twiddleIndex(shape, pass, b), owner));
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
