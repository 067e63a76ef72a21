import type { Cut, Plan, PortData } from "@tunelab/contract";

/** Budgets of one submission; each default has its reason in `budgets.ts`. */
export interface Budgets {
  /** Longest GPU time of one submission in ms. Windows resets a GPU after 2 s; browsers complain far earlier. */
  readonly submitMs: number;
  /** Most bytes that one instance may allocate on the device. */
  readonly memoryBytes: number;
}

export interface BindOptions {
  /** GPU time of one batch item in ms, when known; else the first runs measure it and pieces grow gradually. */
  readonly msPerItem?: number;
  /**
   * GPU time of one batch item in ms that a model expects at most: the first pieces and the first iterations of a loop are as many as it
   * allows, and are measured like those of an unknown kernel.
   */
  readonly expectedMsPerItem?: number;
  /** Compute units of the device, where known: no piece of an independent batch has fewer items, in place of the plan's own minimum. */
  readonly computeUnits?: number;
  readonly budgets?: Partial<Budgets>;
}

/**
 * A caller's own GPUBuffers may stand for ports: zero copy. They need STORAGE usage and are never freed here. An inout
 * GPUBuffer is the caller's state: every repeat goes on from what it holds, nothing restores it.
 */
export type BoundPorts = Readonly<Record<string, PortData[string] | GPUBuffer>>;

/** A plan compiled for a device. Throws `Fault` of kind validation, out-of-memory, device-lost or unsupported. */
export interface Prepared {
  readonly plan: Plan;
  readonly compileMs: number;
  bind(ports: BoundPorts, options?: BindOptions): Promise<Instance>;
}

/**
 * - `none`: no timestamps. `total`: one pass for as many dispatches as share a submission, over pieces and repeats (a
 *   clear, copy, restore or probe ends it), its begin and end recorded, stage `total`: so a coarse clock sees R repeats
 *   as one long pass. `stages`: a pass of its own for each stage, which changes the total.
 */
export type TimingMode = "none" | "total" | "stages";

/** Raw begin and end of one pass in clock units (ns by specification), as the query set gave them. */
export interface PassTime {
  readonly stage: string;
  /** The repeat in which the pass began. */
  readonly repeat: number;
  readonly begin: bigint;
  readonly end: bigint;
}

export interface Run {
  /** Every timed pass in order; empty with timing `none` or without timestamps. */
  readonly passes: readonly PassTime[];
  /** First submit to last completion, ms, by the injected clock. */
  readonly wallMs: number;
  readonly submissions: number;
  /** Probe fields by `buffer.field`, after the last repeat. */
  readonly probes: Readonly<Record<string, number>>;
  /** False when a host-driven loop reached its bound. */
  readonly converged: boolean;
}

/** A prepared plan with buffers, ready to run any number of times. */
export interface Instance {
  /** As of now: before the first run of a plan of unknown cost, cut by hard limits alone. */
  readonly cut: Cut;
  /** GPU time of one batch item in ms, as told or as the first run measured it; undefined before. */
  readonly msPerItem: number | undefined;
  /** Uploads other contents into in and inout ports of the same sizes. */
  write(ports: PortData): void;
  /** Fills every out port with POISON words (a NaN as f32, an impossible index as u32). */
  poison(): void;
  /** Runs the whole batch `repeats` times; inout ports are restored from pristine copies before each, outside timed passes. */
  run(options?: { readonly repeats?: number; readonly timing?: TimingMode }): Promise<Run>;
  /** Contents of out, inout and intermediate ports. */
  read(ports?: readonly string[]): Promise<PortData>;
  /** Tells the true cost of an item, so that later runs are cut by time as well. */
  recut(msPerItem: number): void;
  /**
   * Encodes one run of the whole batch into the caller's encoder (no pass may be open); nothing is submitted or timed.
   * The time budget cuts pieces but cannot split the caller's submission.
   * @throws Fault `unsupported` when the plan has a host-driven loop.
   */
  encode(encoder: Pick<GPUCommandEncoder, "beginComputePass" | "clearBuffer" | "copyBufferToBuffer">): void;
  dispose(): void;
}
