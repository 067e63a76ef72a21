import { formatF32, formatU32, type Text } from "@tunelab/variants";
import { multiplyText, range, type Sign } from "../../codelets.ts";
import type { Between } from "./space.ts";

/**
 * The factors w^q, w = exp(sign 2 pi i / n), q = column * k1 < n, between the steps.
 * - `table`: float64-computed, all n of them.
 * - `two-level`: w^q = w^(q % B) w^(B (q / B)) from tables of B and n / B entries: one more rounding, and tables that stay in
 *   the nearest cache.
 * - `walk`: w^(column t) and w^(column threads) of that kind, the rest by multiplication, log2(points) deep.
 * - `direct`: a cosine and a sine each, of the device's accuracy.
 */
export interface BetweenOptions {
  readonly n: number;
  readonly sign: Sign;
  readonly between: Between;
}

/** Name of the storage variable with the factors' table. */
export const TURNS = "turns";

/** Entries of the fine table of `two-level`. */
const fine = (n: number): number => 2 ** Math.ceil(Math.log2(n) / 2);

const exponents = ({ n, between }: BetweenOptions): number[] => {
  if (between === "direct") return [];
  if (between === "table") return range(n);
  const count = fine(n);
  return [...range(count), ...range(n / count).map((h) => h * count)];
};

/** vec2f entries of the table; 0 where factors need none. */
export const turnEntries = ({ n, between }: BetweenOptions): number =>
  between === "direct" ? 0 : between === "table" ? n : fine(n) + n / fine(n);

/** The table, rounded once from float64. */
export function turnTable(options: BetweenOptions): Float32Array {
  const words = new Float32Array(2 * turnEntries(options));
  for (const [index, q] of exponents(options).entries()) {
    const angle = (options.sign * 2 * Math.PI * q) / options.n;
    words[2 * index] = Math.cos(angle);
    words[2 * index + 1] = Math.sin(angle);
  }
  return words;
}

/** Statements that define `name` = w^q. */
function factorText({ n, sign, between }: BetweenOptions, name: string, q: string): string[] {
  if (between === "table") return [`let ${name} = ${TURNS}[${q}];`];
  if (between === "direct") {
    const step = formatF32((sign * 2 * Math.PI) / n);
    return [`let ${name}a = f32(${q}) * ${step};`, `let ${name} = vec2f(cos(${name}a), sin(${name}a));`];
  }
  const count = formatU32(fine(n));
  return [
    `let ${name}q = ${q};`,
    `let ${name}f = ${TURNS}[${name}q % ${count}];`,
    `let ${name}c = ${TURNS}[${count} + ${name}q / ${count}];`,
    `let ${name} = ${multiplyText(`${name}f`, `${name}c.x`, `${name}c.y`)};`,
  ];
}

/**
 * Statements that multiply register `names[r]` by w^(column (t + offsets[r])); the offsets are the multiples of `threads` below
 * points * threads in any order.
 */
export function betweenText(
  options: BetweenOptions,
  names: readonly string[],
  offsets: readonly number[],
  threads: number,
): Text[] {
  const q = (offset: number): string => (offset ? `column * (t + ${formatU32(offset)})` : "column * t");
  const multiplied = (x: string, factor: string): string =>
    `${x} = ${multiplyText(x, `${factor}.x`, `${factor}.y`)};`;
  if (options.between !== "walk") {
    return names.map((x, r) => [
      factorText(options, `w${offsets[r]}`, q(offsets[r]!)),
      multiplied(x, `w${offsets[r]}`),
    ]);
  }
  // Powers of the step, each from two of half its exponent; then all times the first.
  const steps = range(names.length).slice(1);
  const power = (i: number): Text => {
    if (i === 1) return factorText(options, "u1", `column * ${formatU32(threads)}`);
    const b = `u${Math.ceil(i / 2)}`;
    return `let u${i} = ${multiplyText(`u${Math.floor(i / 2)}`, `${b}.x`, `${b}.y`)};`;
  };
  return [
    factorText(options, "w0", q(0)),
    steps.map(power),
    steps.map((i) => `let w${i} = ${multiplyText("w0", `u${i}.x`, `u${i}.y`)};`),
    names.map((x, r) => multiplied(x, `w${offsets[r]! / threads}`)),
  ];
}
