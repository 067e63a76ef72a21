import { formatU32 } from "@tunelab/variants";
import {
  bitSumPlus,
  bitsOf,
  gather,
  type IndexForm,
  quotientText,
  remainderText,
  weightsOf,
} from "./bits.ts";
import { range } from "./codelets.ts";
import { butterflyOf, butterflyOffset, inputPosition, type Pass, type Shape, widthOf } from "./passes.ts";

/** How registers travel between threads from one pass to the next. */
export interface ExchangeOptions {
  /** Registers of a thread that are staged at a time; a power of two, at most the points of a thread. */
  readonly chunk: number;
  /** `whole`: vec2f words. `split`: real parts, then imaginary parts, through half the memory with twice the barriers. */
  readonly staging: "whole" | "split";
  /** `gap` unused words after every `padding` words (0: none), against bank conflicts. */
  readonly padding: number;
  /** A gap of 2 or 4 keeps runs of words aligned, so that a compiler may store two or four registers in one instruction. */
  readonly gap: number;
  /** How indexes are written; `modulo` unless given. */
  readonly index?: IndexForm;
}

/**
 * The layout of one exchange after `pass`. With chunk CH, radix R, before Ns and W threads: M = min(CH, R) points of a
 * butterfly and J = W max(1, CH / R) butterflies share a chunk; inside it value (j, m) sits at
 * (l / N) N M + l % N + (m % M) N where l = j % J and N = min(Ns, J): positions in order, gaps closed. After a pass with a
 * spread, l is j without the bits that tell the chunks apart, and N is Ns without those below it.
 */
export interface Layout {
  readonly shape: Shape;
  readonly pass: Pass;
  readonly next: Pass;
  readonly options: ExchangeOptions;
  readonly chunks: number;
  readonly M: number;
  readonly J: number;
  readonly N: number;
  /** Bits of j that tell the butterflies' chunks apart, where the pass has a spread. */
  readonly apart?: readonly number[];
  /** The other bits of j, those of l, then. */
  readonly within?: readonly number[];
}

export function layoutOf(shape: Shape, pass: Pass, next: Pass, options: ExchangeOptions): Layout {
  const M = Math.min(options.chunk, pass.radix);
  const together = Math.max(1, options.chunk / pass.radix);
  const J = shape.threads * together;
  const apart = pass.spread?.own.slice(bitsOf(together));
  const below = apart ? apart.filter((bit) => 2 ** bit < pass.before).length : 0;
  const bits = range(bitsOf(shape.n / pass.radix));
  return {
    ...(apart ? { apart, within: bits.filter((bit) => !apart.includes(bit)) } : {}),
    shape,
    pass,
    next,
    options,
    chunks: shape.points / options.chunk,
    M,
    J,
    N: apart ? pass.before / 2 ** below : Math.min(pass.before, J),
  };
}

/** Words of the workgroup array an exchange needs (f32 when split, vec2f when whole). */
export function exchangeWords(shape: Shape, options: ExchangeOptions): number {
  return pad(shape.threads * options.chunk - 1, options) + 1;
}

/** Bytes of it. */
export function exchangeBytes(shape: Shape, options: ExchangeOptions): number {
  return exchangeWords(shape, options) * (options.staging === "split" ? 4 : 8);
}

export const pad = (slot: number, { padding, gap }: Pick<ExchangeOptions, "padding" | "gap">): number =>
  padding ? slot + Math.floor(slot / padding) * gap : slot;

/** Chunk and padded slot of butterfly j's point m. */
export function placeOf(layout: Layout, j: number, m: number): { chunk: number; slot: number } {
  const { chunk, slot } = bareOf(layout, j, m);
  return { chunk, slot: pad(slot, layout.options) };
}

/** The same before padding. */
function bareOf(layout: Layout, j: number, m: number): { chunk: number; slot: number } {
  const { M, J, N, pass, apart, within } = layout;
  const l = within ? gather(j, within) : j % J;
  const group = apart ? gather(j, apart) : Math.floor(j / J);
  return {
    chunk: group * (pass.radix / M) + Math.floor(m / M),
    slot: Math.floor(l / N) * N * M + (l % N) + (m % M) * N,
  };
}

type Side = "write" | "read";

/** Butterfly and point that thread t's register r holds after the pass, or wants in the next: the inverse of the scatter. */
function pointOf({ pass, next, shape }: Layout, side: Side, t: number, r: number): [j: number, m: number] {
  if (side === "write") return [butterflyOf(shape, pass, t, Math.floor(r / pass.radix)), r % pass.radix];
  const q = inputPosition(shape, next, t, r);
  const j = Math.floor(q / (pass.before * pass.radix)) * pass.before + (q % pass.before);
  return [j, Math.floor(q / pass.before) % pass.radix];
}

/** Where thread t writes its register r. */
export const writePlace = (layout: Layout, t: number, r: number): { chunk: number; slot: number } =>
  placeOf(layout, ...pointOf(layout, "write", t, r));

/** Where thread t finds what its register r holds in the next pass. */
export const readPlace = (layout: Layout, t: number, r: number): { chunk: number; slot: number } =>
  placeOf(layout, ...pointOf(layout, "read", t, r));

/** WGSL of a part of a register's place, which depends on the bits of the thread index one by one. */
function spreadText(layout: Layout, side: Side, register: number, part: "chunk" | "slot"): string {
  const value = (t: number): number => bareOf(layout, ...pointOf(layout, side, t, register))[part];
  return bitSumPlus("t", weightsOf(layout.shape.threads, value), value(0), layout.options.index);
}

/** One access of a thread: register, the chunk(s) it belongs to, and the slot as text. */
export interface Access {
  readonly register: number;
  /** The chunk when it is the same for every thread. */
  readonly chunk: number | undefined;
  /** WGSL of the chunk, otherwise. */
  readonly chunkText: string;
  readonly slotText: string;
}

/**
 * Index expressions of a whole side of an exchange, with as little arithmetic as the layout allows: where two registers' slots
 * differ by the same constant for every thread (checked for all of them), one base serves both. Expressions use / and % by
 * constants only, which the compiler's range analysis proves in range; a mask (&) would be clamped instead.
 */
export function accesses(
  layout: Layout,
  side: Side,
  prefix: string,
): { readonly text: string[]; readonly list: readonly Access[] } {
  const { shape } = layout;
  const place = side === "write" ? writePlace : readPlace;
  const text: string[] = [];
  const bases: { readonly name: string; readonly slots: readonly number[] }[] = [];
  const chunkNames = new Map<string, string>();
  const list = range(shape.points).map((register): Access => {
    const places = range(shape.threads).map((t) => place(layout, t, register));
    const slots = places.map(({ slot }) => slot);
    let slotText: string | undefined;
    for (const base of bases) {
      const delta = slots[0]! - base.slots[0]!;
      if (delta >= 0 && slots.every((slot, t) => slot - base.slots[t]! === delta)) {
        slotText = delta ? `${base.name} + ${formatU32(delta)}` : base.name;
        break;
      }
    }
    if (slotText === undefined) {
      const name = `${prefix}${bases.length}`;
      text.push(...slotStatements(layout, side, register, name));
      bases.push({ name, slots });
      slotText = name;
    }
    const first = places[0]!.chunk;
    if (places.every(({ chunk }) => chunk === first))
      return { register, chunk: first, chunkText: formatU32(first), slotText };
    const key = places.map(({ chunk }) => chunk).join();
    let chunkText = chunkNames.get(key);
    if (!chunkText) {
      chunkText = `${prefix}c${chunkNames.size}`;
      chunkNames.set(key, chunkText);
      text.push(`let ${chunkText} = ${chunkExpression(layout, side, register)};`);
    }
    return { register, chunk: undefined, chunkText, slotText };
  });
  return { text, list };
}

/** Butterfly and point that a register is written as, or read from, as WGSL over the thread index `t`. */
function butterfly(layout: Layout, side: Side, register: number): { j: string; m: string } {
  const { pass, next, shape } = layout;
  const { div, mod } = algebra(layout.options.index);
  if (side === "write") {
    return {
      j: threadTimes(pass, butterflyOffset(shape, pass, Math.floor(register / pass.radix))),
      m: formatU32(register % pass.radix),
    };
  }
  const q = threadTimes(next, inputPosition(shape, next, 0, register));
  const span = pass.before * pass.radix;
  const low = mod(q, pass.before);
  const j = span >= shape.n ? low : sumText(times(div(q, span), pass.before), low);
  return { j, m: mod(div(q, pass.before), pass.radix) };
}

const isSpread = ({ pass, next }: Layout): boolean => (pass.spread ?? next.spread) !== undefined;

function slotStatements(layout: Layout, side: Side, register: number, name: string): string[] {
  const { options } = layout;
  const slot = isSpread(layout)
    ? spreadText(layout, side, register, "slot")
    : slotText(layout, side, register);
  if (!options.padding) return [`let ${name} = ${slot};`];
  const gaps = times(quotientText(`${name}i`, options.padding, options.index), options.gap);
  return [`let ${name}i = ${slot};`, `let ${name} = ${name}i + ${gaps};`];
}

function slotText(layout: Layout, side: Side, register: number): string {
  const { M, N } = layout;
  const m = pointText(layout, side, register);
  const point = /^\d+u$/.test(m) ? formatU32((Number.parseInt(m, 10) % M) * N) : times(m, N);
  const { block, inside } =
    widthOf(sideOf(layout, side)) > 1 ? widePlace(layout, side, register) : placeText(layout, side, register);
  return sumText(times(block, N * M), inside, point);
}

/**
 * Point of a butterfly within its chunk, m % M. Threads of several neighbouring butterflies that read what the first pass left take the remainder
 * before the width is multiplied, as in `widePlace`: (t % 1) * 2 is 0, where t * 2 % 8 % 2 may be 1 to a range analysis.
 */
function pointText(layout: Layout, side: Side, register: number): string {
  const { M, next, options, pass, shape } = layout;
  const { m } = butterfly(layout, side, register);
  if (M >= pass.radix || /^\d+u$/.test(m)) return m;
  return side === "read" && widthOf(next) > 1 && pass.before === 1
    ? threadModulo(next, inputPosition(shape, next, 0, register), M, options.index)
    : algebra(options.index).mod(m, M);
}

/** The pass whose butterflies one side of an exchange belongs to. */
const sideOf = ({ pass, next }: Layout, side: Side): Pass => (side === "write" ? pass : next);

/** l / N and l % N of a butterfly, l = j % J. */
function placeText(layout: Layout, side: Side, register: number): { block: string; inside: string } {
  const { J, N, pass, shape } = layout;
  const { div, mod } = algebra(layout.options.index);
  const { j } = butterfly(layout, side, register);
  const l = J >= shape.n / pass.radix ? j : mod(j, J);
  return { block: div(l, N), inside: mod(l, N) };
}

/**
 * The same for a thread of several neighbouring butterflies, whose numbers are multiples of the width plus a constant. The remainder is
 * taken before the width is multiplied: (t % 256) * 2 is at most 510, where a range analysis takes t * 2 % 512 for 511 and clamps what
 * lies behind it (144 clamps in one text of 8192 points).
 */
function widePlace(layout: Layout, side: Side, register: number): { block: string; inside: string } {
  const { J, N, pass, next, shape } = layout;
  const form = layout.options.index;
  const { div, mod } = algebra(form);
  const all = J >= shape.n / pass.radix;
  if (side === "write") {
    const constant = butterflyOffset(shape, pass, Math.floor(register / pass.radix));
    const l = all ? threadTimes(pass, constant) : threadModulo(pass, constant, J, form);
    return { block: div(l, N), inside: mod(l, N) };
  }
  const constant = inputPosition(shape, next, 0, register);
  const span = pass.before * pass.radix;
  const high = span >= shape.n ? "0u" : div(threadTimes(next, constant), span);
  // J and before are powers of two: the lesser divides the greater, and j = high before + q % before.
  if (J <= pass.before) return { block: "0u", inside: threadModulo(next, constant, J, form) };
  const block = all ? high : mod(high, J / pass.before);
  return { block, inside: threadModulo(next, constant, pass.before, form) };
}

/** (width t + constant) % divisor, the width multiplied last; `divisor` 1 or a multiple of the width. */
function threadModulo(pass: Pass, constant: number, divisor: number, form: IndexForm | undefined): string {
  if (divisor === 1) return "0u";
  const width = widthOf(pass);
  const rest = constant % width;
  const whole = algebra(form).mod(sum("t", (constant - rest) / width), divisor / width);
  return sum(times(whole, width), rest);
}

function chunkExpression(layout: Layout, side: Side, register: number): string {
  if (isSpread(layout)) return spreadText(layout, side, register, "chunk");
  const { M, J, pass } = layout;
  const { div } = algebra(layout.options.index);
  const { j, m } = butterfly(layout, side, register);
  return sumText(times(div(j, J), pass.radix / M), div(m, M));
}

/** The thread index times the pass's width, plus a constant. */
export const threadTimes = (pass: Pass, constant: number): string => sum(times("t", widthOf(pass)), constant);

/** WGSL of the twiddle index j % before of the thread's butterfly b. */
export function twiddleIndex(shape: Shape, pass: Pass, b: number, form?: IndexForm): string {
  const { before, radix, spread } = pass;
  if (spread) {
    const k = (t: number): number => butterflyOf(shape, pass, t, b) % before;
    return bitSumPlus("t", weightsOf(shape.threads, k), k(0), form);
  }
  const j = threadTimes(pass, butterflyOffset(shape, pass, b));
  return before * radix === shape.n ? j : remainderText(j, before, form);
}

// Small algebra on text: identities are folded so that the emitted expressions stay readable.
const sum = (text: string, constant: number): string =>
  constant ? `(${text} + ${formatU32(constant)})` : text;
const times = (text: string, factor: number): string =>
  text === "0u" ? text : factor === 1 ? text : `${text} * ${formatU32(factor)}`;
const algebra = (form: IndexForm | undefined) => ({
  div: (text: string, by: number): string => (by === 1 ? text : bracketed(quotientText(text, by, form))),
  mod: (text: string, by: number): string => (by === 1 ? "0u" : bracketed(remainderText(text, by, form))),
});
const bracketed = (text: string): string => (text.endsWith(")") && text.startsWith("(") ? text : `(${text})`);
const sumText = (...parts: readonly string[]): string => {
  const kept = parts.filter((part) => part !== "0u");
  return kept.length === 0 ? "0u" : kept.length === 1 ? kept[0]! : `(${kept.join(" + ")})`;
};
