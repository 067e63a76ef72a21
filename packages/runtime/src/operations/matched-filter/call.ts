import type { PortData } from "@tunelab/contract";
import { type MatchedFilterProblem, operation } from "@tunelab/kernel-matched-filter";
import type { Explanation } from "@tunelab/selection";
import type { CalibrationOptions } from "../../calibrate/calibrate.ts";
import type { Calibration } from "../../operation.ts";
import type { Runtime, ShippedOperation } from "../../runtime.ts";
import {
  type Asked,
  bindCall,
  calibrate,
  call,
  foresee,
  type Provenance,
  type TypedBound,
  type TypedOperation,
} from "../typed.ts";
import { allPairs, checkPairs, countsOf, type PeakArrays, RECORD_WORDS, unpackRecords } from "./input.ts";

export { NO_PEAK } from "@tunelab/kernel-matched-filter";

/** The matched filter with its shipped tables, for `runtime.operation(...)`. */
export const matchedFilterOperation: ShippedOperation<MatchedFilterProblem> = {
  operation,
  tables: async () => (await import("../../generated/matched-filter/index.ts")).tables,
  portfolio: () => import("../../generated/matched-filter/portfolio.ts"),
};

export interface MatchedFilterInput extends Asked {
  /** Complex points of a spectrum: a power of two from 64 to 1048576. */
  readonly n: number;
  /** D spectra of n complex points, interleaved (re, im): D * n * 2 floats, or your own GPUBuffer of exactly that. */
  readonly data: Float32Array | GPUBuffer;
  /** T template spectra of the same form: T * n * 2 floats. */
  readonly templates: Float32Array | GPUBuffer;
  /**
   * Pairs (data index, template index) to correlate, two u32 each; all D x T, data-major, unless given. Indexes in a GPUBuffer are
   * not checked: one out of range reads another spectrum.
   */
  readonly pairs?: Uint32Array | GPUBuffer;
  /** Least magnitude of a peak: pairs without one report NO_PEAK and zeros, which takes a fraction of the time where few have one. */
  readonly threshold?: number;
}

/** Counts instead of contents: what preparing and explaining need to know. */
export interface MatchedFilterShape extends Asked {
  /** Complex points of a spectrum: a power of two from 64 to 1048576. */
  readonly n: number;
  /** Spectra, templates and pairs to come; all `data` x `templates` pairs unless given. */
  readonly data: number;
  readonly templates: number;
  readonly pairs?: number;
  readonly threshold?: number;
}

/** One entry a pair, in the order of the pairs. */
export interface MatchedFilterPeaks extends PeakArrays, Provenance {}

/** A matched filter bound to its buffers, to run or to encode among the caller's own work. */
export interface BoundMatchedFilter extends TypedBound {
  /** Uploads other spectra or pairs of the same counts. */
  write(contents: {
    readonly data?: Float32Array;
    readonly templates?: Float32Array;
    readonly pairs?: Uint32Array;
  }): void;
  /** The peaks of the last run. Rejects with `Fault` usage when `records` is the caller's own buffer. */
  peaks(): Promise<PeakArrays>;
}

const problemOf = ({
  n,
  data,
  templates,
  pairs = data * templates,
  threshold,
}: MatchedFilterShape): MatchedFilterProblem => ({
  ...{ n, data, templates, pairs },
  ...(threshold === undefined ? {} : { threshold }),
});

const typed: TypedOperation<MatchedFilterProblem, MatchedFilterInput, PeakArrays, MatchedFilterShape> = {
  shipped: matchedFilterOperation,
  problem: problemOf,
  given: (input) => {
    const problem = countsOf(input);
    const pairs = input.pairs ?? allPairs(problem.data, problem.templates);
    return { problem, ports: { data: input.data, templates: input.templates, pairs } };
  },
  answer: ({ records }) => unpackRecords(records as Uint32Array),
  cpu: {
    variant: "cpu/fft.js",
    bytes: ({ n, data, templates, pairs }) => 4 * (2 * n * (data + templates) + (2 + RECORD_WORDS) * pairs),
    milliseconds: async ({ n, pairs }) => pairs * (await (await import("./cpu.ts")).cpuPairMs(n)),
    compute: async ({ n, threshold = 0 }, { data, templates, pairs }) => {
      const { correlateOnCpu } = await import("./cpu.ts");
      const spectra = { data: data as Float32Array, templates: templates as Float32Array };
      return { records: await correlateOnCpu({ n, ...spectra, pairs: pairs as Uint32Array, threshold }) };
    },
  },
  trial: async (problem, bound) => (await import("./calibrate.ts")).matchedFilterTrial(problem, bound),
};

/**
 * Peak of the circular cross-correlation of each pair of data spectrum and template: z = inverse FFT of d * conj(h).
 * Runs the fastest verified variant known for the device in hand, or on the CPU (float64) where the backend says so.
 * Rejects with `Fault` usage (shapes, pairs), unsupported (nothing fits), out-of-memory or device-lost.
 */
export function matchedFilter(runtime: Runtime, input: MatchedFilterInput): Promise<MatchedFilterPeaks> {
  return call(typed, runtime, input);
}

/**
 * Binds spectra to the best variant once, to run or encode many times; on the GPU whatever the backend. With `records` (4 u32 a
 * pair: index, then re, im and magnitude as f32 bits) the peaks stay on the device, in the caller's GPUBuffer. Takes variants that
 * can be encoded only.
 */
export async function bindMatchedFilter(
  runtime: Runtime,
  input: Omit<MatchedFilterInput, "backend"> & { readonly records?: GPUBuffer },
): Promise<BoundMatchedFilter> {
  const { whole, write, answer } = await bindCall(typed, runtime, input, ({ records }) => ({ records }));
  const { data, templates } = countsOf(input);
  return {
    ...whole,
    write(contents) {
      // An index out of range would read some other spectrum, without a word.
      if (contents.pairs) checkPairs(contents.pairs, data, templates);
      write(contents as PortData);
    },
    peaks: answer,
  };
}

/** Compiles the variant that calls of this shape will run, ahead of the first; says which and why. */
export function prepareMatchedFilter(runtime: Runtime, shape: MatchedFilterShape): Promise<Explanation> {
  return foresee("prepare", typed, runtime, shape);
}

/** Which variant a call of this shape would try first, why, and what was refused; compiles nothing unless `auto` weighs. */
export function explainMatchedFilter(runtime: Runtime, shape: MatchedFilterShape): Promise<Explanation> {
  return foresee("explain", typed, runtime, shape);
}

/**
 * Races the portfolio and the tables' rows for this shape on the device in hand, every answer held against the CPU's, for at most
 * `maxMilliseconds`. Later calls of this length run the winner; with the runtime's `cache` so do later visits.
 * Rejects with `Fault` unsupported without a GPU, usage when aborted.
 */
export function calibrateMatchedFilter(
  runtime: Runtime,
  shape: MatchedFilterShape,
  options: CalibrationOptions,
): Promise<Calibration> {
  return calibrate(typed, runtime, shape, options);
}
