import { Fault, type PortData, type Problem } from "@tunelab/contract";
import type { BoundPorts } from "@tunelab/executor";
import type { Demand, Explanation } from "@tunelab/selection";
import type { CalibrationOptions, Trial } from "../calibrate/calibrate.ts";
import type { BoundCall, Calibration } from "../operation.ts";
import type { Backend, Route } from "../route.ts";
import type { Runtime, ShippedOperation } from "../runtime.ts";
import { given } from "../told.ts";

/** What a call may ask for beside its contents. */
export interface Asked extends Demand {
  /** Where this call computes; the runtime's backend unless given. GPUBuffers and pinned variants are the GPU's. */
  readonly backend?: Backend;
}

/** Which side and variant answered, and why. */
export interface Provenance {
  readonly backend: "gpu" | "cpu";
  /** Why this backend: asked for, or what `auto` weighed. */
  readonly route: string;
  readonly variant: string;
  /** Path of the table that chose the variant; absent when the operation's default ran or the variant was pinned. */
  readonly table?: string;
  readonly explanation: Explanation;
}

/** An operation's CPU side, its work in a chunk of its own that only such calls load. */
export interface CpuSide<P extends Problem> {
  /** The variant's name beside those of the algorithms. */
  readonly variant: string;
  /** Bytes that a call on the GPU sends up and reads back. */
  bytes(problem: P): number;
  /** Milliseconds of the problem on this CPU, measured. */
  milliseconds(problem: P): Promise<number>;
  /** Contents of the out ports as the GPU writes them. */
  compute(problem: P, ports: PortData): Promise<PortData>;
}

/** What makes a typed call of an operation: everything that is its own. The functions below are the same for all. */
export interface TypedOperation<
  P extends Problem,
  Call extends Asked,
  Answer extends object,
  Shape extends Asked = Asked,
> {
  readonly shipped: ShippedOperation<P>;
  /** The problem that a call's contents make, and what stands for its ports. Throws `Fault` usage that names what is wrong. */
  given(call: Call): { readonly problem: P; readonly ports: BoundPorts };
  /** The problem of a call by its counts alone. */
  problem(shape: Shape): P;
  /** The typed answer in the contents of the out ports. */
  answer(outputs: PortData): Answer;
  readonly cpu: CpuSide<P>;
  /** Inputs to race variants on, and what is wrong with their outputs, to be within `bound`. */
  trial(problem: P, bound: number): Promise<Trial>;
}

const GPU: Route = { backend: "gpu", why: "asked for" };

/** The parts of a call that choose its variant, undefined ones left out. */
const demandOf = ({ maxError, scratchBytes, encodable, variant }: Demand): Demand => ({
  ...(maxError === undefined ? {} : { maxError }),
  ...(scratchBytes === undefined ? {} : { scratchBytes }),
  ...(encodable === undefined ? {} : { encodable }),
  ...(variant === undefined ? {} : { variant }),
});

function provenanceOf({ backend, why: route }: Route, explanation: Explanation): Provenance {
  const { variant, table } = explanation;
  return { backend, route, variant, ...(table === undefined ? {} : { table }), explanation };
}

const cpuExplanation = (variant: string, { why, expectedMs }: Route): Explanation => ({
  ...{ variant, borrowed: false, why, refused: [] },
  ...(expectedMs === undefined ? {} : { expectedUs: expectedMs * 1000 }),
});

export const isBuffer = (value: ArrayBufferView | GPUBuffer): value is GPUBuffer =>
  !ArrayBuffer.isView(value);

/** Words (of four bytes) that an array of this type or a buffer holds. Throws `Fault` usage that names what came instead. */
export function wordsOf(
  name: string,
  values: Float32Array | Uint32Array | GPUBuffer,
  type: "Float32Array" | "Uint32Array",
): number {
  // By its name, for an array of another realm (a frame, a worker's message) is no instance of this one's.
  const got = Object.prototype.toString.call(values).slice(8, -1);
  if (got === type) return (values as Float32Array).length;
  if (got === "GPUBuffer" || typeof (values as GPUBuffer)?.size === "number")
    return (values as GPUBuffer).size / 4;
  throw new Fault("usage", `${name} is ${got}: give a ${type} or a GPUBuffer`);
}

/** Rejects with `Fault` usage for arguments that are none and demands that make no sense; the checks are loaded where there is something to check. */
async function checkAsked(runtime: Runtime, asked: Asked): Promise<void> {
  const { operation } = (runtime ?? {}) as Partial<Runtime>;
  if (operation && asked && !given(asked.backend, asked.maxError, asked.variant)) return;
  (await import("../checks.ts")).checkAsked(runtime, asked);
}

/** Throws `Fault` usage for a problem that the operation refuses. */
function checkProblem<P extends Problem>({ operation }: ShippedOperation<P>, problem: P): void {
  const wrong = operation.refuse(problem);
  if (wrong) throw new Fault("usage", wrong, { problem });
}

/** Where a call computes. Rejects with `Fault` usage for a problem that the operation refuses. */
async function routeOf<P extends Problem>(
  { shipped, cpu }: { readonly shipped: ShippedOperation<P>; readonly cpu: CpuSide<P> },
  runtime: Runtime,
  problem: P,
  asked: Asked,
): Promise<Route> {
  const backend = asked.backend ?? runtime.backend;
  if (backend === "gpu" || (backend === "auto" && asked.variant !== undefined)) return GPU;
  checkProblem(shipped, problem);
  if (backend === "cpu") return { backend: "cpu", why: "the call or the runtime asks for the CPU" };
  if (!runtime.hasGpu) return { backend: "cpu", why: "auto: there is no GPU" };
  let gpuMs: number | undefined;
  try {
    gpuMs = await runtime.operation(shipped).expectedMs(problem, demandOf(asked));
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== "unsupported") throw error;
    return { backend: "cpu", why: `auto: the GPU cannot: ${error.message}` };
  }
  const { routeFor } = await import("../route.ts");
  const cpuMs = await cpu.milliseconds(problem);
  return routeFor({ gpuMs, cpuMs, bytes: cpu.bytes(problem), ...(await runtime.trip()) });
}

/** Answers a call on the side that its route takes; contents in GPUBuffers are the GPU's. */
export async function call<P extends Problem, C extends Asked, A extends object>(
  typed: TypedOperation<P, C, A>,
  runtime: Runtime,
  asked: C,
): Promise<A & Provenance> {
  await checkAsked(runtime, asked);
  const { problem, ports } = typed.given(asked);
  const onGpu = Object.values(ports).some(isBuffer);
  if (onGpu && (asked.backend ?? runtime.backend) === "cpu") {
    throw new Fault("usage", "the CPU cannot read GPUBuffers: pass typed arrays, or compute on the GPU");
  }
  const route = onGpu ? GPU : await routeOf(typed, runtime, problem, asked);
  if (route.backend === "cpu") {
    const outputs = await typed.cpu.compute(problem, ports as PortData);
    return { ...typed.answer(outputs), ...provenanceOf(route, cpuExplanation(typed.cpu.variant, route)) };
  }
  const { outputs, explanation } = await runtime
    .operation(typed.shipped)
    .run(problem, ports, demandOf(asked));
  return { ...typed.answer(outputs), ...provenanceOf(route, explanation) };
}

/** What a bound call has whatever its operation. */
export interface TypedBound extends Provenance {
  run(): Promise<void>;
  /** Encodes one run into the caller's encoder (no pass may be open); the caller submits. */
  encode(encoder: GPUCommandEncoder): void;
  dispose(): void;
}

/** Binds contents (and the caller's buffers for out ports) to the best variant that can be encoded; on the GPU whatever the backend. */
export async function bindCall<P extends Problem, C extends Asked, A extends object, I extends C>(
  typed: TypedOperation<P, C, A>,
  runtime: Runtime,
  asked: I,
  outputsOf: (asked: I) => Readonly<Record<string, GPUBuffer | undefined>>,
): Promise<{ readonly whole: TypedBound; write(contents: PortData): void; answer(): Promise<A> }> {
  await checkAsked(runtime, asked);
  const outputs = outputsOf(asked);
  const { problem, ports } = typed.given(asked);
  const owned = Object.entries(outputs).flatMap(([name, buffer]) =>
    buffer ? [[name, buffer] as const] : [],
  );
  const bound: BoundCall = await runtime
    .operation(typed.shipped)
    .bind(problem, { ...ports, ...Object.fromEntries(owned) }, { encodable: true, ...demandOf(asked) });
  return {
    whole: {
      ...provenanceOf(GPU, bound.explanation),
      run: () => bound.run(),
      encode: (encoder) => bound.encode(encoder),
      dispose: () => bound.dispose(),
    },
    write: (contents) => bound.write(contents),
    answer: async () => typed.answer(await bound.read(Object.keys(outputs))),
  };
}

/** Compiles what a call would run (`prepare`), or says what it would be (`explain`). */
export async function foresee<P extends Problem, C extends Asked, A extends object, S extends Asked>(
  what: "prepare" | "explain",
  typed: TypedOperation<P, C, A, S>,
  runtime: Runtime,
  asked: S,
): Promise<Explanation> {
  await checkAsked(runtime, asked);
  const problem = typed.problem(asked);
  const { shipped, cpu } = typed;
  const route = await routeOf(typed, runtime, problem, asked);
  if (route.backend === "gpu") return runtime.operation(shipped)[what](problem, demandOf(asked));
  if (what === "prepare") await cpu.milliseconds(problem);
  return cpuExplanation(cpu.variant, route);
}

/** Races a problem's variants on the device in hand, every answer checked by the operation's own trial. */
export async function calibrate<P extends Problem, C extends Asked, A extends object, S extends Asked>(
  typed: TypedOperation<P, C, A, S>,
  runtime: Runtime,
  asked: S,
  options: CalibrationOptions,
): Promise<Calibration> {
  await checkAsked(runtime, asked);
  const { shipped } = typed;
  const problem = typed.problem(asked);
  checkProblem(shipped, problem);
  const made = await typed.trial(problem, shipped.operation.accuracy.bound);
  return runtime.operation(shipped).calibrate(problem, made, options);
}
