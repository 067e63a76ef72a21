import {
  asFault,
  type DeviceInfo,
  Fault,
  type Operation,
  type Problem,
  type ProfileName,
  type Trip,
  type TuningTable,
} from "@tunelab/contract";
import { type Budgets, Executor } from "@tunelab/executor";
import {
  type Calibrated,
  type Demand,
  type Expecting,
  type Ruling,
  type Selection,
  select,
  type TableSource,
} from "@tunelab/selection";
import type { CalibrationCache, Keeper } from "./calibrate/memory.ts";
import { type RuntimeEvent, Teller } from "./events.ts";
import { type DeviceOptions, type OpenDevice, openDevice } from "./open.ts";
import { RuntimeOperation } from "./operation.ts";
import type { Backend } from "./route.ts";
import { given } from "./told.ts";

export interface RuntimeOptions extends DeviceOptions {
  /**
   * Where operations that can do both compute: `gpu` (the default), `cpu`, or `auto`: whichever is expected to answer first, and the
   * CPU where there is no GPU.
   */
  readonly backend?: Backend;
  /** The toggles the device was created with; `portable` (what browsers run) unless told. */
  readonly profile?: ProfileName;
  /** Tables of your own tuning; they go before the shipped ones of the same device. */
  readonly tables?: readonly TuningTable[];
  /**
   * Most milliseconds of one submission (100 unless told) and bytes that one call may allocate on the device (4 GiB unless told: no
   * device tells how much it has). What exceeds the first is cut, what exceeds the second is refused.
   */
  readonly budgets?: Partial<Budgets>;
  /** Where `calibrate` keeps what it found, and where this runtime looks for what earlier ones found. */
  readonly cache?: CalibrationCache;
  readonly onEvent?: (event: RuntimeEvent) => void;
}

/** An operation with the tables that ship with it, loaded when first needed. */
export interface ShippedOperation<P extends Problem = Problem> {
  readonly operation: Operation<P>;
  tables(): Promise<readonly TableSource[]>;
  /** What its published studies say of problems that no table has; absent for an operation without such studies. */
  readonly rules?: Ruling;
  /** What its cost models say of a run on this device; loaded with the rules. */
  expecting?(): Promise<Expecting>;
  /** What `calibrate` races beside the tables' rows, and the version of the tables that calibrations are kept under. */
  portfolio?(): Promise<{ readonly variants: readonly string[]; readonly version: string }>;
}

/** Compiled texts kept: a page that goes through many lengths must not grow for ever. */
const KERNELS_KEPT = 32;

/** A device and what runs plans on it. */
interface Gpu extends OpenDevice {
  readonly executor: Executor;
  trip: Promise<Trip> | undefined;
}

/** One device, its compiled kernels and the tables to choose from. Made by `createRuntime`. */
export class Runtime {
  readonly backend: Backend;
  readonly profile: ProfileName;
  readonly #options: RuntimeOptions;
  readonly #tables: readonly TuningTable[];
  readonly #teller: Teller;
  readonly #operations = new Map<Operation, RuntimeOperation>();
  #gpu: Gpu | undefined;
  #disposed = false;

  constructor(open: OpenDevice | undefined, options: RuntimeOptions) {
    this.backend = options.backend ?? "gpu";
    this.profile = options.profile ?? "portable";
    this.#options = options;
    this.#gpu = open && gpuOf(open, options);
    this.#tables = options.tables ?? [];
    this.#teller = new Teller(options.onEvent);
  }

  /** Whether there is a GPU: false for backend `cpu`, and for `auto` where none was found. */
  get hasGpu(): boolean {
    return this.#gpu !== undefined;
  }

  /** The device. Throws `Fault` unsupported when the runtime computes on the CPU alone. */
  get device(): GPUDevice {
    return this.#theGpu().device;
  }

  /** Who the device is and what it can be relied on for: where it has a known fault, less than it says. Throws `Fault` unsupported when the runtime computes on the CPU alone. */
  get info(): DeviceInfo {
    return this.#theGpu().info;
  }

  /** Resolves with the reason when the device is lost: `recover()` is the way on. Never resolves without a GPU. */
  get lost(): Promise<Fault> {
    return this.#gpu?.executor.lost ?? new Promise(() => {});
  }

  /**
   * An operation on this runtime: a shipped one, or one of your own (an `Operation` of `@tunelab/contract`), which chooses among
   * the runtime's `tables` that name it and its own defaults. The same operation gives the same object.
   */
  operation<P extends Problem>(source: Operation<P> | ShippedOperation<P>): RuntimeOperation<P> {
    const shipped: ShippedOperation<P> =
      "operation" in source ? source : { operation: source, tables: async () => [] };
    const { operation } = shipped;
    const known = this.#operations.get(operation);
    if (known) return known as RuntimeOperation<P>;
    const made = new RuntimeOperation<P>(operation, {
      executor: () => this.#live().executor,
      teller: this.#teller,
      sound: shipped === source,
      select: async (problem, demand, calibrated) =>
        this.#select(shipped, await shipped.tables(), problem, demand, calibrated),
      expecting: shipped.expecting,
      asker: () => ({ ...this.info, profile: this.profile }),
      portfolio: async () => (await shipped.portfolio?.())?.variants ?? [],
      recall: (shape) => this.#remembering(shipped, (memory, keeper) => memory.recall(keeper, shape)),
      remember: async (shape, found) =>
        (await this.#remembering(shipped, async (memory, keeper) => {
          await memory.remember(keeper, shape, found);
          return true;
        })) ?? false,
    });
    this.#operations.set(operation, made);
    return made;
  }

  /** What every call pays beside its kernel, measured when first asked for. Rejects with `Fault` device-lost. */
  async trip(): Promise<Trip> {
    const gpu = this.#live();
    gpu.trip ??= import("@tunelab/executor/trip").then(({ measureTrip }) =>
      measureTrip(gpu.device, () => performance.now()),
    );
    return gpu.trip;
  }

  /**
   * Goes on after a lost device: opens another the way the first was opened, or takes the one given. Operations stay valid and
   * choose and compile again; whatever was bound is gone. Rejects with `Fault` usage when the first device or adapter was the
   * caller's and no other is given, environment when there is none.
   */
  async recover(options: DeviceOptions = {}): Promise<void> {
    const own = this.#options;
    this.#checkLive();
    if ((own.device || own.adapter) && !options.device && !options.adapter) {
      const which = own.device ? "device" : "adapter";
      throw new Fault(
        "usage",
        `the lost device came from your ${which}: pass a fresh one, recover({ ${which} })`,
      );
    }
    const { gpu, powerPreference } = own;
    const fresh = await openDevice({
      ...(gpu ? { gpu } : {}),
      ...(powerPreference ? { powerPreference } : {}),
      ...options,
    });
    this.#close();
    this.#gpu = gpuOf(fresh, own);
    for (const operation of this.#operations.values()) operation.forget();
  }

  /** Frees everything the runtime made; a device that the caller brought stays alive. */
  dispose(): void {
    this.#disposed = true;
    this.#close();
    this.#operations.clear();
  }

  /** What the cache does with calibrations of an operation; undefined without a cache, or where it fails, for the race can be run again. */
  async #remembering<P extends Problem, T>(
    { operation, portfolio }: ShippedOperation<P>,
    use: (memory: typeof import("./calibrate/memory.ts"), keeper: Keeper) => Promise<T>,
  ): Promise<T | undefined> {
    const { cache } = this.#options;
    if (!cache) return undefined;
    try {
      const version = (await portfolio?.())?.version ?? "own";
      const { info: device, profile } = this;
      const keeper = { cache, operation: operation.name, version, device, profile };
      return await use(await import("./calibrate/memory.ts"), keeper);
    } catch {
      return undefined;
    }
  }

  #close(): void {
    this.#gpu?.executor.dispose();
    if (this.#gpu?.owned) this.#gpu.device.destroy();
  }

  #checkLive(): void {
    if (this.#disposed) throw new Fault("usage", "this runtime was disposed: create another");
  }

  #live(): Gpu {
    this.#checkLive();
    return this.#theGpu();
  }

  #theGpu(): Gpu {
    if (this.#gpu) return this.#gpu;
    throw new Fault(
      "unsupported",
      'this runtime computes on the CPU alone: create one with backend "gpu" where there is WebGPU',
    );
  }

  #select<P extends Problem>(
    { operation, rules }: ShippedOperation<P>,
    tables: readonly TableSource[],
    problem: P,
    demand: Demand,
    calibrated: Calibrated | undefined,
  ): Promise<Selection> {
    const { faults, info } = this.#live();
    return select({
      ...{ operation, problem, demand, tables, callerTables: this.#tables, profile: this.profile },
      ...{ ...info, faults },
      ...(calibrated ? { calibrated } : {}),
      ...(rules ? { rules } : {}),
    });
  }
}

function gpuOf(open: OpenDevice, { budgets = {} }: RuntimeOptions): Gpu {
  const executor = new Executor(open.device, open.info.capabilities, {
    ...{ clock: performance, kernelsKept: KERNELS_KEPT, budgets },
  });
  return { ...open, executor, trip: undefined };
}

/**
 * Opens a device (or takes the caller's) and makes the runtime that operations are called with. With backend `cpu` no device is
 * opened; with `auto` its absence is told as an event and the CPU computes.
 * Rejects with `Fault` usage for an option that makes no sense, environment when there is no WebGPU, adapter or device; data when one
 * of `tables` is no table.
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const { backend, profile, budgets } = options;
  // The checks are a chunk of their own: a page that says none of these never loads them.
  if (given(backend, profile, budgets)) (await import("./checks.ts")).checkOptions(options);
  if (options.tables?.length) {
    const { checkTable } = await import("./tables.ts");
    for (const [index, table] of options.tables.entries()) checkTable(table, `tables[${index}]`);
  }
  if (backend === "cpu") return new Runtime(undefined, options);
  try {
    return new Runtime(await openDevice(options), options);
  } catch (error) {
    const fault = asFault(error, "environment");
    if (backend !== "auto" || fault.kind !== "environment") throw fault;
    options.onEvent?.({ kind: "no-gpu", reason: fault.message });
    return new Runtime(undefined, options);
  }
}
