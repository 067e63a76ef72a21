import {
  asFault,
  bufferBytes,
  type Capabilities,
  type Cut,
  Fault,
  type LoopStep,
  type Plan,
  type PortData,
  portOf,
} from "@tunelab/contract";
import { GROWTH } from "./budgets.ts";
import { type BatchCut, cutBatch, isScratch, type Piece } from "./cut.ts";
import { StepEncoder } from "./encode.ts";
import { extentsStride, extentsWords } from "./extents.ts";
import { MAP_READ, USAGE } from "./flags.ts";
import type { Lifeline } from "./lifeline.ts";
import { contents, isBuffer, Memory } from "./memory.ts";
import { type Encoder, PassWriter } from "./passes.ts";
import type { Kernel } from "./pipelines.ts";
import { readProbes } from "./probes.ts";
import { scoped } from "./scopes.ts";
import { Submitter } from "./submitter.ts";
import { type TimestampSet, Timestamps } from "./timestamps.ts";
import type { BindOptions, BoundPorts, Budgets, Instance, PassTime, Run, TimingMode } from "./types.ts";

/** What an instance needs of its executor. */
export interface Host {
  readonly device: GPUDevice;
  readonly limits: Capabilities["limits"];
  readonly lifeline: Lifeline;
  readonly budgets: Budgets;
  now(): number;
  /** Shared queries; undefined where the device has no timestamps. */
  timestampSet(): TimestampSet | undefined;
  /** Wall time of submitting nothing, in ms. */
  roundTripMs(): Promise<number>;
  /** Called once, when the instance is disposed. */
  released(instance: Instance): void;
}

/** Binds ports to a compiled plan: allocates, uploads, runs the once-steps. */
export async function bind(
  host: Host,
  plan: Plan,
  kernels: ReadonlyMap<string, Kernel>,
  ports: BoundPorts,
  options: BindOptions,
): Promise<BoundInstance> {
  host.lifeline.check();
  const uploads = contents(plan, ports);
  for (const spec of plan.buffers) {
    if ((spec.role === "in" || spec.role === "inout") && !ports[portOf(spec)!]) {
      throw new Fault(
        "usage",
        `port ${portOf(spec)} is missing: bind ${bufferBytes(spec, plan.batch.items)} bytes`,
      );
    }
  }
  const budgets = { ...host.budgets, ...options.budgets };
  const borrowed = new Set(
    plan.buffers.filter((spec) => isBorrowed(ports[portOf(spec) ?? ""])).map(({ name }) => name),
  );
  const request = { plan, limits: host.limits, budgets, borrowed };
  const cutFor = (msPerItem: number | undefined): BatchCut =>
    cutBatch(msPerItem === undefined ? request : { ...request, msPerItem });
  const first = cutFor(options.msPerItem); // refuses before anything is allocated

  const what = `${plan.operation}/${plan.algorithm}`;
  const { value: made, fault } = scoped(host.device, `buffers of ${what}`, () => {
    const memory = new Memory(host.device, plan, ports);
    memory.write(uploads);
    return new BoundInstance(host, plan, kernels, memory, budgets, cutFor, first, options.msPerItem);
  });
  try {
    const found = await host.lifeline.guard(fault);
    if (found) throw found;
    await made.start();
  } catch (error) {
    made.dispose();
    throw error;
  }
  return made;
}

const isBorrowed = (value: BoundPorts[string] | undefined): boolean => value !== undefined && isBuffer(value);

/** A prepared plan with buffers. One run at a time. */
export class BoundInstance implements Instance {
  readonly #host: Host;
  readonly #plan: Plan;
  readonly #memory: Memory;
  readonly #budgets: Budgets;
  readonly #cutFor: (msPerItem: number | undefined) => BatchCut;
  readonly #steps: StepEncoder;
  readonly #stride: number;
  readonly #what: string;
  /** Iterations of a host loop that one submission may hold, each with extents of its own. */
  readonly #loopSlots: number;
  #cut: BatchCut;
  #extents: GPUBuffer;
  /** Cost of an item as told or measured; unknown before the first run. */
  #msPerItem: number | undefined;
  #state: "idle" | "running" | "disposed" = "idle";
  /** What write, poison and recut did wrong, which the next call that waits for the device throws. */
  #pending: Promise<Fault | undefined>[] = [];

  constructor(
    host: Host,
    plan: Plan,
    kernels: ReadonlyMap<string, Kernel>,
    memory: Memory,
    budgets: Budgets,
    cutFor: (msPerItem: number | undefined) => BatchCut,
    cut: BatchCut,
    msPerItem: number | undefined,
  ) {
    this.#host = host;
    this.#plan = plan;
    this.#memory = memory;
    this.#budgets = budgets;
    this.#cutFor = cutFor;
    this.#cut = cut;
    this.#msPerItem = msPerItem;
    this.#what = `${plan.operation}/${plan.algorithm}`;
    this.#stride = extentsStride(plan, host.limits);
    this.#loopSlots = Math.max(1, ...plan.steps.map((step) => (step.kind === "loop" ? step.checkEvery : 1)));
    this.#extents = this.#makeExtents();
    this.#steps = new StepEncoder(host.device, plan, kernels, memory, host.limits, this.#extents);
    const known = msPerItem !== undefined || !this.#growsGradually;
    if (known) memory.ensureScratch(cut.cut.itemsPerPiece);
  }

  get cut(): Cut {
    return this.#cut.cut;
  }

  /** Runs the once-steps. */
  async start(): Promise<void> {
    const submitter = this.#submitter("none", undefined);
    const piece = { first: 0, items: this.#plan.batch.items };
    const slot = this.#writeExtents(this.#passingSlot, piece, 0);
    for (const step of this.#plan.steps) {
      if (step.kind !== "once") continue;
      for (const inner of step.steps) {
        submitter.watched(() =>
          this.#steps.encode(submitter.writer, inner, {
            piece,
            repeat: 0,
            extentsOffset: slot,
            recurs: false,
          }),
        );
      }
    }
    await submitter.finish();
  }

  write(ports: PortData): void {
    this.#idle();
    const uploads = contents(this.#plan, ports);
    this.#watch(() => this.#memory.write(uploads));
  }

  poison(): void {
    this.#idle();
    this.#watch(() => this.#memory.poison());
  }

  recut(msPerItem: number): void {
    this.#idle();
    if (!(msPerItem > 0)) throw new Fault("usage", `an item cannot cost ${msPerItem} ms`);
    this.#msPerItem = msPerItem;
    const cut = this.#cutFor(msPerItem);
    this.#watch(() => {
      this.#apply(cut);
      this.#ensureScratch(cut.cut.itemsPerPiece);
    });
  }

  dispose(): void {
    if (this.#state === "disposed") return;
    this.#state = "disposed";
    this.#memory.dispose();
    this.#host.released(this);
  }

  async run(options: { readonly repeats?: number; readonly timing?: TimingMode } = {}): Promise<Run> {
    const { repeats = 1, timing = "none" } = options;
    if (!Number.isSafeInteger(repeats) || repeats < 1) {
      throw new Fault("usage", `repeats is ${repeats}, not a positive integer`);
    }
    this.#idle();
    this.#host.lifeline.check();
    this.#state = "running";
    const set = this.#host.timestampSet();
    const learning = this.#msPerItem === undefined;
    const timestamps =
      set && (timing !== "none" || learning) ? new Timestamps(this.#host.device, set) : undefined;
    const submitter = this.#submitter(timing, timestamps);
    try {
      await this.#settle();
      const passes: PassTime[] = [];
      let converged = true;
      for (let repeat = 0; repeat < repeats; repeat++) {
        this.#restore(submitter);
        const done =
          this.#msPerItem === undefined
            ? await this.#learn(submitter, repeat, passes)
            : await this.#runPieces(submitter, repeat);
        converged &&= done;
      }
      const endMs = await submitter.finish();
      if (timestamps) passes.push(...(await timestamps.collect(this.#host.lifeline)));
      return {
        passes: timing === "none" ? [] : passes,
        wallMs: endMs - (submitter.startedMs ?? endMs),
        submissions: submitter.submissions,
        probes: await readProbes(this.#plan, this.#memory, this.#host.lifeline),
        converged,
      };
    } catch (error) {
      throw await this.#explain(error);
    } finally {
      timestamps?.dispose();
      if (this.#state === "running") this.#state = "idle";
    }
  }

  async read(names?: readonly string[]): Promise<PortData> {
    this.#idle();
    const readable = new Map(
      this.#plan.buffers.flatMap((spec) => {
        const port = portOf(spec);
        return port && spec.role !== "in" ? [[port, spec] as const] : [];
      }),
    );
    const wanted = names ?? [...readable].filter(([, spec]) => !isScratch(spec)).map(([port]) => port);
    const found: Record<string, PortData[string]> = {};
    this.#state = "running";
    try {
      await this.#settle();
      for (const port of wanted) {
        const spec = readable.get(port);
        if (!spec) {
          throw new Fault(
            "usage",
            `port ${port} cannot be read: readable are ${[...readable.keys()].join(", ")}`,
          );
        }
        if (isScratch(spec) && this.#cut.pieces.length > 1) {
          throw new Fault(
            "usage",
            `intermediate ${port} holds only the last of ${this.#cut.pieces.length} pieces: use a batch that runs as one`,
          );
        }
        found[port] = await this.#memory.read(
          spec.name,
          bufferBytes(spec, this.#plan.batch.items),
          this.#host.lifeline,
        );
      }
    } catch (error) {
      throw await this.#explain(error);
    } finally {
      if (this.#state === "running") this.#state = "idle";
    }
    return found;
  }

  encode(encoder: Encoder): void {
    this.#idle();
    this.#host.lifeline.check();
    if (this.#plan.steps.some((step) => step.kind === "loop")) {
      throw new Fault(
        "unsupported",
        `${this.#what} has a host-driven loop: it cannot be encoded, call run() instead`,
      );
    }
    this.#ensureScratch(this.#cut.cut.itemsPerPiece);
    const writer = new PassWriter(encoder, "none", undefined);
    this.#encodeRestore(writer);
    for (const [index, piece] of this.#cut.pieces.entries()) {
      for (const step of this.#plan.steps) {
        if (step.kind === "once" || step.kind === "loop") continue;
        this.#steps.encode(writer, step, {
          piece,
          repeat: 0,
          extentsOffset: index * this.#stride,
          recurs: true,
        });
      }
    }
    writer.end();
  }

  // The extents buffer: a slot for each piece of the cut, one for passing pieces, then the iterations of a loop.
  get #passingSlot(): number {
    return this.#cut.pieces.length;
  }

  #makeExtents(): GPUBuffer {
    const pieces = this.#cut.pieces;
    const buffer = this.#memory.create(
      "extents",
      this.#stride * (pieces.length + 1 + this.#loopSlots),
      USAGE.uniform,
    );
    const words = new Uint32Array((this.#stride / 4) * pieces.length);
    for (const [index, piece] of pieces.entries()) {
      words.set(extentsWords(this.#plan, piece, 0), (this.#stride / 4) * index);
    }
    this.#host.device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  }

  /** Fills a slot in queue order, after everything submitted so far; returns its offset. */
  #writeExtents(slot: number, piece: Piece, iteration: number): number {
    const offset = slot * this.#stride;
    this.#host.device.queue.writeBuffer(this.#extents, offset, extentsWords(this.#plan, piece, iteration));
    return offset;
  }

  #apply(cut: BatchCut): void {
    const same =
      cut.pieces.length === this.#cut.pieces.length && cut.cut.itemsPerPiece === this.#cut.cut.itemsPerPiece;
    this.#cut = cut;
    if (same) return;
    this.#memory.release(this.#extents);
    this.#extents = this.#makeExtents();
    this.#steps.rebind(this.#extents);
  }

  #ensureScratch(items: number): void {
    if (this.#memory.ensureScratch(items)) this.#steps.rebind(this.#extents);
  }

  #submitter(timing: TimingMode, timestamps: Timestamps | undefined): Submitter {
    const { device, lifeline } = this.#host;
    return new Submitter(device, lifeline, this.#what, () => this.#host.now(), timing, timestamps);
  }

  /** Restores inout ports and zeroes probes, outside passes. */
  #restore(submitter: Submitter): void {
    if (!this.#memory.restores && !this.#plan.buffers.some(({ role }) => role === "probe")) return;
    submitter.watched(() => this.#encodeRestore(submitter.writer));
  }

  #encodeRestore(writer: PassWriter): void {
    if (this.#memory.restores) this.#memory.restore(writer.command());
    for (const spec of this.#plan.buffers) {
      if (spec.role === "probe") writer.command().clearBuffer(this.#memory.get(spec.name));
    }
  }

  get #growsGradually(): boolean {
    return this.#cut.unit < this.#plan.batch.items;
  }

  async #runPieces(submitter: Submitter, repeat: number): Promise<boolean> {
    this.#ensureScratch(this.#cut.cut.itemsPerPiece);
    let converged = true;
    for (const [index, piece] of this.#cut.pieces.entries()) {
      await submitter.reserve((this.#msPerItem ?? 0) * piece.items, this.#budgets.submitMs);
      const done = await this.#runPiece(submitter, piece, repeat, index * this.#stride, true);
      converged &&= done;
    }
    return converged;
  }

  /** One repeat of a kernel of unknown cost: small pieces first, each measured before the next; then cuts by time. */
  async #learn(submitter: Submitter, repeat: number, passes: PassTime[]): Promise<boolean> {
    const { items } = this.#plan.batch;
    const { unit, most } = this.#cut;
    const roundTripMs = submitter.timestamps ? 0 : await this.#host.roundTripMs();
    let converged = true;
    let least = Number.POSITIVE_INFINITY;
    let size = this.#growsGradually ? Math.min(most, unit) : items;
    for (let first = 0; first < items; ) {
      const piece = { first, items: Math.min(size, items - first) };
      submitter.watched(() => this.#ensureScratch(piece.items));
      const startMs = this.#host.now();
      const slot = this.#writeExtents(this.#passingSlot, piece, 0);
      const done = await this.#runPiece(submitter, piece, repeat, slot, false);
      converged &&= done;
      const endMs = await submitter.finish();
      const times = (await submitter.timestamps?.collect(this.#host.lifeline)) ?? [];
      passes.push(...times);
      const ms = sumMs(times) ?? Math.max(endMs - startMs - roundTripMs, 0);
      // A reading of zero says "under a tick", not "free": growth stays bounded by its factor.
      const each = Math.max(ms, MEASURABLE_MS) / piece.items;
      least = Math.min(least, each);
      first += piece.items;
      const affordable = Math.floor(this.#budgets.submitMs / each / unit) * unit;
      size = Math.min(most, Math.max(unit, Math.min(size * GROWTH, affordable)));
    }
    this.#msPerItem = least;
    this.#apply(this.#cutFor(least));
    return converged;
  }

  async #runPiece(
    submitter: Submitter,
    piece: Piece,
    repeat: number,
    extentsOffset: number,
    recurs: boolean,
  ): Promise<boolean> {
    let converged = true;
    for (const step of this.#plan.steps) {
      if (step.kind === "once") continue;
      if (step.kind === "loop") {
        const done = await this.#loop(submitter, step, piece, repeat, recurs);
        converged &&= done;
      } else {
        submitter.watched(() =>
          this.#steps.encode(submitter.writer, step, { piece, repeat, extentsOffset, recurs }),
        );
      }
    }
    return converged;
  }

  async #loop(
    submitter: Submitter,
    loop: LoopStep,
    piece: Piece,
    repeat: number,
    recurs: boolean,
  ): Promise<boolean> {
    const word = this.#memory.create("loop condition", 4, USAGE.mapRead);
    try {
      for (let iteration = 0; iteration < loop.maximum; ) {
        const count = Math.min(loop.checkEvery, loop.maximum - iteration);
        submitter.watched(() => {
          for (let k = 0; k < count; k++) {
            const slot = this.#passingSlot + 1 + k;
            const extentsOffset = this.#writeExtents(slot, piece, iteration + k);
            for (const step of loop.steps) {
              this.#steps.encode(submitter.writer, step, { piece, repeat, extentsOffset, recurs });
            }
          }
          const { buffer, offset } = loop.until;
          submitter.writer.command().copyBufferToBuffer(this.#memory.get(buffer), offset, word, 0, 4);
        });
        iteration += count;
        await submitter.flush();
        await this.#host.lifeline.guard(word.mapAsync(MAP_READ));
        const [value] = new Uint32Array(word.getMappedRange());
        word.unmap();
        if (value === loop.until.equals) return true;
      }
      return false;
    } finally {
      this.#memory.release(word);
    }
  }

  #watch(calls: () => void): void {
    this.#pending.push(scoped(this.#host.device, this.#what, calls).fault);
  }

  async #settle(): Promise<void> {
    const faults = await this.#host.lifeline.guard(Promise.all(this.#pending.splice(0)));
    const found = faults.find((fault) => fault !== undefined);
    if (found) throw found;
  }

  #idle(): void {
    if (this.#state === "idle") return;
    const why = this.#state === "running" ? "is running: await it first" : "was disposed";
    throw new Fault("usage", `this instance of ${this.#what} ${why}`);
  }

  /** What a rejection meant: a device that is gone rejects calls in its own words before it says so. */
  async #explain(error: unknown): Promise<Fault> {
    if (error instanceof Fault) return error;
    await this.#host.device.queue.onSubmittedWorkDone().catch(() => {});
    try {
      this.#host.lifeline.check();
    } catch (lost) {
      return lost as Fault;
    }
    return asFault(error, "validation");
  }
}

/** The shortest time that a first reading may claim for a piece; coarser than any clock's noise. */
const MEASURABLE_MS = 0.01;

/** Sum of pass times in ms; undefined when there is none or one makes no sense. */
function sumMs(passes: readonly PassTime[]): number | undefined {
  if (!passes.length || passes.some(({ begin, end }) => begin === 0n || end < begin)) return undefined;
  return passes.reduce((sum, { begin, end }) => sum + Number(end - begin) / 1e6, 0);
}
