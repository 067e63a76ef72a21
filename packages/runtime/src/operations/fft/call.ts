import { Fault } from "@tunelab/contract";
import { type Direction, type FftProblem, operation } from "@tunelab/kernel-fft";
import type { Explanation } from "@tunelab/selection";
import type { CalibrationOptions } from "../../calibrate/calibrate.ts";
import type { Calibration } from "../../operation.ts";
import type { Runtime, ShippedOperation } from "../../runtime.ts";
import { told } from "../../told.ts";
import {
  type Asked,
  bindCall,
  calibrate,
  call,
  foresee,
  type Provenance,
  type TypedBound,
  type TypedOperation,
  wordsOf,
} from "../typed.ts";

/** The Fourier transform with its shipped tables, for `runtime.operation(...)`. */
export const fftOperation: ShippedOperation<FftProblem> = {
  operation,
  tables: async () => (await import("../../generated/fft/index.ts")).tables,
  portfolio: () => import("../../generated/fft/portfolio.ts"),
};

export interface FftInput extends Asked {
  /** Complex points of a transform: a power of two. */
  readonly n: number;
  /** B transforms of n complex points, interleaved (re, im): B * n * 2 floats, or your own GPUBuffer of exactly that. */
  readonly input: Float32Array | GPUBuffer;
  /** Exponent -2 pi i (`forward`, unless given) or +2 pi i. Neither divides by n: inverse after forward gives n times the input. */
  readonly direction?: Direction;
}

/** Counts instead of contents: what preparing and explaining need to know. */
export interface FftShape extends Asked {
  readonly n: number;
  readonly batch: number;
  readonly direction?: Direction;
}

/** Transforms of the batch. */
export interface FftArray {
  /** B * n * 2 floats, interleaved, natural order. */
  readonly output: Float32Array;
}

export interface FftOutput extends FftArray, Provenance {}

/** A transform bound to its buffers, to run or to encode among the caller's own work. */
export interface BoundFft extends TypedBound {
  write(input: Float32Array): void;
  /** The output of the last run. Rejects with `Fault` usage when `output` is the caller's own buffer. */
  read(): Promise<Float32Array>;
}

function problemIn({ n, input, direction = "forward" }: FftInput): FftProblem {
  if (!Number.isSafeInteger(n) || n < 1) throw new Fault("usage", `n is ${told(n)}, not a positive integer`);
  const floats = wordsOf("input", input, "Float32Array");
  const batch = floats / (2 * n);
  if (Number.isInteger(batch) && batch > 0) return { n, batch, direction };
  throw new Fault(
    "usage",
    `input has ${floats} floats, not a positive multiple of ${2 * n} (n = ${n} complex points, re and im)`,
  );
}

const problemOf = ({ n, batch, direction = "forward" }: FftShape): FftProblem => ({ n, batch, direction });

const typed: TypedOperation<FftProblem, FftInput, FftArray, FftShape> = {
  shipped: fftOperation,
  problem: problemOf,
  given: (asked) => ({ problem: problemIn(asked), ports: { input: asked.input } }),
  answer: ({ output }) => ({ output: output as Float32Array }),
  cpu: {
    variant: "cpu/fft.js",
    bytes: ({ n, batch }) => 2 * batch * n * 8,
    milliseconds: async ({ n, batch }) => batch * (await (await import("./cpu.ts")).cpuTransformMs(n)),
    compute: async ({ n, direction }, { input }) => {
      const { transformOnCpu } = await import("./cpu.ts");
      return { output: await transformOnCpu(n, input as Float32Array, direction) };
    },
  },
  trial: async (problem, bound) => (await import("./calibrate.ts")).fftTrial(problem, bound),
};

/**
 * Batched complex Fourier transform, natural order in and out, unnormalised: X[b, k] = sum_j x[b, j] exp(-+ 2 pi i j k / n).
 * Relative error in the 2-norm at most 2e-6. Rejects with `Fault` usage, unsupported, out-of-memory or device-lost.
 */
export function fft(runtime: Runtime, input: FftInput): Promise<FftOutput> {
  return call(typed, runtime, input);
}

/** Binds points to the best variant once, to run or encode many times; with `output` the result stays in the caller's GPUBuffer. */
export async function bindFft(
  runtime: Runtime,
  input: Omit<FftInput, "backend"> & { readonly output?: GPUBuffer },
): Promise<BoundFft> {
  const { whole, write, answer } = await bindCall(typed, runtime, input, ({ output }) => ({ output }));
  return { ...whole, write: (points) => write({ input: points }), read: async () => (await answer()).output };
}

/** Compiles the variant that calls of this shape will run, ahead of the first; says which and why. */
export function prepareFft(runtime: Runtime, shape: FftShape): Promise<Explanation> {
  return foresee("prepare", typed, runtime, shape);
}

/** Which variant a call of this shape would try first, why, and what was refused; compiles nothing unless `auto` weighs. */
export function explainFft(runtime: Runtime, shape: FftShape): Promise<Explanation> {
  return foresee("explain", typed, runtime, shape);
}

/**
 * Races the portfolio and the tables' rows for this shape on the device in hand, a sample of every answer held against the CPU's
 * float64, for at most `maxMilliseconds`. Later calls of this length and direction run the winner; with the runtime's `cache` so do
 * later visits. Rejects with `Fault` unsupported without a GPU, usage when aborted.
 */
export function calibrateFft(
  runtime: Runtime,
  shape: FftShape,
  options: CalibrationOptions,
): Promise<Calibration> {
  return calibrate(typed, runtime, shape, options);
}
