import { Fault, type PortData } from "@tunelab/contract";
import { type MatchedFilterProblem, operation } from "@tunelab/kernel-matched-filter";
import type { Demand, Explanation } from "@tunelab/selection";
import type { CalibrationOptions } from "../../calibrate/calibrate.ts";
import type { BoundCall, Calibration } from "../../operation.ts";
import { type Backend, type Route, routeFor } from "../../route.ts";
import type { Runtime, ShippedOperation } from "../../runtime.ts";
import {
  allPairs,
  type Counts,
  countsOf,
  isBuffer,
  type PeakArrays,
  type PortsGiven,
  RECORD_WORDS,
  unpackRecords,
} from "./input.ts";

export { NO_PEAK } from "@tunelab/kernel-matched-filter";

/** The matched filter with its shipped tables, for `runtime.operation(...)`. */
export const matchedFilterOperation: ShippedOperation<MatchedFilterProblem> = {
  operation,
  tables: async () => (await import("../../generated/matched-filter/index.ts")).tables,
  portfolio: () => import("../../generated/matched-filter/portfolio.ts"),
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
  /** Where this call computes; the runtime's backend unless given. GPUBuffers and pinned variants are the GPU's. */
  readonly backend?: Backend;
}

/** Counts instead of contents: what preparing and explaining need to know. */
export interface MatchedFilterShape extends Demand {
  readonly n: number;
  /** Spectra, templates and pairs to come; all `data` x `templates` pairs unless given. */
  readonly data: number;
  readonly templates: number;
  readonly pairs?: number;
  readonly backend?: Backend;
}

/** Which variant answered, and why. */
export interface MatchedFilterOrigin {
  readonly backend: "gpu" | "cpu";
  /** Why this backend: asked for, or what `auto` weighed. */
  readonly route: string;
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

const GPU: Route = { backend: "gpu", why: "asked for" };

const originOf = ({ backend, why: route }: Route, explanation: Explanation): MatchedFilterOrigin => {
  const { variant, table } = explanation;
  return { backend, route, variant, ...(table === undefined ? {} : { table }), explanation };
};

function problemAndPorts(input: PortsGiven) {
  const problem = countsOf(input);
  const pairs = input.pairs ?? allPairs(problem.data, problem.templates);
  return { problem, ports: { data: input.data, templates: input.templates, pairs } };
}

/** The variant of the CPU, beside those of the algorithms. */
const CPU_VARIANT = "cpu/fft.js";

const cpuExplanation = ({ why, expectedMs }: Route): Explanation => ({
  ...{ variant: CPU_VARIANT, borrowed: false, why, refused: [] },
  ...(expectedMs === undefined ? {} : { expectedUs: expectedMs * 1000 }),
});

/** Bytes up and down: spectra, pairs of two words, records of four. */
const bytesOf = ({ n, data, templates, pairs }: Counts): number =>
  4 * (2 * n * (data + templates) + (2 + RECORD_WORDS) * pairs);

async function routeOf(
  runtime: Runtime,
  problem: Counts,
  asked: { readonly backend?: Backend } & Demand,
): Promise<Route> {
  const backend = asked.backend ?? runtime.backend;
  if (backend === "gpu" || (backend === "auto" && asked.variant !== undefined)) {
    return GPU;
  }
  const wrong = operation.refuse(problem);
  if (wrong) throw new Fault("usage", wrong, { problem });
  if (backend === "cpu") return { backend: "cpu", why: "the call or the runtime asks for the CPU" };
  if (!runtime.hasGpu) return { backend: "cpu", why: "auto: there is no GPU" };
  let gpuMs: number | undefined;
  try {
    gpuMs = await runtime.operation(matchedFilterOperation).expectedMs(problem, demandOf(asked));
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== "unsupported") throw error;
    return { backend: "cpu", why: `auto: the GPU cannot: ${error.message}` };
  }
  const { cpuPairMs } = await import("./cpu.ts");
  const cpuMs = problem.pairs * cpuPairMs(problem.n);
  return routeFor({ gpuMs, cpuMs, bytes: bytesOf(problem), ...(await runtime.trip()) });
}

/**
 * Peak of the circular cross-correlation of each pair of data spectrum and template: z = inverse FFT of d * conj(h).
 * Runs the fastest verified variant known for the device in hand, or on the CPU (float64) where the backend says so.
 * Rejects with `Fault` usage (shapes, pairs), unsupported (nothing fits), out-of-memory or device-lost.
 */
export async function matchedFilter(
  runtime: Runtime,
  input: MatchedFilterInput,
): Promise<MatchedFilterPeaks> {
  const { problem, ports } = problemAndPorts(input);
  const { data, templates, pairs } = ports;
  let route = GPU;
  if (!isBuffer(data) && !isBuffer(templates) && !isBuffer(pairs)) {
    route = await routeOf(runtime, problem, input);
    if (route.backend === "cpu") {
      const { correlateOnCpu } = await import("./cpu.ts");
      const records = await correlateOnCpu({ n: problem.n, data, templates, pairs });
      return { ...unpackRecords(records), ...originOf(route, cpuExplanation(route)) };
    }
  } else if ((input.backend ?? runtime.backend) === "cpu") {
    throw new Fault("usage", "the CPU cannot read GPUBuffers: pass typed arrays, or compute on the GPU");
  }
  const filter = runtime.operation(matchedFilterOperation);
  const { outputs, explanation } = await filter.run(problem, ports, demandOf(input));
  return { ...unpackRecords(outputs.records as Uint32Array), ...originOf(route, explanation) };
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
  const { problem, ports } = problemAndPorts(input);
  const all = { ...ports, ...(input.records ? { records: input.records } : {}) };
  const demand = { encodable: true, ...demandOf(input) };
  const bound = await runtime.operation(matchedFilterOperation).bind(problem, all, demand);
  return {
    ...originOf(GPU, bound.explanation),
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
  const problem = problemOf(shape);
  const route = await routeOf(runtime, problem, shape);
  if (route.backend === "cpu") {
    await import("./cpu.ts");
    return cpuExplanation(route);
  }
  return runtime.operation(matchedFilterOperation).prepare(problem, demandOf(shape));
}

/** Which variant a call of this shape would try first, why, and what was refused; on the GPU without compiling any. */
export async function explainMatchedFilter(
  runtime: Runtime,
  shape: MatchedFilterShape,
): Promise<Explanation> {
  const problem = problemOf(shape);
  const route = await routeOf(runtime, problem, shape);
  if (route.backend === "cpu") return cpuExplanation(route);
  return runtime.operation(matchedFilterOperation).explain(problem, demandOf(shape));
}

/**
 * Races the portfolio and the tables' rows for this shape on the device in hand, every answer held against the CPU's, for at most
 * `maxMilliseconds`. Later calls of this length run the winner; with the runtime's `cache` so do later visits.
 * Rejects with `Fault` unsupported without a GPU, usage when aborted.
 */
export async function calibrateMatchedFilter(
  runtime: Runtime,
  shape: MatchedFilterShape,
  options: CalibrationOptions,
): Promise<Calibration> {
  const problem = problemOf(shape);
  const wrong = operation.refuse(problem);
  if (wrong) throw new Fault("usage", wrong, { problem });
  const { matchedFilterTrial } = await import("./calibrate.ts");
  const trial = await matchedFilterTrial(problem, operation.accuracy.bound);
  return runtime.operation(matchedFilterOperation).calibrate(problem, trial, options);
}
