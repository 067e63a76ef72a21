import { Fault } from "@tunelab/contract";
import { type Direction, type FftProblem, operation } from "@tunelab/kernel-fft";
import type { Explanation } from "@tunelab/selection";
import type { BoundCall } from "../../operation.ts";
import type { Runtime, ShippedOperation } from "../../runtime.ts";
import {
  type Asked,
  answer,
  type CpuSide,
  demandOf,
  foresee,
  GPU,
  isBuffer,
  type Provenance,
  provenanceOf,
  wordsOf,
} from "../backend.ts";

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

export interface FftOutput extends Provenance {
  /** B * n * 2 floats, interleaved, natural order. */
  readonly output: Float32Array;
}

/** A transform bound to its buffers, to run or to encode among the caller's own work. */
export interface BoundFft extends Provenance {
  write(input: Float32Array): void;
  run(): Promise<void>;
  /** Encodes one run into the caller's encoder (no pass may be open); the caller submits. */
  encode(encoder: GPUCommandEncoder): void;
  /** The output of the last run. Rejects with `Fault` usage when `output` is the caller's own buffer. */
  read(): Promise<Float32Array>;
  dispose(): void;
}

function problemOf({ n, input, direction = "forward" }: FftInput): FftProblem {
  if (!Number.isSafeInteger(n) || n < 1) throw new Fault("usage", `n is ${n}, not a positive integer`);
  const floats = wordsOf(input);
  const batch = floats / (2 * n);
  if (Number.isInteger(batch) && batch > 0) return { n, batch, direction };
  throw new Fault(
    "usage",
    `input has ${floats} floats, not a positive multiple of ${2 * n} (n = ${n} complex points, re and im)`,
  );
}

const shapeOf = ({ n, batch, direction = "forward" }: FftShape): FftProblem => ({ n, batch, direction });

const cpuSide = ({ n, batch }: FftProblem): CpuSide => ({
  variant: "cpu/fft.js",
  bytes: 2 * batch * n * 8,
  milliseconds: async () => batch * (await (await import("./cpu.ts")).cpuTransformMs(n)),
});

/**
 * Batched complex Fourier transform, natural order in and out, unnormalised: X[b, k] = sum_j x[b, j] exp(-+ 2 pi i j k / n).
 * Relative error in the 2-norm at most 2e-6. Rejects with `Fault` usage, unsupported, out-of-memory or device-lost.
 */
export async function fft(runtime: Runtime, call: FftInput): Promise<FftOutput> {
  const problem = problemOf(call);
  const { input } = call;
  return answer(runtime, fftOperation, problem, call, cpuSide(problem), {
    onCpu: isBuffer(input)
      ? undefined
      : async () => {
          const { transformOnCpu } = await import("./cpu.ts");
          return { output: await transformOnCpu(problem.n, input, problem.direction) };
        },
    onGpu: async () => {
      const transform = runtime.operation(fftOperation);
      const { outputs, explanation } = await transform.run(problem, { input }, demandOf(call));
      return { result: { output: outputs.output as Float32Array }, explanation };
    },
  });
}

/** Binds points to the best variant once, to run or encode many times; with `output` the result stays in the caller's GPUBuffer. */
export async function bindFft(
  runtime: Runtime,
  call: Omit<FftInput, "backend"> & { readonly output?: GPUBuffer },
): Promise<BoundFft> {
  const problem = problemOf(call);
  const ports = { input: call.input, ...(call.output ? { output: call.output } : {}) };
  const demand = { encodable: true, ...demandOf(call) };
  const bound: BoundCall = await runtime.operation(fftOperation).bind(problem, ports, demand);
  return {
    ...provenanceOf(GPU, bound.explanation),
    write: (input) => bound.write({ input }),
    run: () => bound.run(),
    encode: (encoder) => bound.encode(encoder),
    read: async () => (await bound.read(["output"])).output as Float32Array,
    dispose: () => bound.dispose(),
  };
}

/** Compiles the variant that calls of this shape will run, ahead of the first; says which and why. */
export async function prepareFft(runtime: Runtime, shape: FftShape): Promise<Explanation> {
  const problem = shapeOf(shape);
  return foresee("prepare", runtime, fftOperation, problem, shape, cpuSide(problem));
}

/** Which variant a call of this shape would try first, why, and what was refused; compiles nothing unless `auto` weighs. */
export async function explainFft(runtime: Runtime, shape: FftShape): Promise<Explanation> {
  const problem = shapeOf(shape);
  return foresee("explain", runtime, fftOperation, problem, shape, cpuSide(problem));
}
