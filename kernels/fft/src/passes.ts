import { Fault } from "@tunelab/contract";
import { bitSumPlus, bitsOf, scatter, weightsOf } from "./bits.ts";
import { range } from "./codelets.ts";

/**
 * One pass of a Stockham transform (natural order in and out): butterflies of `radix` points, `before` = product of the
 * radices of earlier passes. Butterfly j in [0, n / radix) reads positions j + m n / radix, multiplies by
 * exp(sign 2 pi i (j % before) m / (before radix)), transforms, and writes position
 * (j / before) before radix + j % before + m before.
 */
export interface Pass {
  readonly radix: number;
  readonly before: number;
  /** Neighbouring butterflies that a thread owns (1 unless given): 2 read and write neighbouring positions as one vec4f. */
  readonly width?: number;
  readonly spread?: Spread;
  /** How the pass gets its points from the registers of the pass before, where no memory is between them. */
  readonly handover?: Handover;
}

/**
 * Swaps in order: threads whose indexes differ in bit `thread` alone exchange the registers whose numbers differ in bit `register` and are
 * not where they belong. Then register r is what register order[r] was.
 */
export interface Handover {
  readonly swaps: readonly { readonly thread: number; readonly register: number }[];
  readonly order: readonly number[];
}

/**
 * Another way to hand butterflies to threads: bit i of the thread's index is bit threads[i] of the butterfly's, bit i of the number
 * among the thread's own butterflies is bit own[i]. An exchange after such a pass stages those of one number together.
 */
export interface Spread {
  readonly threads: readonly number[];
  readonly own: readonly number[];
}

/** How one workgroup holds a transform: thread t owns the butterflies `butterflyOf` of every pass. */
export interface Shape {
  readonly n: number;
  readonly threads: number;
  /** Points in each thread's registers: n / threads. */
  readonly points: number;
  readonly passes: readonly Pass[];
}

/**
 * Passes of `radix` as many as fit, and the remainder as a smaller radix first (its twiddles are free there: the first pass
 * has none, and the later passes keep the larger radix). A length that is no power of the radix is the rule, not the exception:
 * a radix-4-only kernel was silently wrong for 473 of 512 pairs at 2048 in the project's source documents.
 * `width` is the width of the first and the last pass, those that meet global memory.
 * @throws Fault when the length or the thread count cannot carry the radix, or a thread holds no `width` butterflies.
 */
export function shapeOf(n: number, radix: number, threads: number, width = 1): Shape {
  const points = n / threads;
  const held = radix * width;
  if (!Number.isInteger(Math.log2(n)) || !Number.isInteger(points) || points < held) {
    throw new Fault(
      "usage",
      `${threads} threads cannot hold ${width > 1 ? `${width} butterflies of ` : ""}radix ${radix} of ${n} points: use at most ${n / held}`,
    );
  }
  const bits = Math.log2(n);
  const each = Math.log2(radix);
  const radices = new Array<number>(Math.floor(bits / each)).fill(radix);
  if (bits % each) radices.unshift(2 ** (bits % each));
  let before = 1;
  const passes = radices.map((r, index): Pass => {
    const outer = index === 0 || index === radices.length - 1;
    const pass = outer && width > 1 ? { radix: r, before, width } : { radix: r, before };
    before *= r;
    return pass;
  });
  return { n, threads, points, passes };
}

/** Register index of butterfly b (of the thread) and point m. */
export const registerOf = (pass: Pass, b: number, m: number): number => b * pass.radix + m;

/** Consecutive butterflies of a thread. */
export const widthOf = ({ width = 1 }: Pass): number => width;

/** What the thread's b-th butterfly adds to what the thread's index gives: to `width` times it, or to its bits spread. */
export const butterflyOffset = (shape: Shape, pass: Pass, b: number): number => {
  if (pass.spread) return scatter(b, pass.spread.own);
  const width = widthOf(pass);
  return (b % width) + (b - (b % width)) * shape.threads;
};

/** The thread's b-th butterfly: width t + b % width + (b - b % width) threads; without a width t + b threads; or as spread. */
export const butterflyOf = (shape: Shape, pass: Pass, t: number, b: number): number =>
  (pass.spread ? scatter(t, pass.spread.threads) : widthOf(pass) * t) + butterflyOffset(shape, pass, b);

/** The spread of `butterflies` whose thread bits are given: the others are the thread's own, in order. */
const spreadOver = (butterflies: number, threads: readonly number[]): Spread => ({
  threads,
  own: range(bitsOf(butterflies)).filter((bit) => !threads.includes(bit)),
});

/**
 * The shape with two butterflies a thread `before` apart in every pass that has so many, instead of `threads` apart: neighbours in the
 * first pass, which loads them as one vec4f; the later passes follow, so that what a thread stages together is still the
 * same for all threads. @throws Fault where a thread holds one butterfly of the first pass only.
 */
export function paired(shape: Shape): Shape {
  const { n, threads, points, passes } = shape;
  if (points < 2 * passes[0]!.radix) {
    throw new Fault(
      "usage",
      `${threads} threads hold one butterfly of radix ${passes[0]!.radix} of ${n} points each: use at most ${threads / 2}`,
    );
  }
  const spreadOf = ({ radix, before }: Pass): Spread | undefined => {
    const skipped = bitsOf(before);
    const last = before * radix === n;
    if (last || skipped >= bitsOf(threads) || points < 2 * radix) return undefined;
    return spreadOver(
      n / radix,
      range(bitsOf(threads)).map((bit) => (bit < skipped ? bit : bit + 1)),
    );
  };
  return {
    ...shape,
    passes: passes.map((pass) => {
      const spread = spreadOf(pass);
      return spread ? { ...pass, spread } : pass;
    }),
  };
}

/** Position that thread t's register r holds at the start of a pass. */
export function inputPosition(shape: Shape, pass: Pass, t: number, r: number): number {
  const [b, m] = [Math.floor(r / pass.radix), r % pass.radix];
  return butterflyOf(shape, pass, t, b) + (m * shape.n) / pass.radix;
}

/** Position that thread t's register r holds at the end of a pass. */
export function outputPosition(shape: Shape, pass: Pass, t: number, r: number): number {
  const [b, m] = [Math.floor(r / pass.radix), r % pass.radix];
  const j = butterflyOf(shape, pass, t, b);
  return Math.floor(j / pass.before) * pass.before * pass.radix + (j % pass.before) + m * pass.before;
}

/** WGSL over the thread index `t` of the position that register r holds at the start or the end of a pass. */
export function positionText(shape: Shape, pass: Pass, side: "input" | "output", r: number): string {
  const position = (t: number): number =>
    (side === "input" ? inputPosition : outputPosition)(shape, pass, t, r);
  return bitSumPlus("t", weightsOf(shape.threads, position), position(0));
}
