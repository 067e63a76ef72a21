import { formatF32, formatU32 } from "@tunelab/variants";
import { multiplyText, range, type Sign } from "./codelets.ts";
import type { Pass, Shape } from "./passes.ts";

/**
 * Where the factors exp(sign 2 pi i k m / (before radix)) come from.
 * - `direct`: a cosine and a sine each; WGSL promises 2^-11 only, devices give what they give.
 * - `walk`: one cosine and sine for m = 1, the rest by multiplication (w2 = w1 w1, w3 = w2 w1, w4 = w2 w2, ...; depth log2).
 * - `table`: a storage buffer of float64-computed factors, one load each.
 * - `table-walk`: w1 from the table, the rest by multiplication.
 */
export const TWIDDLES = ["direct", "walk", "table", "table-walk"] as const;
export type Twiddles = (typeof TWIDDLES)[number];

export const usesTable = (twiddles: Twiddles): boolean => twiddles === "table" || twiddles === "table-walk";

const turning = (shape: Shape): readonly Pass[] => shape.passes.filter((pass) => pass.before > 1);

/** Factors a pass keeps in the table: m = 1 .. radix-1, or m = 1 alone when the rest is walked. */
const factorsOf = (pass: Pass, twiddles: Twiddles): number => (twiddles === "table" ? pass.radix - 1 : 1);

/** vec2f entries of the table. */
export function tableEntries(shape: Shape, twiddles: Twiddles): number {
  return turning(shape).reduce((sum, pass) => sum + pass.before * factorsOf(pass, twiddles), 0);
}

/** The table: per pass, factor m - 1, then k; so that neighbouring threads load neighbouring words. Rounded once, from float64. */
export function twiddleTable(shape: Shape, twiddles: Twiddles, sign: Sign): Float32Array {
  const words: number[] = [];
  for (const pass of turning(shape)) {
    for (const f of range(factorsOf(pass, twiddles))) {
      for (const k of range(pass.before)) {
        const angle = (sign * 2 * Math.PI * k * (f + 1)) / (pass.before * pass.radix);
        words.push(Math.cos(angle), Math.sin(angle));
      }
    }
  }
  return Float32Array.from(words);
}

/** First entry of a pass in the table. */
function tableOffset(shape: Shape, pass: Pass, twiddles: Twiddles): number {
  let offset = 0;
  for (const earlier of turning(shape)) {
    if (earlier === pass) break;
    offset += earlier.before * factorsOf(earlier, twiddles);
  }
  return offset;
}

/**
 * Statements that define the factors `${prefix}w1` .. `${prefix}w{radix-1}` of one butterfly, its index k = j % before given as
 * text. The table is the storage variable `twiddles`.
 */
export function twiddleText(
  shape: Shape,
  pass: Pass,
  twiddles: Twiddles,
  sign: Sign,
  k: string,
  prefix: string,
): string[] {
  const step = (sign * 2 * Math.PI) / (pass.before * pass.radix);
  const name = (m: number): string => `${prefix}w${m}`;
  const text = [`let ${prefix}k = ${k};`];
  const direct = (m: number): string[] => [
    `let ${prefix}a${m} = f32(${prefix}k) * ${formatF32(step * m)};`,
    `let ${name(m)} = vec2f(cos(${prefix}a${m}), sin(${prefix}a${m}));`,
  ];
  const loaded = (m: number): string[] => {
    const offset = tableOffset(shape, pass, twiddles) + (m - 1) * pass.before;
    return [`let ${name(m)} = twiddles[${prefix}k${offset ? ` + ${formatU32(offset)}` : ""}];`];
  };
  const walked = (m: number): string[] => {
    const [a, b] = [name(Math.floor(m / 2)), name(Math.ceil(m / 2))];
    return [`let ${name(m)} = ${multiplyText(a, `${b}.x`, `${b}.y`)};`];
  };
  const source = usesTable(twiddles) ? loaded : direct;
  const walks = twiddles === "walk" || twiddles === "table-walk";
  for (const m of range(pass.radix).slice(1)) text.push(...(m > 1 && walks ? walked(m) : source(m)));
  return text;
}
