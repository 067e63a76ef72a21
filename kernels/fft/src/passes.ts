import { Fault } from "@tunelab/contract";

/**
 * One pass of a Stockham transform (natural order in and out): butterflies of `radix` points, `before` = product of the
 * radices of earlier passes. Butterfly j in [0, n / radix) reads positions j + m n / radix, multiplies by
 * exp(sign 2 pi i (j % before) m / (before radix)), transforms, and writes position
 * (j / before) before radix + j % before + m before.
 */
export interface Pass {
  readonly radix: number;
  readonly before: number;
}

/** How one workgroup holds a transform: thread t owns butterflies t, t + threads, ... of every pass. */
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
 * @throws Fault when the length or the thread count cannot carry the radix.
 */
export function shapeOf(n: number, radix: number, threads: number): Shape {
  const points = n / threads;
  if (!Number.isInteger(Math.log2(n)) || !Number.isInteger(points) || points < radix) {
    throw new Fault(
      "usage",
      `${threads} threads cannot hold radix ${radix} of ${n} points: use at most ${n / radix}`,
    );
  }
  const bits = Math.log2(n);
  const each = Math.log2(radix);
  const radices = new Array<number>(Math.floor(bits / each)).fill(radix);
  if (bits % each) radices.unshift(2 ** (bits % each));
  let before = 1;
  const passes = radices.map((r) => {
    const pass = { radix: r, before };
    before *= r;
    return pass;
  });
  return { n, threads, points, passes };
}

/** Register index of butterfly b (of the thread) and point m. */
export const registerOf = (pass: Pass, b: number, m: number): number => b * pass.radix + m;

/** Position that thread t's register r holds at the start of a pass. */
export function inputPosition(shape: Shape, pass: Pass, t: number, r: number): number {
  const [b, m] = [Math.floor(r / pass.radix), r % pass.radix];
  return t + b * shape.threads + (m * shape.n) / pass.radix;
}

/** Position that thread t's register r holds at the end of a pass. */
export function outputPosition(shape: Shape, pass: Pass, t: number, r: number): number {
  const [b, m] = [Math.floor(r / pass.radix), r % pass.radix];
  const j = t + b * shape.threads;
  return Math.floor(j / pass.before) * pass.before * pass.radix + (j % pass.before) + m * pass.before;
}
