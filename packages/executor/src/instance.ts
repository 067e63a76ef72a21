import {
  type BufferSpec,
  bufferBytes,
  type Cut,
  Fault,
  type Plan,
  type PortData,
  portOf,
} from "@tunelab/contract";
import { type CutRequest, cutBatch, isScratch } from "./cut.ts";
import type { Host } from "./host.ts";
import { contents, isBuffer, Memory } from "./memory.ts";
import { type Encoder, PassWriter } from "./passes.ts";
import type { Kernel } from "./pipelines.ts";
import { type Bound, Runner } from "./runner.ts";
import { Submitter } from "./submitter.ts";
import type { Timestamps } from "./timestamps.ts";
import type { BindOptions, BoundPorts, Instance, PassTime, Run, TimingMode } from "./types.ts";
import { Watch } from "./watch.ts";

/** Binds ports to a compiled plan: allocates, uploads, runs the once-steps. */
export async function bind(
  host: Host,
  plan: Plan,
  kernels: ReadonlyMap<string, Kernel>,
  ports: BoundPorts,
  options: BindOptions,
): Promise<Instance> {
  host.lifeline.check();
  const uploads = contents(plan, ports);
  const bound = (spec: BufferSpec): BoundPorts[string] | undefined => ports[portOf(spec) ?? ""];
  for (const spec of plan.buffers) {
    if ((spec.role === "in" || spec.role === "inout") && !bound(spec)) {
      const bytes = bufferBytes(spec, plan.batch.items);
      throw new Fault("usage", `port ${portOf(spec)} is missing: bind ${bytes} bytes`);
    }
  }
  const borrowed = plan.buffers
    .filter((spec) => bound(spec) && isBuffer(bound(spec)!))
    .map(({ name }) => name);
  const budgets = { ...host.budgets, ...options.budgets };
  const { msPerItem, expectedMsPerItem, computeUnits } = options;
  const request: CutRequest = {
    ...{ plan, limits: host.limits, budgets, borrowed: new Set(borrowed) },
    ...(computeUnits === undefined ? {} : { computeUnits }),
  };
  const cutFor: Bound["cutFor"] = (msPerItem) =>
    cutBatch(msPerItem === undefined ? request : { ...request, msPerItem });
  cutFor(options.msPerItem); // refuses before anything is allocated

  const watch = new Watch(host.device, host.lifeline, `${plan.operation}/${plan.algorithm}`);
  const instance = watch.calls(() => {
    const memory = new Memory(host.device, plan, ports);
    memory.write(uploads);
    const known = computeUnits !== undefined;
    const bound = { host, plan, kernels, memory, watch, budgets, cutFor, expectedMsPerItem, known };
    return new BoundInstance(bound, msPerItem);
  });
  try {
    await watch.settle();
    await instance.start();
  } catch (error) {
    instance.dispose();
    throw error;
  }
  return instance;
}

/** A prepared plan with buffers. One run at a time. */
class BoundInstance implements Instance {
  readonly #bound: Bound;
  readonly #runner: Runner;
  #state: "idle" | "running" | "disposed" = "idle";

  constructor(bound: Bound, msPerItem: number | undefined) {
    this.#bound = bound;
    this.#runner = new Runner(bound, msPerItem);
  }

  get cut(): Cut {
    return this.#runner.cut.cut;
  }

  get msPerItem(): number | undefined {
    return this.#runner.msPerItem;
  }

  /** Runs the once-steps. */
  async start(): Promise<void> {
    if (!this.#bound.plan.steps.some(({ kind }) => kind === "once")) return;
    const submitter = this.#submitter("none", undefined);
    this.#runner.once(submitter);
    await submitter.finish();
  }

  write(ports: PortData): void {
    this.#idle();
    const uploads = contents(this.#bound.plan, ports);
    this.#bound.watch.calls(() => this.#bound.memory.write(uploads));
  }

  poison(): void {
    this.#idle();
    this.#bound.watch.calls(() => this.#bound.memory.poison());
  }

  recut(msPerItem: number): void {
    this.#idle();
    if (!(msPerItem > 0)) throw new Fault("usage", `an item cannot cost ${msPerItem} ms`);
    this.#bound.watch.calls(() => this.#runner.recut(msPerItem));
  }

  dispose(): void {
    if (this.#state === "disposed") return;
    this.#state = "disposed";
    this.#bound.memory.dispose();
    this.#bound.host.released(this);
  }

  async run(options: { readonly repeats?: number; readonly timing?: TimingMode } = {}): Promise<Run> {
    const { repeats = 1, timing = "none" } = options;
    if (!Number.isSafeInteger(repeats) || repeats < 1) {
      throw new Fault("usage", `repeats is ${repeats}, not a positive integer`);
    }
    return this.#exclusively(async () => {
      const { host, plan, memory } = this.#bound;
      const timestamps = timing !== "none" || this.#runner.learns ? await host.timestamps() : undefined;
      const submitter = this.#submitter(timing, timestamps);
      try {
        const passes: PassTime[] = [];
        let converged = true;
        for (let repeat = 0; repeat < repeats; repeat++) {
          const done = await this.#runner.repeat(submitter, repeat, passes);
          converged &&= done;
        }
        const endMs = await submitter.finish();
        if (timestamps) passes.push(...(await timestamps.collect(host.lifeline)));
        return {
          passes: timing === "none" ? [] : passes,
          wallMs: endMs - (submitter.startedMs ?? endMs),
          submissions: submitter.submissions,
          probes: plan.buffers.some(({ role }) => role === "probe")
            ? await (await import("./probes.ts")).readProbes(plan, memory, host.lifeline)
            : {},
          converged,
        };
      } finally {
        timestamps?.dispose();
      }
    });
  }

  async read(names?: readonly string[]): Promise<PortData> {
    return this.#exclusively(async () => {
      const { host, plan, memory } = this.#bound;
      const specs = this.#readable(names);
      const found: Record<string, PortData[string]> = {};
      for (const [port, spec] of specs) {
        found[port] = await memory.read(spec.name, bufferBytes(spec, plan.batch.items), host.lifeline);
      }
      return found;
    });
  }

  encode(encoder: Encoder): void {
    this.#idle();
    const { plan, host, watch } = this.#bound;
    host.lifeline.check();
    if (plan.steps.some(({ kind }) => kind === "loop")) {
      throw new Fault(
        "unsupported",
        `${plan.operation}/${plan.algorithm} has a host-driven loop: it cannot be encoded, call run() instead`,
      );
    }
    watch.calls(() => this.#runner.encode(new PassWriter(encoder, "none", undefined)));
  }

  /** The buffers behind ports; without names those of out and inout ports. @throws Fault `usage` for what has no contents. */
  #readable(names: readonly string[] | undefined): readonly (readonly [string, BufferSpec])[] {
    const readable = new Map(
      this.#bound.plan.buffers.flatMap((spec) => {
        const port = portOf(spec);
        return port && spec.role !== "in" ? [[port, spec] as const] : [];
      }),
    );
    const { pieces } = this.#runner.cut;
    return (names ?? [...readable].filter(([, spec]) => !isScratch(spec)).map(([port]) => port)).map(
      (port) => {
        const spec = readable.get(port);
        if (!spec) {
          const all = [...readable.keys()].join(", ");
          throw new Fault("usage", `port ${port} cannot be read: readable are ${all}`);
        }
        if (isScratch(spec) && pieces.length > 1) {
          throw new Fault(
            "usage",
            `intermediate ${port} holds only the last of ${pieces.length} pieces: use a batch that runs as one`,
          );
        }
        return [port, spec] as const;
      },
    );
  }

  #submitter(timing: TimingMode, timestamps: Timestamps | undefined): Submitter {
    const { host, watch } = this.#bound;
    const { device, lifeline } = host;
    return new Submitter({ device, lifeline, watch, now: () => host.now() }, timing, timestamps);
  }

  /** Does work that nothing else of this instance may interrupt; what goes wrong is a Fault. */
  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#idle();
    const { host, watch, memory } = this.#bound;
    host.lifeline.check();
    this.#state = "running";
    try {
      await watch.settle();
      return await work();
    } catch (error) {
      // What the scopes heard explains a call that failed for it; and none of it may be left for the next call.
      const heard = await watch.settle().catch((fault: Fault) => fault);
      // Whatever failed for want of buffers that its caller disposed of meanwhile.
      this.#idle("running");
      throw await host.lifeline.faultOf(error, heard ?? undefined);
    } finally {
      if (this.#state === "running") this.#state = "idle";
      // The run may have made scratch after it was disposed of.
      else memory.dispose();
    }
  }

  #idle(allowed?: "running"): void {
    if (this.#state === "idle" || this.#state === allowed) return;
    const { operation, algorithm } = this.#bound.plan;
    const why = this.#state === "running" ? "is running: await it first" : "was disposed";
    throw new Fault("usage", `this instance of ${operation}/${algorithm} ${why}`);
  }
}
