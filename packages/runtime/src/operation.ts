import {
  asFault,
  type Fault,
  type FaultKind,
  type Operation,
  type PortData,
  type Problem,
  problemKey,
} from "@tunelab/contract";
import type { BindOptions, BoundPorts, Executor, Instance, Prepared } from "@tunelab/executor";
import {
  type Calibrated,
  type Candidate,
  type Demand,
  type Expectation,
  type Expecting,
  type Explanation,
  explain,
  type Selection,
} from "@tunelab/selection";
import type { CalibrationOptions, Trial } from "./calibrate/calibrate.ts";
import type { Raced } from "./calibrate/race.ts";
import type { Teller } from "./events.ts";
import { Recent } from "./recent.ts";

/** A run's outputs and why this variant made them. */
export interface Answer {
  /** Contents of out and inout ports; ports that the caller's own GPUBuffers stand for are left out. */
  readonly outputs: PortData;
  readonly explanation: Explanation;
}

/** An operation bound to its ports, to run or encode any number of times. Dispose of it to free its buffers. */
export interface BoundCall {
  readonly explanation: Explanation;
  /** Uploads other contents of the same sizes. */
  write(ports: PortData): void;
  /** Runs once; resolves when the device is done. */
  run(): Promise<void>;
  /** Contents of out and inout ports. */
  read(ports?: readonly string[]): Promise<PortData>;
  /**
   * Encodes one run into the caller's encoder (no pass may be open); the caller submits.
   * Throws `Fault` unsupported for a plan with a host-driven loop: bind with `encodable: true` to have none.
   */
  encode(encoder: GPUCommandEncoder): void;
  dispose(): void;
}

/** What an operation needs of its runtime. */
export interface Workshop {
  /** Of the device in hand; another after the runtime recovered. */
  executor(): Executor;
  readonly teller: Teller;
  /** Whether tests have checked the form of every plan of the operation: a shipped one's. */
  readonly sound: boolean;
  select(problem: Problem, demand: Demand, calibrated?: Calibrated): Promise<Selection>;
  /** What the operation's cost models say, and whom they are asked for; an operation without has none. */
  readonly expecting: (() => Promise<Expecting>) | undefined;
  asker(): Parameters<Expecting>[0];
  /** Variants that together come within a few percent of the best on every device measured. */
  portfolio(): Promise<readonly string[]>;
  /** What an earlier run found fastest for a shape of the operation, by the injected cache. */
  recall(shape: string): Promise<Calibrated | undefined>;
  remember(shape: string, calibrated: Calibrated): Promise<boolean>;
}

/** What a race on the device in hand found. */
export interface Calibration {
  /** The fastest that is right: what later calls of this shape run. */
  readonly variant: string;
  readonly us: number;
  /** What ran before, and in what time; absent when it could not run. */
  readonly before: { readonly variant: string; readonly us?: number };
  /** Every variant that was considered, with its time or why it left. */
  readonly raced: readonly Raced[];
  readonly spentMs: number;
  /** Whether the runtime has a cache that keeps it for the next run. */
  readonly stored: boolean;
}

/** Failures of one variant; the next candidate may do better. Others (a lost device, bad input) end the call. */
const VARIANT_FAULTS: readonly FaultKind[] = [
  "validation",
  "compile-timeout",
  "unsupported",
  "out-of-memory",
];

/** Problems whose choice is remembered, an operation. */
const CHOICES_KEPT = 64;

/** What was chosen for one problem and demand. */
interface Choice {
  readonly selection: Selection;
  readonly attempts: readonly Attempt[];
}

interface Attempt {
  readonly candidate: Candidate;
  readonly explanation: Explanation;
  /** Compiled on first use; a failure stays, it would fail again. */
  prepared?: Promise<Prepared>;
  /** Shared by the attempts of one variant on one shape, whatever their batch. */
  readonly cost: Cost;
  /** Items of the batch, known with the plan. */
  items: number;
  /** By the device's cost models, where no row and no run tells. */
  expected?: Expectation | undefined;
}

interface Cost {
  /** Milliseconds of a batch item, from this device's table or the least of the runs. */
  msPerItem: number | undefined;
  /** Runs to wait for until the figure says something: a first one also pays what drivers put off until then. */
  unsure: number;
}

/** Runs without a table before a time is believed: on SwiftShader a first one took 25 ms, the second 0.6 ms. */
const RUNS_TO_BELIEVE = 2;

/** One operation on one runtime: `runtime.operation(...)`. */
export class RuntimeOperation<P extends Problem = Problem> {
  readonly operation: Operation<P>;
  readonly #shop: Workshop;
  readonly #choices = new Recent<Promise<Choice>>(CHOICES_KEPT);
  readonly #costs = new Recent<Cost>(CHOICES_KEPT);
  readonly #calibrated = new Recent<Promise<Calibrated | undefined>>(CHOICES_KEPT);

  constructor(operation: Operation<P>, shop: Workshop) {
    this.operation = operation;
    this.#shop = shop;
  }

  /**
   * Which variant a call would try first, from which table, why, at which expected time, and what was refused; compiles nothing.
   * Rejects with `Fault` usage or unsupported.
   */
  async explain(problem: P, demand: Demand = {}): Promise<Explanation> {
    return (await this.#choose(problem, demand)).attempts[0]!.explanation;
  }

  /** Compiles the best variant that this device can run, so that the first call is fast; says which and why. */
  async prepare(problem: P, demand: Demand = {}): Promise<Explanation> {
    return (await this.#first(problem, demand, async () => {})).explanation;
  }

  /**
   * Runs the best variant and reads the outputs back. Ports are typed arrays, or the caller's own GPUBuffers (with STORAGE usage,
   * never freed here): zero copy. Rejects with `Fault` usage, unsupported, out-of-memory or device-lost.
   */
  async run(problem: P, ports: BoundPorts, demand: Demand = {}): Promise<Answer> {
    const { result, explanation } = await this.#first(problem, demand, async (attempt, prepared) => {
      const instance = await prepared.bind(ports, costOf(attempt));
      try {
        const { wallMs } = await instance.run();
        learn(attempt, instance.msPerItem, wallMs);
        return await instance.read(this.#readable(problem, ports));
      } finally {
        instance.dispose();
      }
    });
    return { outputs: result, explanation };
  }

  /** Binds ports to the best variant, to run or encode many times without allocating again. */
  async bind(problem: P, ports: BoundPorts, demand: Demand = {}): Promise<BoundCall> {
    const { result, explanation } = await this.#first(problem, demand, async (attempt, prepared) =>
      prepared.bind(ports, costOf(attempt)),
    );
    return boundCall(result, explanation, this.#readable(problem, ports));
  }

  /**
   * Milliseconds on the GPU that a call is expected to take, by this device's table (scaled from the measured batch), by earlier
   * runs or by its cost models; undefined when none tells. Compiles like `prepare`.
   */
  async expectedMs(problem: P, demand: Demand = {}): Promise<number | undefined> {
    const { result } = await this.#first(problem, demand, async (attempt) => attempt);
    const { cost, items, expected } = result;
    return cost.msPerItem === undefined || cost.unsure > 0 ? expected?.ms : cost.msPerItem * items;
  }

  /**
   * Races the portfolio and the tables' first rows on this device with `trial`'s inputs, every answer verified, for at most
   * `maxMilliseconds` (and one compilation). Later calls of this shape run the winner; with a `cache` so do later runs, on the same
   * device with the same tables. Rejects when nothing could run, or with `Fault` usage when aborted.
   */
  async calibrate(problem: P, trial: Trial, options: CalibrationOptions): Promise<Calibration> {
    const { raceOn } = await import("./calibrate/calibrate.ts");
    const readable = this.#readable(problem, trial.inputs);
    const shape = this.#shape(problem);
    return raceOn({ shop: this.#shop, problem, readable, trial }, options, (calibrated) => {
      this.#choices.clear();
      void this.#calibrated.set(shape, Promise.resolve(calibrated));
      return this.#shop.remember(shape, calibrated);
    });
  }

  /** The values that specialise the text: a race's winner holds for every batch of them. */
  #shape(problem: P): string {
    return this.operation.dimensions
      .flatMap(({ name, role, optional }) => {
        if (role !== "extent") return [`${name}=${problem[name]}`];
        // Asked or not asked is another question; how much is not.
        return optional && problem[name] !== undefined ? [name] : [];
      })
      .join(",");
  }

  /** Forgets what was chosen and compiled; the next call chooses again. */
  forget(): void {
    this.#choices.clear();
    this.#costs.clear();
    this.#calibrated.clear();
  }

  #readable(problem: P, ports: BoundPorts): readonly string[] {
    return this.operation
      .ports(problem)
      .filter(({ name, role }) => (role === "out" || role === "inout") && !isBuffer(ports[name]))
      .map(({ name }) => name);
  }

  #choose(problem: P, demand: Demand): Promise<Choice> {
    const key = `${problemKey(problem)} ${demandKey(demand)}`;
    return this.#choices.get(key, () => {
      const choice = this.#newChoice(problem, demand);
      choice.catch(() => this.#choices.delete(key));
      return choice;
    });
  }

  async #newChoice(problem: P, demand: Demand): Promise<Choice> {
    const shape = this.#shape(problem);
    const calibrated = await this.#calibrated.get(shape, () => this.#shop.recall(shape));
    const selection = await this.#shop.select(problem, demand, calibrated);
    for (const { table, fault } of selection.unreadable) {
      const { operation } = selection;
      this.#shop.teller.tell({ kind: "table-unreadable", operation, table, reason: fault.message }, table);
    }
    const attempts = selection.candidates.map((candidate): Attempt => {
      const explanation = explain(selection, candidate);
      const cost = this.#costs.get(`${candidate.variant} ${shape}`, () => ({
        msPerItem: undefined,
        unsure: RUNS_TO_BELIEVE,
      }));
      return { candidate, explanation, cost, items: 0 };
    });
    return { selection, attempts };
  }

  /** The result of the first candidate that compiles and runs. */
  async #first<T>(
    problem: P,
    demand: Demand,
    use: (attempt: Attempt, prepared: Prepared) => Promise<T>,
  ): Promise<{ readonly result: T; readonly explanation: Explanation }> {
    const { selection, attempts } = await this.#choose(problem, demand);
    const { operation } = selection;
    let last: Fault | undefined;
    for (const attempt of attempts) {
      const { candidate, explanation } = attempt;
      try {
        const result = await use(attempt, await this.#compile(attempt, problem));
        const { borrowed, table, why } = explanation;
        if (borrowed && table) {
          this.#shop.teller.tell({ kind: "borrowed", operation, table, why }, table);
        }
        return { result, explanation };
      } catch (error) {
        last = asFault(error, "crashed");
        if (!VARIANT_FAULTS.includes(last.kind)) throw last;
        const { variant } = candidate;
        const told = { kind: "fallback", operation, variant, reason: last.message } as const;
        this.#shop.teller.tell(told, `${variant} ${problemKey(problem)}`);
      }
    }
    throw last;
  }

  async #compile(attempt: Attempt, problem: P): Promise<Prepared> {
    if (!attempt.prepared) {
      const { algorithm, config, origin } = attempt.candidate;
      const executor = this.#shop.executor();
      const plan = algorithm.plan(problem, config, executor.capabilities);
      if (origin.kind === "table" && origin.own) {
        const measured = Number(origin.problem[plan.batch.dimension]);
        if (measured > 0) {
          attempt.cost.msPerItem ??= origin.row.minUs / 1000 / measured;
          attempt.cost.unsure = 0;
        }
      }
      attempt.items = plan.batch.items;
      const { expecting } = this.#shop;
      if (expecting) {
        const of = { algorithm, config, problem, plan };
        attempt.expected = (await expecting())(this.#shop.asker(), of);
      }
      attempt.prepared ??= executor.prepare(plan, { sound: this.#shop.sound });
    }
    return attempt.prepared;
  }
}

/** The wall's time of a whole run bounds what the device took for it. */
function learn({ cost, items }: Attempt, told: number | undefined, wallMs: number): void {
  const seen = [cost.msPerItem, told, wallMs > 0 ? wallMs / items : undefined];
  const least = Math.min(...seen.filter((value) => value !== undefined));
  cost.msPerItem = Number.isFinite(least) ? least : undefined;
  cost.unsure = Math.max(0, cost.unsure - 1);
}

const isBuffer = (value: BoundPorts[string] | undefined): boolean =>
  value !== undefined && !ArrayBuffer.isView(value);

const costOf = ({ cost: { msPerItem }, expected }: Attempt): BindOptions => ({
  ...expected?.bound,
  ...(msPerItem === undefined ? {} : { msPerItem }),
});

const demandKey = ({ maxError, scratchBytes, encodable, variant }: Demand): string =>
  `${maxError ?? ""} ${scratchBytes ?? ""} ${encodable ?? ""} ${variant ?? ""}`;

function boundCall(instance: Instance, explanation: Explanation, readable: readonly string[]): BoundCall {
  return {
    explanation,
    write: (ports) => instance.write(ports),
    run: async () => {
      await instance.run();
    },
    read: (ports = readable) => instance.read(ports),
    encode: (encoder) => instance.encode(encoder),
    dispose: () => instance.dispose(),
  };
}
