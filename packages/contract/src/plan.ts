import type { Resources } from "./capabilities.ts";

/**
 * A Plan is data: what to allocate, which WGSL to compile and which steps to run. It is produced by an algorithm
 * (`Algorithm.plan`), run by the executor, hashed for identity, and is the only thing that was measured and is shipped.
 */
export const CONTRACT_VERSION = 1;

/** Element types of buffers and ports. Complex numbers are interleaved pairs of f32, counted in the shape. */
export type Dtype = "f32" | "u32" | "i32";

/**
 * - `in`, `out`, `inout`: the operation's ports. `inout` is restored from a pristine copy before every timed repeat.
 * - `constant`: contents given by `data`, uploaded once.
 * - `scratch`: contents undefined before a piece; reused between the pieces of a batch.
 * - `counter`: u32 words that a piece starts at zero (the plan clears them) and that feed indirect dispatches or loops.
 * - `probe`: fixed words that the executor zeroes before every repeat, outside timed passes; the pieces of a batch add to
 *   them, and they are read back after the last repeat under the names of `fields`.
 */
export type BufferRole = "in" | "out" | "inout" | "constant" | "scratch" | "counter" | "probe";

export interface BufferSpec {
  readonly name: string;
  readonly role: BufferRole;
  readonly dtype: Dtype;
  /** Bytes independent of the batch. A buffer has fixed bytes or item bytes, never both. */
  readonly fixedBytes: number;
  /** Bytes for each batch item; when positive, a piece of the batch binds its own range (or, for scratch, its own allocation). */
  readonly itemBytes: number;
  /** The operation's port that this buffer carries, when its name differs or it is an intermediate that parity compares. */
  readonly port?: string;
  /** Contents of a `constant`. */
  readonly data?: Float32Array | Uint32Array;
  /** Named words of a `probe`: byte offset and type. */
  readonly fields?: Readonly<Record<string, { readonly offset: number; readonly dtype: Dtype }>>;
}

export interface ModuleSpec {
  readonly name: string;
  /** The exact, readable text. */
  readonly wgsl: string;
}

/**
 * Bindings take @group(0) @binding(1), (2), ... in order; @binding(0) is always the extents uniform. `uniform` reads a `constant` buffer
 * through the uniform address space, up to the limit maxUniformBufferBindingSize (65,536 bytes everywhere).
 */
export interface Binding {
  readonly buffer: string;
  readonly access: "read" | "read-write" | "uniform";
}

/**
 * Workgroups of a dispatch before folding: fixed + perItem.groups * ceil(items / perItem.items).
 * The executor folds a count above the device's limit a dimension over x, y and z; the text computes its linear
 * workgroup index from workgroup_id and num_workgroups and returns when it is at or above the count it knows
 * from the extents.
 */
export interface GroupCount {
  readonly fixed: number;
  readonly perItem?: { readonly groups: number; readonly items: number };
}

interface Staged {
  /** The stage whose time this step counts to. */
  readonly stage: string;
}

interface Kernel extends Staged {
  readonly module: string;
  readonly entry: string;
  readonly bindings: readonly Binding[];
}

export interface DispatchStep extends Kernel {
  readonly kind: "dispatch";
  readonly groups: GroupCount;
}

/** Workgroup counts (three u32) are read from a counter buffer that an earlier step wrote. */
export interface IndirectStep extends Kernel {
  readonly kind: "indirect";
  readonly arguments: { readonly buffer: string; readonly offset: number };
}

/** Zeroes a buffer (the piece's range of it). A clear that a user would pay for stays inside the timed region. */
export interface ClearStep extends Staged {
  readonly kind: "clear";
  readonly buffer: string;
}

export interface CopyStep extends Staged {
  readonly kind: "copy";
  readonly from: { readonly buffer: string; readonly offset: number };
  readonly to: { readonly buffer: string; readonly offset: number };
  /** Bytes to copy: fixed + perItem * items of the piece. */
  readonly bytes: { readonly fixed: number; readonly perItem: number };
}

/**
 * A loop driven by the host: the steps are encoded `checkEvery` times a submission, then the word at `until` is read
 * back; the loop ends when it equals `until.equals`, or after `maximum` iterations (the report then says
 * `converged: false`). The iteration index reaches the text in the extents. Its steps keep their own stages; the
 * loop's `stage` names it in messages. Each piece of the batch loops by itself.
 */
export interface LoopStep extends Staged {
  readonly kind: "loop";
  readonly steps: readonly SimpleStep[];
  /** Encoded after each `checkEvery` iterations, with the extents of the last, before the word is read: what counts those not done. */
  readonly closing?: readonly SimpleStep[];
  readonly maximum: number;
  readonly checkEvery: number;
  readonly until: { readonly buffer: string; readonly offset: number; readonly equals: number };
}

/**
 * Steps that run `count` times, as if they were written out so often; the index of the pass reaches the text in the extents as that of a
 * loop does. Nothing is read back: unlike a loop it can be encoded and is timed by the GPU's clock. Each piece of the batch repeats by
 * itself; where the time budget of a submission asks for it, passes are split over submissions.
 */
export interface RepeatStep extends Staged {
  readonly kind: "repeat";
  readonly steps: readonly SimpleStep[];
  readonly count: number;
}

/**
 * Steps run once when an instance is bound (building a table on the device), never in the timed region. They bind fixed
 * buffers only; a fixed scratch buffer that they fill keeps its contents, and later steps only read it.
 */
export interface OnceStep extends Staged {
  readonly kind: "once";
  readonly steps: readonly (DispatchStep | ClearStep | CopyStep)[];
}

/** A step that stands for itself, holding no others. */
export type SimpleStep = DispatchStep | IndirectStep | ClearStep | CopyStep;

export type Step = SimpleStep | RepeatStep | LoopStep | OnceStep;

/** How the work may be cut into submissions. */
export interface Batch {
  /** The extent that counts items, e.g. `pairs`, `tokens`, `matrices`. */
  readonly dimension: string;
  readonly items: number;
  /** `carried`: pieces run in order and pass state through inout or fixed buffers (tokens of a recurrence). */
  readonly order: "independent" | "carried";
  /** A piece holds a multiple of this many items (the last may hold fewer). */
  readonly quantum: number;
  /** No piece but the last holds fewer items than this for the sake of time (the device would not be filled); memory and binding limits may still force it. */
  readonly minimum: number;
}

/**
 * The extents uniform, @group(0) @binding(0): the built-in words in EXTENTS_WORDS order, then the plan's own
 * `extents` in their order, all u32. `first` and `items` describe the piece, `total` the whole batch, `iteration`
 * the pass of a repeated step or a host-driven loop.
 */
export const EXTENTS_WORDS = ["items", "first", "total", "iteration"] as const;

export interface Plan {
  readonly contract: number;
  readonly operation: string;
  readonly algorithm: string;
  readonly buffers: readonly BufferSpec[];
  readonly modules: readonly ModuleSpec[];
  readonly steps: readonly Step[];
  readonly batch: Batch;
  /** The plan's own words of the extents uniform. */
  readonly extents: Readonly<Record<string, number>>;
  /** Features and limits to ask the device for. */
  readonly requires: {
    readonly features: readonly string[];
    readonly limits: Readonly<Record<string, number>>;
  };
}

/** The operation's port that a buffer carries, intermediates included; undefined for the plan's own buffers. */
export function portOf({ name, port, role }: BufferSpec): string | undefined {
  if (role === "in" || role === "out" || role === "inout") return port ?? name;
  return port;
}

/** Total bytes of a buffer for `items` batch items, rounded up to WebGPU's 4-byte copy unit. */
export function bufferBytes(buffer: BufferSpec, items: number): number {
  return Math.ceil((buffer.fixedBytes + buffer.itemBytes * items) / 4) * 4;
}

/** Workgroups of a dispatch over `items` items, before folding. */
export function groupCount(groups: GroupCount, items: number): number {
  const per = groups.perItem;
  return groups.fixed + (per ? per.groups * Math.ceil(items / per.items) : 0);
}

/**
 * Workgroups of the largest dispatch of the whole batch, before any cut; once-steps count to none, indirect dispatches
 * have no count that is known here.
 */
export function largestDispatch({ steps, batch }: Plan): number {
  const timed = steps.filter((step) => step.kind !== "once");
  const counts = [...flatSteps(timed)].flatMap((step) =>
    step.kind === "dispatch" ? groupCount(step.groups, batch.items) : [],
  );
  return Math.max(0, ...counts);
}

/** Names of the buffers that some step reads through the uniform address space. */
export function uniformBuffers({ steps }: Plan): ReadonlySet<string> {
  const bindings = [...flatSteps(steps)].flatMap((step) => ("bindings" in step ? step.bindings : []));
  return new Set(bindings.filter(({ access }) => access === "uniform").map(({ buffer }) => buffer));
}

/** Every step in order, repeated ones, loops and once-steps flattened. */
export function* flatSteps(steps: readonly Step[]): Generator<SimpleStep> {
  for (const step of steps) {
    if (step.kind === "loop") yield* [...step.steps, ...(step.closing ?? [])];
    else if (step.kind === "once" || step.kind === "repeat") yield* step.steps;
    else yield step;
  }
}

/** The stages of a plan in the order of their first step, those inside loops included; once-steps count to none. */
export function stagesOf(plan: Plan): readonly string[] {
  const timed = plan.steps.filter((step) => step.kind !== "once");
  return [...new Set([...flatSteps(timed)].map((step) => step.stage))];
}

/** What a plan asks the device for so that its hungriest entry point runs. */
export function requirementsOf({ features, workgroupBytes, invocations }: Resources): {
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
} {
  return {
    features,
    limits: {
      maxComputeWorkgroupStorageSize: workgroupBytes,
      maxComputeInvocationsPerWorkgroup: invocations,
    },
  };
}
