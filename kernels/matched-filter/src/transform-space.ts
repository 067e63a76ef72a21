import type { Constraint, Parameter } from "@tunelab/contract";
import {
  BUTTERFLIES,
  type Butterfly,
  type ExchangeOptions,
  exchangeBytes,
  RADICES,
  type Shape,
  shapeOf,
  type TransformOptions,
  TWIDDLES,
  type Twiddles,
} from "@tunelab/kernel-fft";

/** The choices that shape an in-workgroup transform, shared by the algorithms. */
export type TransformConfig = {
  readonly radix: number;
  readonly butterfly: Butterfly;
  readonly workgroup: number;
  readonly chunk: number;
  readonly staging: "whole" | "split";
  readonly padding: number;
  readonly twiddles: Twiddles;
};

/**
 * Most complex points in a thread's registers: 32 are 64 registers, and twice that while a chunk is exchanged. The 256 invocations
 * that every device grants hold 16384 points only at 64 a thread.
 */
const mostPoints = (n: number): number => Math.max(32, n / 256);
const WORKGROUP = { least: 4, most: 1024 } as const;

const powersOfTwo = (from: number, to: number): number[] => {
  const values: number[] = [];
  for (let value = from; value <= to; value *= 2) values.push(value);
  return values;
};

export function transformParameters(n: number): Parameter[] {
  const least = Math.max(WORKGROUP.least, n / mostPoints(n));
  return [
    {
      name: "radix",
      values: RADICES,
      unit: "points",
      doc: "largest butterfly a thread computes in registers",
    },
    {
      name: "butterfly",
      values: BUTTERFLIES,
      doc: "split: twiddle products, then radix-4 steps; fused: radix-2 levels on fused multiply-adds that carry the twiddles",
    },
    {
      name: "workgroup",
      values: powersOfTwo(least, Math.min(WORKGROUP.most, n / 2)),
      unit: "invocations",
      doc: "threads of one transform; each holds n / workgroup points",
    },
    {
      name: "chunk",
      values: powersOfTwo(1, n / least),
      unit: "registers",
      doc: "registers of a thread staged at a time in an exchange: fewer need less workgroup memory and more barriers",
    },
    {
      name: "staging",
      values: ["whole", "split"],
      doc: "exchange complex numbers, or real parts and then imaginary parts through half the memory",
    },
    {
      name: "padding",
      values: [0, 8, 16, 32],
      unit: "words",
      doc: "one unused word after so many, against bank conflicts",
    },
    {
      name: "twiddles",
      values: TWIDDLES,
      doc: "direct: a cosine and sine each; walk: powers of one; table: float64-computed constants; table-walk: powers of one constant",
    },
  ];
}

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
];

export const shapeFor = (n: number, config: TransformConfig): Shape =>
  shapeOf(n, config.radix, config.workgroup);

export const exchangeFor = ({ chunk, staging, padding }: TransformConfig): ExchangeOptions => ({
  chunk,
  staging,
  padding,
});

/** The inverse transform of a configuration; `hoist` gives its factors apart from its text. */
export const transformFor = (config: TransformConfig, hoist = false): TransformOptions => ({
  hoist,
  sign: 1,
  twiddles: config.twiddles,
  butterfly: config.butterfly,
  exchange: exchangeFor(config),
});

/** Bytes of workgroup memory as WebGPU counts them: each variable rounded up to 16 (WebGPU, 10.2.3 validating a shader). */
export const workgroupBytes = (...variables: readonly number[]): number =>
  variables.reduce((sum, bytes) => sum + Math.ceil(bytes / 16) * 16, 0);

export const exchangeMemory = (n: number, config: TransformConfig): number =>
  exchangeBytes(shapeFor(n, config), exchangeFor(config));

/** Bytes through workgroup memory for one transform, written and read. */
export const exchangedBytes = (n: number, config: TransformConfig): number =>
  2 * 8 * n * (shapeFor(n, config).passes.length - 1);

/**
 * What a careful author writes without tuning: radix 4, up to 256 threads, as much of the transform staged at once as `memory`
 * bytes of workgroup memory allow, and twiddles from a table, because WGSL promises only 2^-11 of cos and sin (SwiftShader's
 * leave 2e-4 on the magnitude at n = 1024, a hundred times the operation's bound).
 */
export function defaultTransform(n: number, memory: number, invocations: number): TransformConfig {
  const workgroup = Math.min(n / 4, 256, invocations);
  const base = { radix: 4, butterfly: "split", workgroup, padding: 0, twiddles: "table" } as const;
  for (let chunk = n / workgroup; chunk >= 1; chunk /= 2) {
    for (const staging of ["whole", "split"] as const) {
      const config: TransformConfig = { ...base, chunk, staging };
      if (workgroupBytes(exchangeMemory(n, config)) <= memory) return config;
    }
  }
  return { ...base, chunk: 1, staging: "split" };
}

/** Builtins whose accuracy is the device's: twiddles computed in the kernel. */
export const looseBuiltins = ({ twiddles }: TransformConfig): readonly string[] =>
  twiddles === "direct" || twiddles === "walk" ? ["cos", "sin"] : [];
