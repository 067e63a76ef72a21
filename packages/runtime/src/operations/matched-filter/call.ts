import type { PortData } from "@tunelab/contract";
import { type MatchedFilterProblem, operation } from "@tunelab/kernel-matched-filter";
import type { Demand, Explanation } from "@tunelab/selection";
import type { BoundCall } from "../../operation.ts";
import type { Runtime, ShippedOperation } from "../../runtime.ts";
import { allPairs, countsOf, type PeakArrays, type PortsGiven, unpackRecords } from "./input.ts";

export { NO_PEAK } from "@tunelab/kernel-matched-filter";

/** The matched filter with its shipped tables, for `runtime.operation(...)`. */
export const matchedFilterOperation: ShippedOperation<MatchedFilterProblem> = {
  operation,
  tables: async () => (await import("../../generated/matched-filter/index.ts")).tables,
};

export interface MatchedFilterInput extends Demand {
  /** Complex points of a spectrum: a power of two, from 64. */
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
}

/** Counts instead of contents: what preparing and explaining need to know. */
export interface MatchedFilterShape extends Demand {
  readonly n: number;
  /** Spectra, templates and pairs to come; all `data` x `templates` pairs unless given. */
  readonly data: number;
  readonly templates: number;
  readonly pairs?: number;
}

/** Which variant answered, and why. */
export interface MatchedFilterOrigin {
  readonly variant: string;
  /** Path of the table that chose the variant; absent when the operation's default ran or the variant was pinned. */
  readonly table?: string;
  readonly explanation: Explanation;
}

/** One entry a pair, in the order of the pairs. */
export interface MatchedFilterPeaks extends PeakArrays, MatchedFilterOrigin {}

/** A matched filter bound to its buffers, to run or to encode among the caller's own work. */
export interface BoundMatchedFilter extends MatchedFilterOrigin {
  /** Uploads other spectra or pairs of the same counts. */
  write(contents: {
    readonly data?: Float32Array;
    readonly templates?: Float32Array;
    readonly pairs?: Uint32Array;
  }): void;
  run(): Promise<void>;
  /** Encodes one run into the caller's encoder (no pass may be open); the caller submits. */
  encode(encoder: GPUCommandEncoder): void;
  /** The peaks of the last run. Rejects with `Fault` usage when `records` is the caller's own buffer. */
  peaks(): Promise<PeakArrays>;
  dispose(): void;
}

const demandOf = ({ maxError, scratchBytes, encodable, variant }: Demand): Demand => ({
  ...(maxError === undefined ? {} : { maxError }),
  ...(scratchBytes === undefined ? {} : { scratchBytes }),
  ...(encodable === undefined ? {} : { encodable }),
  ...(variant === undefined ? {} : { variant }),
});

const problemOf = ({ n, data, templates, pairs = data * templates }: MatchedFilterShape) => ({
  n,
  data,
  templates,
  pairs,
});

const originOf = (explanation: Explanation): MatchedFilterOrigin => {
  const { variant, table } = explanation;
  return { variant, ...(table === undefined ? {} : { table }), explanation };
};

function problemAndPorts(input: PortsGiven) {
  const problem = countsOf(input);
  const pairs = input.pairs ?? allPairs(problem.data, problem.templates);
  return { problem, ports: { data: input.data, templates: input.templates, pairs } };
}

/**
 * Peak of the circular cross-correlation of each pair of data spectrum and template: z = inverse FFT of d * conj(h).
 * Runs the fastest verified variant known for the device in hand.
 * Rejects with `Fault` usage (shapes, pairs), unsupported (nothing fits), out-of-memory or device-lost.
 */
export async function matchedFilter(
  runtime: Runtime,
  input: MatchedFilterInput,
): Promise<MatchedFilterPeaks> {
  const { problem, ports } = problemAndPorts(input);
  const filter = runtime.operation(matchedFilterOperation);
  const { outputs, explanation } = await filter.run(problem, ports, demandOf(input));
  return { ...unpackRecords(outputs.records as Uint32Array), ...originOf(explanation) };
}

/**
 * Binds spectra to the best variant once, to run or encode many times. With `records` (4 u32 a pair: index, then re, im and
 * magnitude as f32 bits) the peaks stay on the device, in the caller's GPUBuffer. Takes variants that can be encoded only.
 */
export async function bindMatchedFilter(
  runtime: Runtime,
  input: MatchedFilterInput & { readonly records?: GPUBuffer },
): Promise<BoundMatchedFilter> {
  const { problem, ports } = problemAndPorts(input);
  const all = { ...ports, ...(input.records ? { records: input.records } : {}) };
  const demand = { encodable: true, ...demandOf(input) };
  const bound = await runtime.operation(matchedFilterOperation).bind(problem, all, demand);
  return {
    ...originOf(bound.explanation),
    write: (contents) => bound.write(contents as PortData),
    run: () => bound.run(),
    encode: (encoder) => bound.encode(encoder),
    peaks: () => peaksOf(bound),
    dispose: () => bound.dispose(),
  };
}

async function peaksOf(bound: BoundCall): Promise<PeakArrays> {
  const { records } = await bound.read(["records"]);
  return unpackRecords(records as Uint32Array);
}

/** Compiles the variant that calls of this shape will run, ahead of the first; says which and why. */
export async function prepareMatchedFilter(
  runtime: Runtime,
  shape: MatchedFilterShape,
): Promise<Explanation> {
  return runtime.operation(matchedFilterOperation).prepare(problemOf(shape), demandOf(shape));
}

/** Which variant a call of this shape would try first, why, and what was refused; compiles nothing. */
export async function explainMatchedFilter(
  runtime: Runtime,
  shape: MatchedFilterShape,
): Promise<Explanation> {
  return runtime.operation(matchedFilterOperation).explain(problemOf(shape), demandOf(shape));
}
