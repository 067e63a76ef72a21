import { formatU32, type Text } from "@tunelab/variants";
import { bitsOf, scatter } from "./bits.ts";
import { range } from "./codelets.ts";
import type { Handover, Pass, Shape, Spread } from "./passes.ts";

/**
 * An exchange moves bits of a position between the thread's index and the register's: where each bit that must come into a register is
 * one of the low bits of the thread's index, neighbouring threads swap halves of their registers through subgroup shuffles, a bit a
 * stage, and no memory or barrier is needed. The positions that threads hold afterwards are what the swaps leave, so the passes
 * after it have a spread.
 */

/** Bits of a position by who holds them: bit i of the thread's index, bit y of the register's. */
interface Holding {
  readonly threads: readonly number[];
  readonly registers: readonly number[];
}

/** Where the bits of thread and register are in the position at the end of a pass that is spread so. */
function outputs({ radix, before }: Pass, { threads, own }: Spread): Holding {
  const [low, k] = [bitsOf(before), bitsOf(radix)];
  const place = (bit: number): number => (bit < low ? bit : bit + k);
  return { threads: threads.map(place), registers: [...range(k).map((x) => low + x), ...own.map(place)] };
}

/** The pass's own spread, or what threads hold without one: their index the low bits of the butterfly's. */
function spreadOf({ n, threads }: Shape, { radix, spread }: Pass): Spread {
  const [t, all] = [bitsOf(threads), bitsOf(n / radix)];
  return spread ?? { threads: range(t), own: range(all).slice(t) };
}

/** The pass after `held`, handed over by swaps of thread bits below `lanes`; undefined where other bits would have to move. */
function handedOver(shape: Shape, held: Holding, next: Pass, lanes: number): Pass | undefined {
  const top = bitsOf(shape.n / next.radix);
  const [threads, registers] = [[...held.threads], [...held.registers]];
  const swaps: { thread: number; register: number }[] = [];
  for (const [thread, position] of threads.entries()) {
    if (position < top) continue;
    if (2 ** thread >= lanes) return undefined;
    const register = registers.findIndex((one) => one < top);
    swaps.push({ thread, register });
    [threads[thread], registers[register]] = [registers[register]!, position];
  }
  const own = registers.filter((position) => position < top).sort((a, b) => a - b);
  const wanted = [...range(bitsOf(next.radix)).map((x) => top + x), ...own];
  const places = wanted.map((position) => registers.indexOf(position));
  const order = range(shape.points).map((r) => scatter(r, places));
  return { ...next, spread: { threads, own }, handover: { swaps, order } };
}

/** The pass that memory fills, its threads spread so that the pass after it can be handed over within `lanes`, where that is possible. */
function prepared(shape: Shape, pass: Pass, after: Pass | undefined, lanes: number): Pass {
  if (!after) return pass;
  const { own } = spreadOf(shape, pass);
  const others = range(bitsOf(shape.n / pass.radix)).filter((bit) => !own.includes(bit));
  const { threads: places } = outputs(pass, { threads: others, own });
  const moving = others.filter((_, i) => places[i]! >= bitsOf(shape.n / after.radix));
  if (2 ** moving.length > lanes || moving.length === 0) return pass;
  const threads = [...moving, ...others.filter((bit) => !moving.includes(bit))];
  return { ...pass, spread: { threads, own } };
}

/** The shape with every exchange through shuffles that stays within `lanes` neighbouring threads; loads of the first pass stay as they are. */
export function shuffled(shape: Shape, lanes: number): Shape {
  const passes: Pass[] = [];
  for (const [index, pass] of shape.passes.entries()) {
    const before = passes[index - 1];
    if (!before) {
      passes.push(pass);
      continue;
    }
    const held = outputs(before, spreadOf(shape, before));
    passes.push(
      handedOver(shape, held, pass, lanes) ?? prepared(shape, pass, shape.passes[index + 1], lanes),
    );
  }
  return { ...shape, passes };
}

/** Neighbouring threads that the shape's shuffles reach: a subgroup must have so many. 0 without any. */
export const lanesOf = ({ passes }: Shape): number =>
  Math.max(
    0,
    ...passes.flatMap(({ handover }) => (handover?.swaps ?? []).map(({ thread }) => 2 ** (thread + 1))),
  );

/** Exchanges that go through workgroup memory. */
export const memoryExchanges = ({ passes }: Shape): number =>
  passes.slice(1).filter(({ handover }) => handover === undefined).length;

/** The swaps on every thread's registers, in place. */
export function swapped<T>(held: readonly (readonly T[])[], { swaps, order }: Handover): T[][] {
  let now = held.map((registers) => [...registers]);
  for (const { thread, register } of swaps) {
    now = now.map((registers, t) =>
      registers.map((value, r) => {
        const up = (t >> thread) & 1;
        return ((r >> register) & 1) === up ? value : now[t ^ (1 << thread)]![r ^ (1 << register)]!;
      }),
    );
  }
  return now.map((registers) => order.map((r) => registers[r]!));
}

/** Statements that hand the registers over to the next pass: two selects and a shuffle a pair of registers and swap. */
export function handoverText({ swaps, order }: Handover, prefix: string): Text[] {
  const text: Text[] = [];
  for (const [index, { thread, register }] of swaps.entries()) {
    const mask = formatU32(2 ** thread);
    const up = `${prefix}up${index}`;
    text.push(`let ${up} = (t / ${mask}) % 2u == 1u;`);
    for (const low of range(order.length).filter((r) => ((r >> register) & 1) === 0)) {
      const [a, b, got] = [`x${low}`, `x${low + 2 ** register}`, `${prefix}got${index}_${low}`];
      text.push(
        `let ${got} = subgroupShuffleXor(select(${b}, ${a}, ${up}), ${mask});`,
        `${a} = select(${a}, ${got}, ${up});`,
        `${b} = select(${got}, ${b}, ${up});`,
      );
    }
  }
  if (order.every((from, r) => from === r)) return text;
  return [
    ...text,
    order.map((from, r) => `let ${prefix}y${r} = x${from};`),
    order.map((_, r) => `x${r} = ${prefix}y${r};`),
  ];
}
