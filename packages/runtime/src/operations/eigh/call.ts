import { Fault } from "@tunelab/contract";
import { compulsoryBytes, type EighProblem, matrixStride, operation, STATUS } from "@tunelab/kernel-eigh";
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

/** The symmetric eigensolver with its shipped tables, for `runtime.operation(...)`. */
export const eighOperation: ShippedOperation<EighProblem> = {
  operation,
  tables: async () => (await import("../../generated/eigh/index.ts")).tables,
  rules: async (...asked) => (await import("./rules.ts")).rules(...asked),
  expecting: async () => (await import("./rules.ts")).expecting,
  portfolio: () => import("../../generated/eigh/portfolio.ts"),
};

/** Ports that the caller's own buffers may take. */
const RESULTS = ["values", "vectors", "status"];

interface EighForm extends Asked {
  /** Order of a matrix: 1 to 512. */
  readonly n: number;
  /** Whether eigenvectors are wanted; they are unless this is false. */
  readonly vectors?: boolean;
  /** Elements that a row is longer than n, and elements between one matrix and the next; 0 unless given. */
  readonly pad?: number;
  readonly gap?: number;
}

export interface EighInput extends EighForm {
  /**
   * B symmetric matrices row by row: B (n (n + pad) + gap) floats, or your own GPUBuffer of exactly that. Only the lower triangles
   * are read, so that a matrix which is not symmetric stands for the one with its lower triangle.
   */
  readonly matrices: Float32Array | GPUBuffer;
}

/** A count instead of contents: what preparing and explaining need to know. */
export interface EighShape extends EighForm {
  readonly batch: number;
}

export interface EighArrays {
  /** B * n floats: the eigenvalues of each matrix, ascending. NaN for a matrix that is not finite. */
  readonly values: Float32Array;
  /** B * n * n floats: eigenvector k of a matrix in column k; absent when they were not wanted. */
  readonly vectors?: Float32Array;
  /** Matrices that did not converge within 40 sweeps: what they have is the best there was. */
  readonly unconverged: readonly number[];
  /** Matrices that hold NaN or infinity. */
  readonly nonFinite: readonly number[];
  /** Sweeps that each matrix took; 0 on the CPU. */
  readonly sweeps: Uint32Array;
}

export interface EighOutput extends EighArrays, Provenance {}

function problemOf({ n, batch, vectors = true, pad = 0, gap = 0 }: EighShape): EighProblem {
  if (typeof vectors !== "boolean") {
    throw new Fault("usage", `vectors is ${told(vectors)}: give true or false, or leave it out for true`);
  }
  return { n, batch, vectors: vectors ? "yes" : "no", pad, gap, spectrum: "random" };
}

function problemIn(input: EighInput): EighProblem {
  const { n, pad = 0, gap = 0 } = input;
  for (const [name, value, least] of [
    ["n", n, 1],
    ["pad", pad, 0],
    ["gap", gap, 0],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < least) {
      throw new Fault("usage", `${name} is ${told(value)}, not an integer of at least ${least}`);
    }
  }
  const stride = matrixStride({ n, pad, gap });
  const floats = wordsOf("matrices", input.matrices, "Float32Array");
  const batch = floats / stride;
  if (Number.isInteger(batch) && batch > 0) return problemOf({ ...input, batch });
  throw new Fault(
    "usage",
    `matrices has ${floats} floats, not a positive multiple of ${stride} (n = ${n}, pad ${pad}, gap ${gap})`,
  );
}

const typed: TypedOperation<EighProblem, EighInput, EighArrays, EighShape> = {
  shipped: eighOperation,
  problem: problemOf,
  given: (asked) => ({ problem: problemIn(asked), ports: { matrices: asked.matrices } }),
  answer: ({ values, vectors, status }) => {
    const words = status as Uint32Array;
    const batch = words.length / 2;
    const ended = (how: number): number[] =>
      Array.from({ length: batch }, (_, item) => item).filter((item) => words[2 * item] === how);
    return {
      values: values as Float32Array,
      ...(vectors ? { vectors: vectors as Float32Array } : {}),
      unconverged: ended(STATUS.unconverged),
      nonFinite: ended(STATUS.nonFinite),
      sweeps: Uint32Array.from({ length: batch }, (_, item) => words[2 * item + 1]!),
    };
  },
  cpu: {
    variant: "cpu/ml-matrix",
    bytes: (problem) => problem.batch * compulsoryBytes(problem),
    milliseconds: async ({ n, batch }) => batch * (await (await import("./cpu.ts")).cpuEighMs(n)),
    compute: async (problem, { matrices }) => {
      const { decomposeOnCpu } = await import("./cpu.ts");
      return decomposeOnCpu(problem, matrices as Float32Array);
    },
  },
  trial: async (problem, bound) => (await import("./calibrate.ts")).eighTrial(problem, bound),
};

/**
 * Eigenvalues and eigenvectors of a batch of real symmetric matrices: A V = V diag(w), w ascending. Residual, orthogonality and values are within
 * 10 n eps (2^-23) of the norm. Each matrix that holds NaN or does not converge is named and spoils no other. Rejects with `Fault` usage, unsupported,
 * out-of-memory or device-lost.
 */
export function eigh(runtime: Runtime, input: EighInput): Promise<EighOutput> {
  return call(typed, runtime, input);
}

/** The eigensolver bound to its buffers, to run or to encode among the caller's own work. */
export interface BoundEigh extends TypedBound {
  write(matrices: Float32Array): void;
  /** Results of the last run; from the caller's own buffers too, where they have COPY_SRC usage. */
  read(): Promise<EighArrays>;
}

/** Your own GPUBuffers for results: values f32 [B, n], vectors f32 [B, n, n] and status u32 [B, 2] (how it ended, sweeps). */
export interface EighBuffers {
  readonly values?: GPUBuffer;
  readonly vectors?: GPUBuffer;
  readonly status?: GPUBuffer;
}

type BoundInput = Omit<EighInput, "backend"> & { readonly results?: EighBuffers };

function outputsOf({
  results = {},
  vectors: wanted,
}: BoundInput): Partial<Record<string, GPUBuffer | undefined>> {
  for (const name of Object.keys(results)) {
    if (!RESULTS.includes(name)) {
      throw new Fault("usage", `results has ${name}: give buffers for ${RESULTS.join(", ")}`);
    }
  }
  const { values, vectors, status } = results;
  if (vectors && wanted === false)
    throw new Fault("usage", "results.vectors is a buffer for eigenvectors, and vectors is false");
  return { values, ...(wanted === false ? {} : { vectors }), status };
}

/**
 * Binds matrices to the best variant that can be encoded (without a loop that the host drives), to run or encode many times; results stay
 * in the caller's buffers where some are given. Rejects with `Fault` usage or unsupported.
 */
export async function bindEigh(runtime: Runtime, input: BoundInput): Promise<BoundEigh> {
  const { whole, write, answer } = await bindCall(typed, runtime, input, outputsOf);
  return { ...whole, write: (matrices) => write({ matrices }), read: answer };
}

/** Compiles the variant that calls of this shape will run, ahead of the first; says which and why. */
export function prepareEigh(runtime: Runtime, shape: EighShape): Promise<Explanation> {
  return foresee("prepare", typed, runtime, shape);
}

/** Which variant a call of this shape would try first, why, and what was refused; compiles nothing unless `auto` weighs. */
export function explainEigh(runtime: Runtime, shape: EighShape): Promise<Explanation> {
  return foresee("explain", typed, runtime, shape);
}

/**
 * Races the variants for this shape on the device in hand, a sample of every answer held against the CPU's float64, for at most
 * `maxMilliseconds`. Rejects with `Fault` unsupported without a GPU, usage when aborted.
 */
export function calibrateEigh(
  runtime: Runtime,
  shape: EighShape,
  options: CalibrationOptions,
): Promise<Calibration> {
  return calibrate(typed, runtime, shape, options);
}
