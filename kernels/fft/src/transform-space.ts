import type { Constraint, Parameter, Resources } from "@tunelab/contract";
import type { IndexForm } from "./bits.ts";
import { RADICES, type Sign } from "./codelets.ts";
import { type ExchangeOptions, exchangeBytes } from "./exchange.ts";
import { type Shape, shapeOf } from "./passes.ts";
import { memoryExchanges, shuffled } from "./shuffle.ts";
import type { TransformOptions } from "./transform-options.ts";
import { BUTTERFLIES, type Butterfly, TWIDDLES, type Twiddles } from "./twiddles.ts";

/** The choices that shape an in-workgroup transform. */
export type TransformConfig = {
  readonly radix: number;
  readonly butterfly: Butterfly;
  readonly workgroup: number;
  readonly chunk: number;
  readonly staging: "whole" | "split";
  readonly padding: number;
  readonly gap: number;
  readonly twiddles: Twiddles;
  /** Undefined is what ids without it mean, as for every parameter added later. */
  readonly index?: IndexForm;
  readonly unroll?: boolean;
  readonly shuffle?: number;
};

/**
 * Most complex points in a thread's registers: 64 are 128 registers of the 255 that a thread may have on most GPUs, and hold 4096
 * points in two passes of radix 64. The 256 invocations of every device hold 16384 points at no fewer.
 */
const mostPoints = (n: number): number => Math.max(64, n / 256);
const WORKGROUP = { least: 4, most: 1024 } as const;

export const powersOfTwo = (from: number, to: number): number[] => {
  const values: number[] = [];
  for (let value = from; value <= to; value *= 2) values.push(value);
  return values;
};

/** Parameters of the butterflies and their factors. */
const ARITHMETIC: readonly Parameter[] = [
  {
    name: "radix",
    values: RADICES,
    unit: "points",
    doc: "largest butterfly a thread computes in registers",
  },
  {
    name: "butterfly",
    values: BUTTERFLIES,
    doc: "split: twiddle products, then radix-4 steps; fused: radix-2 levels on fused multiply-adds that carry the twiddles; merged: products in the first level, constants in the others",
  },
];

const chunks = (most: number): Parameter => ({
  name: "chunk",
  values: powersOfTwo(1, most),
  unit: "registers",
  doc: "registers of a thread staged at a time in an exchange: fewer need less workgroup memory and more barriers",
});

/** Parameters of the exchanges and where factors come from. */
const EXCHANGE: readonly Parameter[] = [
  {
    name: "staging",
    values: ["whole", "split"],
    doc: "exchange complex numbers, or real parts and then imaginary parts through half the memory",
  },
  {
    name: "padding",
    values: [0, 8, 16, 32],
    unit: "words",
    doc: "unused words (`gap`) after so many, against bank conflicts",
  },
  {
    name: "gap",
    values: [1, 2, 4],
    unit: "words",
    doc: "unused words at a time: 2 and 4 keep a thread's run of words aligned for wider stores",
  },
  {
    name: "twiddles",
    values: TWIDDLES,
    doc: "direct: a cosine and sine each; walk: powers of one; table: float64-computed constants; table-pairs: two a load; table-walk: powers of one constant",
  },
];

/** Parameters of one transform of n points in a workgroup, in the order of their ids. */
export function transformParameters(n: number): Parameter[] {
  const least = Math.max(WORKGROUP.least, n / mostPoints(n));
  return [
    ...ARITHMETIC,
    {
      name: "workgroup",
      values: powersOfTwo(least, Math.min(WORKGROUP.most, n / 2)),
      unit: "invocations",
      doc: "threads of one transform; each holds n / workgroup points",
    },
    chunks(n / least),
    ...EXCHANGE,
  ];
}

/** The same with the points of a thread instead of its workgroup, for kernels that hold transforms of several lengths. */
export const transformParametersByPoints = (points: readonly number[]): Parameter[] => [
  ...ARITHMETIC,
  { name: "points", values: points, unit: "points", doc: "complex points in a thread's registers" },
  chunks(Math.max(...points)),
  ...EXCHANGE,
];

/** Without padding there is no gap to choose. */
export const gapOfPadding: Constraint<Pick<TransformConfig, "padding" | "gap">> = {
  name: "gap-of-padding",
  doc: "without padding there is no gap to choose: gap is 1 where padding is 0",
  parameters: ["padding", "gap"],
  holds: ({ padding, gap }) => padding > 0 || gap === 1,
};

export const transformConstraints = (n: number): Constraint<TransformConfig>[] => [
  {
    name: "radix-in-registers",
    doc: "a thread holds at least one butterfly: radix <= n / workgroup",
    parameters: ["radix", "workgroup"],
    holds: ({ radix, workgroup }) => radix <= n / workgroup,
  },
  {
    name: "chunk-of-registers",
    doc: "a chunk is at most what a thread holds: chunk <= n / workgroup",
    parameters: ["chunk", "workgroup"],
    holds: ({ chunk, workgroup }) => chunk <= n / workgroup,
  },
  gapOfPadding,
];

/** Threads and passes of a configuration; `width` neighbouring butterflies a thread in the outer passes. */
export const shapeFor = (n: number, config: TransformConfig, width = 1): Shape =>
  carriedBy(config, shapeOf(n, config.radix, config.workgroup, width));

/** The shape with the exchanges that the configuration carries through shuffles. */
export const carriedBy = ({ shuffle = 0 }: TransformConfig, shape: Shape): Shape =>
  shuffle > 0 ? shuffled(shape, shuffle) : shape;

/** What a configuration's shuffles need of a device; nothing without any. */
export const shuffleNeeds = ({ shuffle = 0 }: TransformConfig): Pick<Resources, "features" | "subgroup"> =>
  shuffle > 0
    ? { features: ["subgroups"], subgroup: { minimum: shuffle, maximum: WIDEST_SUBGROUP } }
    : { features: [] };

/** The widest subgroup of any device (W3C WebGPU, `subgroupMaxSize`). */
const WIDEST_SUBGROUP = 128;

export const exchangeFor = ({ chunk, staging, padding, gap, index }: TransformConfig): ExchangeOptions => ({
  chunk,
  staging,
  padding,
  gap,
  ...(index ? { index } : {}),
});

/** The transform of a configuration; `hoist` gives its factors apart from its text. */
export const transformFor = (config: TransformConfig, sign: Sign, hoist = false): TransformOptions => ({
  hoist,
  sign,
  twiddles: config.twiddles,
  butterfly: config.butterfly,
  ...(config.unroll === false ? { unroll: false } : {}),
  exchange: exchangeFor(config),
});

/** Bytes of workgroup memory as WebGPU counts them: each variable rounded up to 16 (WebGPU, 10.2.3 validating a shader). */
export const workgroupBytes = (...variables: readonly number[]): number =>
  variables.reduce((sum, bytes) => sum + Math.ceil(bytes / 16) * 16, 0);

/** Bytes of the exchange array of one transform; none where no exchange goes through memory. */
export const exchangeMemory = (
  n: number,
  config: TransformConfig,
  shape: Shape = shapeFor(n, config),
): number => (memoryExchanges(shape) === 0 ? 0 : exchangeBytes(shape, exchangeFor(config)));

/** Bytes through workgroup memory for one transform, written and read. */
export const exchangedBytes = (
  n: number,
  config: TransformConfig,
  shape: Shape = shapeFor(n, config),
): number => 2 * 8 * n * memoryExchanges(shape);

/**
 * What a careful author writes without tuning: radix 4, up to 256 threads, as much of the transform staged at once as `memory`
 * bytes of workgroup memory allow, and twiddles from a table, because WGSL promises only 2^-11 of cos and sin (SwiftShader's
 * leave 2e-4 on the magnitude at n = 1024, a hundred times the operation's bound).
 */
export function defaultTransform(n: number, memory: number, invocations: number): TransformConfig {
  const workgroup = Math.min(n / 4, 256, invocations);
  const base = { radix: 4, butterfly: "split", workgroup, padding: 0, gap: 1, twiddles: "table" } as const;
  for (let chunk = n / workgroup; chunk >= 1; chunk /= 2) {
    for (const staging of ["whole", "split"] as const) {
      const config: TransformConfig = { ...base, chunk, staging };
      if (workgroupBytes(exchangeMemory(n, config)) <= memory) return config;
    }
  }
  return { ...base, chunk: 1, staging: "split" };
}

/** Builtins whose accuracy is the device's: twiddles computed in the kernel. */
export const looseBuiltins = ({ twiddles }: { readonly twiddles: Twiddles }): readonly string[] =>
  twiddles === "direct" || twiddles === "walk" ? ["cos", "sin"] : [];
