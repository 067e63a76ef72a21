import { asFault, type Capabilities, Fault, flatSteps, type Plan, uniformBuffers } from "@tunelab/contract";
import { DEFAULT_BUDGETS } from "./budgets.ts";
import { extentsBytes } from "./extents.ts";
import type { Host } from "./host.ts";
import { bind } from "./instance.ts";
import { KernelShelf } from "./kernel-shelf.ts";
import { Lifeline } from "./lifeline.ts";
import { compile } from "./pipelines.ts";
import type { TimestampSet, Timestamps } from "./timestamps.ts";
import type { BindOptions, BoundPorts, Budgets, Instance, Prepared } from "./types.ts";

export interface ExecutorOptions {
  /** Milliseconds from any origin. */
  readonly clock: { now(): number };
  readonly budgets?: Partial<Budgets>;
  /**
   * Compiled texts kept for later plans, the least recently used dropped: a plan that differs in its batch alone then
   * compiles nothing. None unless told: a laboratory measures every compilation.
   */
  readonly kernelsKept?: number;
}

export interface PrepareOptions {
  readonly sound?: boolean;
}

/** Empty submissions timed to learn what a round trip costs. */
const ROUND_TRIPS = 3;

/** Runs plans on one device. The device stays the caller's: `dispose` frees what the executor made and no more. */
export class Executor {
  readonly device: GPUDevice;
  readonly capabilities: Capabilities;
  readonly #lifeline: Lifeline;
  readonly #clock: { now(): number };
  readonly #budgets: Budgets;
  readonly #instances = new Set<Instance>();
  readonly #kernels: KernelShelf;
  #timestamps: TimestampSet | undefined;
  #roundTripMs: Promise<number> | undefined;
  #disposed = false;

  constructor(device: GPUDevice, capabilities: Capabilities, options: ExecutorOptions) {
    this.device = device;
    this.capabilities = capabilities;
    this.#lifeline = Lifeline.of(device);
    this.#clock = options.clock;
    this.#budgets = { ...DEFAULT_BUDGETS, ...options.budgets };
    this.#kernels = new KernelShelf(options.kernelsKept ?? 0);
  }

  /** Resolves with the fault when the device is lost; never rejects. */
  get lost(): Promise<Fault> {
    return this.#lifeline.lost;
  }

  /**
   * Checks and compiles a plan. `sound`: the plan's form was checked before (a shipped operation's, by its tests), so that
   * the checks need not even be loaded.
   * @throws Fault `usage` (malformed plan), `unsupported` (a feature or limit), `validation` (text, with line and column),
   *   `device-lost`.
   */
  async prepare(plan: Plan, { sound = false }: PrepareOptions = {}): Promise<Prepared> {
    this.#check();
    if (!sound) (await import("./form.ts")).checkForm(plan);
    checkRequirements(plan, this.capabilities);
    const start = this.#clock.now();
    const kernels = await this.#kernels.get(plan, () =>
      compile(this.device, this.#lifeline, plan, extentsBytes(plan)).catch((error) => {
        throw asFault(error, "validation");
      }),
    );
    const compileMs = this.#clock.now() - start;
    return {
      plan,
      compileMs,
      bind: async (ports: BoundPorts, options: BindOptions = {}): Promise<Instance> => {
        this.#check();
        const instance = await bind(this.#host, plan, kernels, ports, options);
        this.#instances.add(instance);
        return instance;
      },
    };
  }

  /** Frees every instance and shared object. */
  dispose(): void {
    this.#disposed = true;
    for (const instance of [...this.#instances]) instance.dispose();
    this.#kernels.clear();
    this.#timestamps?.dispose();
    this.#timestamps = undefined;
  }

  #check(): void {
    if (this.#disposed) throw new Fault("usage", "this executor was disposed");
    this.#lifeline.check();
  }

  get #host(): Host {
    return {
      device: this.device,
      limits: this.capabilities.limits,
      lifeline: this.#lifeline,
      budgets: this.#budgets,
      now: () => this.#clock.now(),
      timestamps: () => this.#newTimestamps(),
      roundTripMs: () => {
        this.#roundTripMs ??= this.#measureRoundTrip();
        return this.#roundTripMs;
      },
      released: (instance) => this.#instances.delete(instance),
    };
  }

  /** Times of one run; the code for it is loaded by the first run that needs it, which one of known cost does not. */
  async #newTimestamps(): Promise<Timestamps | undefined> {
    if (!this.device.features.has("timestamp-query")) return undefined;
    const { Timestamps, TimestampSet } = await import("./timestamps.ts");
    this.#check();
    this.#timestamps ??= new TimestampSet(this.device);
    return new Timestamps(this.device, this.#timestamps);
  }

  async #measureRoundTrip(): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let k = 0; k < ROUND_TRIPS; k++) {
      const start = this.#clock.now();
      this.device.queue.submit([this.device.createCommandEncoder().finish()]);
      await this.#lifeline.guard(this.device.queue.onSubmittedWorkDone());
      least = Math.min(least, this.#clock.now() - start);
    }
    return least;
  }
}

function checkRequirements(plan: Plan, capabilities: Capabilities): void {
  for (const feature of plan.requires.features) {
    if (!capabilities.features.includes(feature)) {
      throw new Fault(
        "unsupported",
        `the plan needs the feature ${feature}, which the device does not have`,
        {
          limit: feature,
        },
      );
    }
  }
  const limits: Readonly<Record<string, number>> = capabilities.limits;
  const refuse = (limit: string, need: number): void => {
    const have = limits[limit];
    if (have === undefined || need <= have) return;
    throw new Fault("unsupported", `the plan needs ${limit} = ${need}, the device grants ${have}`, {
      limit,
      need,
      have,
    });
  };
  for (const [limit, need] of Object.entries(plan.requires.limits)) refuse(limit, need);
  for (const step of flatSteps(plan.steps)) {
    if (step.kind === "dispatch" || step.kind === "indirect") {
      const storage = step.bindings.filter(({ access }) => access !== "uniform");
      refuse("maxStorageBuffersPerShaderStage", storage.length);
    }
  }
  const uniform = uniformBuffers(plan);
  for (const { name, fixedBytes } of plan.buffers) {
    if (uniform.has(name)) refuse("maxUniformBufferBindingSize", fixedBytes);
  }
}
