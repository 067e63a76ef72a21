import {
  asFault,
  type DeviceInfo,
  type Fault,
  type FaultKind,
  type Operation,
  type PortData,
  type Problem,
  type ProfileName,
  planHash,
  problemKey,
  type TuningTable,
} from "@tunelab/contract";
import { type BoundPorts, Executor, type Prepared } from "@tunelab/executor";
import {
  type Candidate,
  type Demand,
  type Explanation,
  explain,
  type Selection,
  select,
} from "@tunelab/selection";
import { deviceInfoOf } from "./identity.ts";
import { type DeviceOptions, openDevice } from "./open.ts";

/** Something worth knowing that is no failure; each is told once. */
export type RuntimeEvent =
  | {
      /** No table of this device: one of another is used. */
      readonly kind: "borrowed";
      readonly operation: string;
      readonly table: string;
      readonly why: string;
    }
  | {
      /** A variant could not run here and the next one was taken. */
      readonly kind: "fallback";
      readonly operation: string;
      readonly variant: string;
      readonly reason: string;
    };

export interface RuntimeOptions extends DeviceOptions {
  /** The toggles the device was created with; `portable` (what browsers run) unless told. */
  readonly profile?: ProfileName;
  /** Tables of your own tuning; they go before the shipped ones of the same device. */
  readonly tables?: readonly TuningTable[];
  readonly onEvent?: (event: RuntimeEvent) => void;
}

/** An operation with the tables that ship with it, loaded when first needed. */
export interface ShippedOperation {
  readonly operation: Operation;
  tables(): Promise<readonly TuningTable[]>;
}

/** A run's outputs and why this variant made them. */
export interface Answer {
  readonly outputs: PortData;
  readonly explanation: Explanation;
}

/** Failures of one variant; the next candidate may do better. Others (a lost device, bad input) end the call. */
const VARIANT_FAULTS: readonly FaultKind[] = [
  "validation",
  "compile-timeout",
  "unsupported",
  "out-of-memory",
];

/** Compiled plans kept, the least recently used dropped: a page that varies its batch must not grow for ever. */
const PLANS_KEPT = 32;

/** One device, its compiled plans and the tables to choose from. Made by `createRuntime`. */
export class Runtime {
  readonly device: GPUDevice;
  readonly info: DeviceInfo;
  readonly profile: ProfileName;
  readonly #owned: boolean;
  readonly #executor: Executor;
  readonly #tables: readonly TuningTable[];
  readonly #onEvent: (event: RuntimeEvent) => void;
  readonly #plans = new Map<string, Promise<Prepared>>();
  readonly #told = new Set<string>();

  constructor(device: GPUDevice, info: DeviceInfo, owned: boolean, options: RuntimeOptions) {
    this.device = device;
    this.info = info;
    this.profile = options.profile ?? "portable";
    this.#owned = owned;
    this.#executor = new Executor(device, info.capabilities, { clock: performance });
    this.#tables = options.tables ?? [];
    this.#onEvent = options.onEvent ?? (() => {});
  }

  /** Resolves with the reason when the device is lost. A new runtime is the way on. */
  get lost(): Promise<Fault> {
    return this.#executor.lost;
  }

  /** Variants for a problem, best first, without compiling any. Rejects with `Fault` usage or unsupported. */
  async select(shipped: ShippedOperation, problem: Problem, demand: Demand = {}): Promise<Selection> {
    return select({
      tables: [...this.#tables, ...(await shipped.tables())],
      operation: shipped.operation,
      problem,
      capabilities: this.info.capabilities,
      identity: this.info.identity,
      profile: this.profile,
      demand,
    });
  }

  /** Compiles the best variant that this device can run, so that the first call is fast; says which and why. */
  async prepare(shipped: ShippedOperation, problem: Problem, demand: Demand = {}): Promise<Explanation> {
    return (await this.#first(shipped, problem, demand, async () => {})).explanation;
  }

  /** Runs the best variant on the inputs and reads the outputs back. */
  async run(
    shipped: ShippedOperation,
    problem: Problem,
    inputs: BoundPorts,
    demand: Demand = {},
  ): Promise<Answer> {
    const { result, explanation } = await this.#first(shipped, problem, demand, async (prepared) => {
      const instance = await prepared.bind(inputs);
      try {
        await instance.run();
        return await instance.read(outputsOf(shipped.operation, problem));
      } finally {
        instance.dispose();
      }
    });
    return { outputs: result, explanation };
  }

  /** Frees everything the runtime made; a device that the caller brought stays alive. */
  dispose(): void {
    this.#executor.dispose();
    this.#plans.clear();
    if (this.#owned) this.device.destroy();
  }

  /** The result of the first candidate that compiles and runs. */
  async #first<T>(
    shipped: ShippedOperation,
    problem: Problem,
    demand: Demand,
    use: (prepared: Prepared) => Promise<T>,
  ): Promise<{ readonly result: T; readonly explanation: Explanation }> {
    const selection = await this.select(shipped, problem, demand);
    let last: unknown;
    for (const candidate of selection.candidates) {
      try {
        const result = await use(await this.#compile(candidate, problem));
        const explanation = explain(selection, candidate);
        this.#tellBorrowed(selection, explanation);
        return { result, explanation };
      } catch (error) {
        const fault = asFault(error, "crashed");
        if (!VARIANT_FAULTS.includes(fault.kind)) throw fault;
        last = fault;
        const { operation } = selection;
        this.#tell(`${operation} ${candidate.variant} ${problemKey(problem)}`, {
          kind: "fallback",
          operation,
          variant: candidate.variant,
          reason: fault.message,
        });
      }
    }
    throw last;
  }

  /** A failed plan stays in the cache: it would fail again. */
  async #compile(candidate: Candidate, problem: Problem): Promise<Prepared> {
    const plan = candidate.algorithm.plan(problem, candidate.config, this.info.capabilities);
    const hash = await planHash(plan);
    const prepared = this.#plans.get(hash) ?? this.#executor.prepare(plan);
    this.#plans.delete(hash);
    this.#plans.set(hash, prepared);
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > PLANS_KEPT && oldest !== undefined) this.#plans.delete(oldest);
    return prepared;
  }

  #tellBorrowed({ operation }: Selection, { borrowed, table, why }: Explanation): void {
    if (borrowed && table) this.#tell(`${operation} ${table}`, { kind: "borrowed", operation, table, why });
  }

  #tell(key: string, event: RuntimeEvent): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#onEvent(event);
  }
}

const outputsOf = (operation: Operation, problem: Problem): readonly string[] =>
  operation
    .ports(problem)
    .filter(({ role }) => role === "out" || role === "inout")
    .map(({ name }) => name);

/**
 * Opens a device (or takes the caller's) and makes the runtime that operations are called with.
 * Rejects with `Fault` environment when there is no WebGPU, adapter or device.
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const { device, info, owned } = await openDevice(options);
  return new Runtime(device, deviceInfoOf(device, info), owned, options);
}
