import { Fault, type Problem } from "@tunelab/contract";
import type { Demand, Explanation } from "@tunelab/selection";
import type { Backend, Route } from "../route.ts";
import type { Runtime, ShippedOperation } from "../runtime.ts";

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

/** An operation's CPU side, as far as routing needs it. */
export interface CpuSide {
  /** The variant's name beside those of the algorithms. */
  readonly variant: string;
  /** Bytes that a call on the GPU sends up and reads back. */
  readonly bytes: number;
  /** Milliseconds of the call on this CPU, measured. Loads the CPU's chunk. */
  milliseconds(): Promise<number>;
}

export const GPU: Route = { backend: "gpu", why: "asked for" };

/** The parts of a call that choose its variant, undefined ones left out. */
export const demandOf = ({ maxError, scratchBytes, encodable, variant }: Demand): Demand => ({
  ...(maxError === undefined ? {} : { maxError }),
  ...(scratchBytes === undefined ? {} : { scratchBytes }),
  ...(encodable === undefined ? {} : { encodable }),
  ...(variant === undefined ? {} : { variant }),
});

export function provenanceOf({ backend, why: route }: Route, explanation: Explanation): Provenance {
  const { variant, table } = explanation;
  return { backend, route, variant, ...(table === undefined ? {} : { table }), explanation };
}

export const cpuExplanation = ({ variant }: CpuSide, { why, expectedMs }: Route): Explanation => ({
  ...{ variant, borrowed: false, why, refused: [] },
  ...(expectedMs === undefined ? {} : { expectedUs: expectedMs * 1000 }),
});

export const isBuffer = (value: ArrayBufferView | GPUBuffer): value is GPUBuffer =>
  !ArrayBuffer.isView(value);

/** Words (of four bytes) that an array or buffer holds. */
export const wordsOf = (values: ArrayBufferView | GPUBuffer): number =>
  (isBuffer(values) ? values.size : values.byteLength) / 4;

/** Where a call computes. Rejects with `Fault` usage for a problem that the operation refuses. */
export async function routeOf<P extends Problem>(
  runtime: Runtime,
  shipped: ShippedOperation<P>,
  problem: P,
  asked: Asked,
  cpu: CpuSide,
): Promise<Route> {
  const backend = asked.backend ?? runtime.backend;
  if (backend === "gpu" || (backend === "auto" && asked.variant !== undefined)) return GPU;
  const wrong = shipped.operation.refuse(problem);
  if (wrong) throw new Fault("usage", wrong, { problem });
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
  const cpuMs = await cpu.milliseconds();
  return routeFor({ gpuMs, cpuMs, bytes: cpu.bytes, ...(await runtime.trip()) });
}

/** Throws `Fault` usage when the CPU is asked to read GPUBuffers. */
export function checkReadable(runtime: Runtime, asked: Asked): void {
  if ((asked.backend ?? runtime.backend) !== "cpu") return;
  throw new Fault("usage", "the CPU cannot read GPUBuffers: pass typed arrays, or compute on the GPU");
}

/**
 * A call's outcome by its route: `onCpu` and `onGpu` give the answer and, on the GPU, why. Contents in GPUBuffers are the GPU's.
 */
export async function answer<P extends Problem, T>(
  runtime: Runtime,
  shipped: ShippedOperation<P>,
  problem: P,
  asked: Asked,
  cpu: CpuSide,
  sides: {
    /** Absent when some content is a GPUBuffer. */
    readonly onCpu: (() => Promise<T>) | undefined;
    onGpu(): Promise<{ readonly result: T; readonly explanation: Explanation }>;
  },
): Promise<T & Provenance> {
  if (!sides.onCpu) checkReadable(runtime, asked);
  const route = sides.onCpu ? await routeOf(runtime, shipped, problem, asked, cpu) : GPU;
  if (sides.onCpu && route.backend === "cpu") {
    return { ...(await sides.onCpu()), ...provenanceOf(route, cpuExplanation(cpu, route)) };
  }
  const { result, explanation } = await sides.onGpu();
  return { ...result, ...provenanceOf(route, explanation) };
}

/** Compiles what a call would run (`prepare`), or says what it would be (`explain`). */
export async function foresee<P extends Problem>(
  what: "prepare" | "explain",
  runtime: Runtime,
  shipped: ShippedOperation<P>,
  problem: P,
  asked: Asked,
  cpu: CpuSide,
): Promise<Explanation> {
  const route = await routeOf(runtime, shipped, problem, asked, cpu);
  if (route.backend === "gpu") return runtime.operation(shipped)[what](problem, demandOf(asked));
  if (what === "prepare") await cpu.milliseconds();
  return cpuExplanation(cpu, route);
}
