import { formatF32, formatU32 } from "@tunelab/variants";
import { fusedFactors, multiplyText, range, type Sign } from "./codelets.ts";
import type { Pass, Shape } from "./passes.ts";

/**
 * Where the factors of a pass come from.
 * - `direct`: a cosine and a sine each; WGSL promises 2^-11 only, devices give what they give.
 * - `walk`: one cosine and sine for the first, the rest by multiplication, log2(radix) deep.
 * - `table`: a storage buffer of float64-computed factors, one load each.
 * - `table-pairs`: the same, two factors a load: a storage load costs an NVIDIA GPU three instructions of address and bounds beside it.
 * - `table-walk`: the first from the table, the rest by multiplication.
 * - `constant` (where an algorithm offers it): the pairs in a uniform buffer, which GPUs read through a constant cache of their own: fast
 *   where a subgroup reads one address, slow where every lane reads another.
 */
export const TWIDDLES = ["direct", "walk", "table", "table-pairs", "table-walk"] as const;
export type Twiddles = (typeof TWIDDLES)[number] | "constant";

/** Bytes of a uniform buffer that every device grants (W3C WebGPU, section 3.6.2). */
const UNIFORM_BYTES = 65_536;

/**
 * How a thread computes a butterfly.
 * - `split`: points times their twiddles w^m, m = 1 .. radix - 1, then a DFT codelet of radix-4 and radix-2 steps.
 * - `fused`: levels of radix-2 steps on fused multiply-adds that carry the twiddles (`fusedCodelet`), radix / 2 factors.
 * - `merged`: the same levels with constants; the products with w^m merge with the first level. More factors than `fused`, and fewer
 *   operations on three registers: those issue at two thirds of the rate of operations with a constant on an H200.
 */
export const BUTTERFLIES = ["split", "fused", "merged"] as const;
export type Butterfly = (typeof BUTTERFLIES)[number];

/** The choices that decide which factors exist and where they come from. */
export interface FactorOptions {
  readonly sign: Sign;
  readonly twiddles: Twiddles;
  readonly butterfly: Butterfly;
  /** Name of the storage variable with the table of factors. */
  readonly table?: string;
}

/** Name of the table where a kernel has one transform. */
export const TWIDDLE_TABLE = "twiddles";

export const usesTable = (twiddles: Twiddles): boolean => readsStorage(twiddles) || twiddles === "constant";

/** Whether the table takes one of the storage bindings. */
export const readsStorage = (twiddles: Twiddles): boolean => twiddles.startsWith("table");

/** How a kernel binds the table. */
export const tableAccess = (twiddles: Twiddles): "uniform" | "read" =>
  twiddles === "constant" ? "uniform" : "read";

/** exp(sign 2 pi i (k times + plus) / of) for the butterfly's twiddle index k = j % before. */
export interface Factor {
  readonly name: string;
  readonly times: number;
  readonly plus: number;
  readonly of: number;
  /** The factor from earlier ones of the pass, as text; the first has none. */
  readonly walked: (prefix: string) => string;
}

/** The factors of a pass in order, the one that the others can be walked from first. */
export function factorsOf(pass: Pass, { butterfly, sign }: FactorOptions): readonly Factor[] {
  const { radix, before } = pass;
  if (butterfly !== "fused") {
    return range(radix)
      .slice(1)
      .map((m) => ({
        name: `w${m}`,
        times: m,
        plus: 0,
        of: before * radix,
        walked: (prefix) => {
          const b = `${prefix}w${Math.ceil(m / 2)}`;
          return multiplyText(`${prefix}w${Math.floor(m / 2)}`, `${b}.x`, `${b}.y`);
        },
      }));
  }
  return fusedFactors(radix).map(({ size, q }) => ({
    name: `f${size}_${q}`,
    times: 1,
    plus: q * before,
    of: size * before,
    walked: (prefix) => {
      if (q === 0) {
        const root = `${prefix}f${2 * size}_0`;
        return multiplyText(root, `${root}.x`, `${root}.y`);
      }
      const angle = (sign * 2 * Math.PI * q) / size;
      return multiplyText(`${prefix}f${size}_0`, formatF32(Math.cos(angle)), formatF32(Math.sin(angle)));
    },
  }));
}

/** The factor's value for a twiddle index, in float64. */
export function factorValue(factor: Factor, k: number, sign: Sign): readonly [number, number] {
  const angle = (sign * 2 * Math.PI * (k * factor.times + factor.plus)) / factor.of;
  return [Math.cos(angle), Math.sin(angle)];
}

const turning = (shape: Shape): readonly Pass[] => shape.passes.filter((pass) => pass.before > 1);

/** Factors a pass keeps in the table: all, or the first alone when the rest is walked. */
const kept = (pass: Pass, options: FactorOptions): readonly Factor[] =>
  options.twiddles === "table-walk" ? factorsOf(pass, options).slice(0, 1) : factorsOf(pass, options);

/** Factors of one entry of the table. */
const perEntry = ({ twiddles }: FactorOptions): number =>
  twiddles === "table-pairs" || twiddles === "constant" ? 2 : 1;

/** Entries of a pass for each twiddle index. */
export const entriesOf = (pass: Pass, options: FactorOptions): number =>
  Math.ceil(kept(pass, options).length / perEntry(options));

const tableEntries = (shape: Shape, options: FactorOptions): number =>
  turning(shape).reduce((sum, pass) => sum + pass.before * entriesOf(pass, options), 0);

/** Whether the table fits a uniform buffer of any device. */
export const fitsUniform = (shape: Shape, options: FactorOptions): boolean =>
  tableEntries(shape, options) * perEntry(options) * 8 <= UNIFORM_BYTES;

/** WGSL type of the table. */
export function tableType(shape: Shape, options: FactorOptions): string {
  const entries = tableEntries(shape, options);
  return `array<${perEntry(options) === 2 ? "vec4f" : "vec2f"}, ${entries}>`;
}

/** The table: per pass, entry, then k; so that neighbouring threads load neighbouring words. Rounded once, from float64. */
export function twiddleTable(shape: Shape, options: FactorOptions): Float32Array {
  const words: number[] = [];
  for (const pass of turning(shape)) {
    const factors = kept(pass, options);
    const together = perEntry(options);
    for (const entry of range(entriesOf(pass, options))) {
      for (const k of range(pass.before)) {
        for (const one of range(together)) {
          const factor = factors[entry * together + one];
          words.push(...(factor ? factorValue(factor, k, options.sign) : [0, 0]));
        }
      }
    }
  }
  return Float32Array.from(words);
}

/** First entry of a pass in the table. */
export function tableOffset(shape: Shape, pass: Pass, options: FactorOptions): number {
  let offset = 0;
  for (const earlier of turning(shape)) {
    if (earlier === pass) break;
    offset += earlier.before * entriesOf(earlier, options);
  }
  return offset;
}

/** What is added to k to find an entry of a pass in the table, as WGSL that begins with a plus, or nothing. */
export type TwiddlePlace = (entry: number) => string;

const plusText = (amount: number): string => (amount ? ` + ${formatU32(amount)}` : "");

/**
 * Statements that define the factors `${prefix}${factor.name}` of one butterfly, its index k = j % before given as text.
 */
export function twiddleText(
  shape: Shape,
  pass: Pass,
  options: FactorOptions,
  k: string,
  prefix: string,
  place: TwiddlePlace = (entry) => plusText(tableOffset(shape, pass, options) + entry * pass.before),
): string[] {
  const text = [`let ${prefix}k = ${k};`];
  const table = (entry: number): string => `${options.table ?? TWIDDLE_TABLE}[${prefix}k${place(entry)}]`;
  const walks = options.twiddles === "walk" || options.twiddles === "table-walk";
  for (const [index, factor] of factorsOf(pass, options).entries()) {
    const name = `${prefix}${factor.name}`;
    if (index > 0 && walks) {
      text.push(`let ${name} = ${factor.walked(prefix)};`);
    } else if (perEntry(options) === 2) {
      const pair = `${prefix}two${Math.floor(index / 2)}`;
      if (index % 2 === 0) text.push(`let ${pair} = ${table(index / 2)};`);
      text.push(`let ${name} = ${pair}.${index % 2 ? "zw" : "xy"};`);
    } else if (usesTable(options.twiddles)) {
      text.push(`let ${name} = ${table(index)};`);
    } else {
      const step = (options.sign * 2 * Math.PI * factor.times) / factor.of;
      text.push(
        `let ${name}a = f32(${prefix}k${plusText(factor.plus)}) * ${formatF32(step)};`,
        `let ${name} = vec2f(cos(${name}a), sin(${name}a));`,
      );
    }
  }
  return text;
}
