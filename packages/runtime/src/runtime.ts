import type { DeviceInfo, Fault, Operation, Problem, ProfileName, TuningTable } from "@tunelab/contract";
import { Executor } from "@tunelab/executor";
import { type Demand, select, type TableSource } from "@tunelab/selection";
import { type RuntimeEvent, Teller } from "./events.ts";
import { deviceInfoOf } from "./identity.ts";
import { type DeviceOptions, openDevice } from "./open.ts";
import { RuntimeOperation } from "./operation.ts";

export interface RuntimeOptions extends DeviceOptions {
  /** The toggles the device was created with; `portable` (what browsers run) unless told. */
  readonly profile?: ProfileName;
  /** Tables of your own tuning; they go before the shipped ones of the same device. */
  readonly tables?: readonly TuningTable[];
  readonly onEvent?: (event: RuntimeEvent) => void;
}

/** An operation with the tables that ship with it, loaded when first needed. */
export interface ShippedOperation<P extends Problem = Problem> {
  readonly operation: Operation<P>;
  tables(): Promise<readonly TableSource[]>;
}

/** Compiled texts kept: a page that goes through many lengths must not grow for ever. */
const KERNELS_KEPT = 32;

/** One device, its compiled kernels and the tables to choose from. Made by `createRuntime`. */
export class Runtime {
  readonly device: GPUDevice;
  readonly info: DeviceInfo;
  readonly profile: ProfileName;
  readonly #owned: boolean;
  readonly #executor: Executor;
  readonly #tables: readonly TuningTable[];
  readonly #teller: Teller;
  readonly #operations = new Map<Operation, RuntimeOperation>();

  constructor(device: GPUDevice, info: DeviceInfo, owned: boolean, options: RuntimeOptions) {
    this.device = device;
    this.info = info;
    this.profile = options.profile ?? "portable";
    this.#owned = owned;
    this.#executor = new Executor(device, info.capabilities, {
      clock: performance,
      kernelsKept: KERNELS_KEPT,
    });
    this.#tables = options.tables ?? [];
    this.#teller = new Teller(options.onEvent);
  }

  /** Resolves with the reason when the device is lost. A new runtime is the way on. */
  get lost(): Promise<Fault> {
    return this.#executor.lost;
  }

  /**
   * An operation on this runtime: a shipped one, or one of your own (an `Operation` of `@tunelab/contract`), which chooses among
   * the runtime's `tables` that name it and its own defaults. The same operation gives the same object.
   */
  operation<P extends Problem>(source: Operation<P> | ShippedOperation<P>): RuntimeOperation<P> {
    const { operation, tables = async () => [] } = "operation" in source ? source : { operation: source };
    const known = this.#operations.get(operation);
    if (known) return known as RuntimeOperation<P>;
    const made = new RuntimeOperation<P>(operation, {
      executor: this.#executor,
      teller: this.#teller,
      select: async (problem, demand) => this.#select(operation, await tables(), problem, demand),
    });
    this.#operations.set(operation, made);
    return made;
  }

  /** Frees everything the runtime made; a device that the caller brought stays alive. */
  dispose(): void {
    this.#executor.dispose();
    this.#operations.clear();
    if (this.#owned) this.device.destroy();
  }

  #select(operation: Operation, tables: readonly TableSource[], problem: Problem, demand: Demand) {
    return select({
      ...{ operation, problem, demand, tables, callerTables: this.#tables, profile: this.profile },
      ...{ capabilities: this.info.capabilities, identity: this.info.identity },
    });
  }
}

/**
 * Opens a device (or takes the caller's) and makes the runtime that operations are called with.
 * Rejects with `Fault` environment when there is no WebGPU, adapter or device.
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const { device, info, owned } = await openDevice(options);
  return new Runtime(device, deviceInfoOf(device, info), owned, options);
}
