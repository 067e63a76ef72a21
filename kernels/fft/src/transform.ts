import { formatU32, lines, type Text } from "@tunelab/variants";
import { range } from "./codelets.ts";
import { type Access, accesses, type ExchangeOptions, exchangeWords, layoutOf } from "./exchange.ts";
import { passText } from "./pass-text.ts";
import type { Shape } from "./passes.ts";
import { handoverText, memoryExchanges } from "./shuffle.ts";
import { firstRolled, loopText } from "./transform-loop.ts";
import { STAGE, type TransformHooks, type TransformOptions } from "./transform-options.ts";

/** Declaration of the exchange array of `transforms` side by side; empty for a transform of one pass. */
export function stageDeclaration(
  shape: Shape,
  exchange: ExchangeOptions,
  transforms = 1,
  name: string = STAGE,
): string {
  if (memoryExchanges(shape) === 0) return "";
  const type = exchange.staging === "split" ? "f32" : "vec2f";
  return `var<workgroup> ${name}: array<${type}, ${transforms * exchangeWords(shape, exchange)}>;`;
}

/** Names of the registers: vec2f variables that the caller declares with `var`, loaded with inputPosition of pass 0. */
export const registers = (shape: Shape): string[] => range(shape.points).map((r) => `x${r}`);

export interface TransformText {
  /** Twiddle factors, when they stand apart (`hoist`): once before the kernel's loop. */
  readonly factors: string;
  readonly text: string;
  readonly barriers: number;
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
  const rolled = options.unroll === false ? firstRolled(shape) : undefined;
  for (const [index, pass] of shape.passes.entries()) {
    if (index === rolled) {
      if (barriers === 0 && afterFirstBarrier.length > 0) barrier();
      text.push(loopText(shape, options, index, (slot) => `${stage}[${stageIndex(slot)}]`));
      barriers += 2;
      break;
    }
    const prefix = `p${index}`;
    text.push(`// pass ${index}: radix ${pass.radix} after ${pass.before}`);
    const passed = passText(shape, pass, options, prefix, index === 0 ? products : undefined);
    (options.hoist ? hoisted : text).push(...passed.factors);
    text.push(...passed.text);
    const next = shape.passes[index + 1];
    // The loop's own rounds begin with the exchange.
    if (!next || index + 1 === rolled) continue;
    if (next.handover) {
      text.push(...handoverText(next.handover, prefix));
      continue;
    }
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
  if (barriers === 0 && afterFirstBarrier.length > 0) barrier();
  return {
    factors: lines(...hoisted),
    text: lines(...text),
    barriers,
    barriersAfter: Math.max(0, barriers - 1),
  };
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
