import { createHash } from "node:crypto";
import {
  type Ceilings,
  DEFAULT_CAPABILITIES,
  type MeasurePhase,
  type MeasureRequest,
  type Noise,
  planHash,
  type RaceRequest,
  type TrialOutcome,
} from "@tunelab/contract";
import { type Bench, type CompiledAhead, OutOfTime, type RacedField } from "@tunelab/devices/protocol";
import { vi } from "vitest";
import { type Compiler, type ProgressEvent, type TuneOptions, type TuneResult, tune } from "../src/index.ts";
import { FakeBench, FakeClock, FakeSink } from "./fakes.ts";
import { algorithmNamed, sized, toySuite } from "./toy.ts";

/** What a machine takes for its work, in ms. */
export interface Machine {
  readonly cores: number;
  /** Compile times of its kernels, at these fractions of them in rising order. */
  readonly compileMs: readonly (readonly [fraction: number, ms: number])[];
  /** What a host takes on its first trial besides: its clock's tick, its anchor, its pace; and on its first compile: inputs, oracle. */
  readonly firstTrialMs: number;
  readonly firstCompileMs: number;
  readonly verifyMs: number;
  readonly measureMs: number;
  /** Certifying over screening, in the same. */
  readonly certifying: number;
  /** The session's own work for a proposal: strategy, plan, hash. */
  readonly proposeMs: number;
  /** What every thirtieth proposal takes besides, where a model is fitted anew; nothing when absent. */
  readonly refitMs?: number;
  readonly calibrateMs: number;
  readonly startMs: number;
  /** Part of the variants that no compiler ends within its deadline, and that; `ended` gets their plans as they happen. None when absent. */
  readonly hanging?: { readonly fraction: number; readonly deadlineMs: number; readonly ended: string[] };
}

/**
 * An H200 beside 16 cores and 14 compilers, from two sessions of 80 s at n = 4096 (142 screened variants): quantiles of the recorded
 * compile times, the accounts over the number of trials, 0.18 s from one trial to the next where nothing is waited for. What a
 * compiler leaves serves no other process. A proposal of the strategy is planned in 40 ms.
 */
export const H200_BESIDE: Machine = {
  cores: 16,
  compileMs: [
    [0, 183],
    [0.05, 390],
    [0.1, 456],
    [0.25, 861],
    [0.5, 1_699],
    [0.75, 2_324],
    [0.9, 4_016],
    [0.95, 8_283],
    [0.98, 10_665],
    [1, 14_322],
  ],
  firstTrialMs: 700,
  firstCompileMs: 1_000,
  verifyMs: 57,
  measureMs: 123,
  certifying: 2.5,
  proposeMs: 40,
  calibrateMs: 5_000,
  startMs: 3_000,
};

/**
 * The same without compilers, from the accounts of a session of 71 s at n = 4096 (87 screened variants and 8 certified): compile times as
 * recorded with each trial, the phases' sums over the number of trials.
 */
export const H200: Machine = {
  cores: 16,
  compileMs: [
    [0, 91],
    [0.1, 174],
    [0.25, 326],
    [0.5, 628],
    [0.75, 1_976],
    [0.9, 3_934],
    [0.95, 7_430],
    [1, 46_000],
  ],
  firstTrialMs: 0,
  firstCompileMs: 0,
  verifyMs: 30,
  measureMs: 85,
  certifying: 4,
  proposeMs: 25,
  calibrateMs: 4_000,
  startMs: 4_000,
};

const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

/** A number in [0, 1) that a text always has. */
function fractionOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32LE() / 2 ** 32;
}

/** What compiling a plan takes alone on a core: between its neighbours in the table, by the logarithm. */
export function compileMsOf({ compileMs }: Machine, hash: string): number {
  const at = fractionOf(hash);
  const next = compileMs.findIndex(([fraction]) => fraction > at);
  const [low, high] = [compileMs[next - 1]!, compileMs[next]!];
  const part = (at - low[0]) / (high[0] - low[0]);
  return low[1] * (high[1] / low[1]) ** part;
}

/** Kernels that compile side by side slow each other down when there are more than cores. */
class Cores {
  readonly #machine: Machine;
  #busy = 0;
  #timing = 0;
  /** Trials that ran at once, at most. */
  most = 0;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async work(aloneMs: number): Promise<void> {
    this.#busy++;
    await sleep(aloneMs * Math.max(1, this.#busy / this.#machine.cores));
    this.#busy--;
  }

  async timing<T>(trial: Promise<T>): Promise<T> {
    this.most = Math.max(this.most, ++this.#timing);
    return trial.finally(() => this.#timing--);
  }
}

const PLAN = algorithmNamed("only");
const hashOf = ({ problem, config }: MeasureRequest): Promise<string> =>
  planHash(PLAN.plan(problem, config, DEFAULT_CAPABILITIES));

/** The host that times: everything takes its time on the virtual clock. */
class VirtualBench extends FakeBench implements Bench {
  readonly #machine: Machine;
  readonly #cores: Cores;
  readonly #compiled = new Set<string>();
  readonly #listeners: ((phase: MeasurePhase) => void)[] = [];
  #timed = false;

  constructor(clock: FakeClock, machine: Machine, cores: Cores) {
    super(clock, suite(machine), ({ config }) => ({
      ns: 1_000 + 100 * fractionOf(`${config.x} ${config.memory}`),
      costMs: 0,
    }));
    this.#machine = machine;
    this.#cores = cores;
  }

  override onPhase(listener: (phase: MeasurePhase) => void): void {
    this.#listeners.push(listener);
  }

  async #phase(phase: MeasurePhase, work: Promise<unknown> | number): Promise<void> {
    for (const listener of this.#listeners) listener(phase);
    await (typeof work === "number" ? sleep(work) : work);
  }

  async #one(request: MeasureRequest): Promise<void> {
    const hash = await hashOf(request);
    if (this.#compiled.has(hash)) return;
    const first = this.#compiled.size === 0 ? this.#machine.firstCompileMs : 0;
    this.#compiled.add(hash);
    await this.#cores.work(first + compileMsOf(this.#machine, hash));
  }

  /** What a host does within the caller's time and its own deadlines: ended, it has compiled nothing any more, and starts anew. */
  async #within<T>(work: Promise<T>, limitMs: number): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<"late">((resolve) => {
      if (limitMs < 1e9) timer = setTimeout(() => resolve("late"), limitMs);
    });
    const first = await Promise.race([work, late]);
    clearTimeout(timer);
    if (first !== "late") return first;
    this.#compiled.clear();
    work.catch(() => {});
    throw new OutOfTime("late");
  }

  #hangs(hash: string): boolean {
    return fractionOf(`${hash} hangs`) < (this.#machine.hanging?.fraction ?? 0);
  }

  override async compile(
    requests: readonly MeasureRequest[],
    limitMs = Number.POSITIVE_INFINITY,
  ): Promise<CompiledAhead> {
    const hashes = await Promise.all(requests.map(hashOf));
    const index = requests.findIndex(({ isDefault }, at) => !isDefault && this.#hangs(hashes[at]!));
    if (index >= 0) {
      const { deadlineMs, ended } = this.#machine.hanging!;
      await this.#within(this.#phase("compile", deadlineMs), limitMs);
      ended.push(hashes[index]!);
      this.hangs = (request) => request === requests[index];
      return super.compile(requests);
    }
    await this.#within(
      this.#phase("compile", Promise.all(requests.map((request) => this.#one(request)))),
      limitMs,
    );
    return {};
  }

  override measure(request: MeasureRequest, limitMs = Number.POSITIVE_INFINITY): Promise<TrialOutcome> {
    return this.#cores.timing(this.#within(this.#measured(request), limitMs));
  }

  async #measured(request: MeasureRequest): Promise<TrialOutcome> {
    const { verifyMs, measureMs, firstTrialMs, certifying } = this.#machine;
    const times = request.grade === "certified" ? certifying : 1;
    const before = performance.now();
    const isCompiled = this.#compiled.has(await hashOf(request));
    await this.#phase("compile", this.#one(request));
    const compileMs = performance.now() - before;
    // A process of its own goes on while the session's is busy: it is only heard later.
    const begun = isCompiled ? before : performance.now();
    const verified = begun + verifyMs * times;
    await this.#phase("verify", Math.max(0, verified - performance.now()));
    const ended = verified + measureMs * times + (this.#timed ? 0 : firstTrialMs);
    await this.#phase("measure", Math.max(0, ended - performance.now()));
    this.#timed = true;
    return { ...(await super.measure(request)), compileMs };
  }

  override async race(_: RaceRequest): Promise<RacedField> {
    return { reason: "no race here" };
  }

  override async noise(): Promise<Noise> {
    await sleep(this.#machine.calibrateMs);
    return this.noiseFound;
  }

  override async ceilings(): Promise<Ceilings> {
    await sleep(this.#machine.calibrateMs);
    return {};
  }
}

function suite({ proposeMs, refitMs = 0 }: Pick<Machine, "proposeMs" | "refitMs">) {
  let planned = 0;
  const values = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
  return toySuite({
    algorithms: [
      algorithmNamed("only", {
        space: () => ({
          parameters: [
            { name: "x", values: values(100), doc: "changes the text" },
            { name: "memory", values: values(60), doc: "changes the text" },
          ],
          constraints: [],
        }),
        defaultConfig: () => ({ x: 7, memory: 0 }),
        plan: (problem, config, capabilities) => {
          planned += 1;
          vi.advanceTimersByTime(proposeMs + (planned % 30 === 0 ? refitMs : 0)); // the session's own thread is busy meanwhile
          return PLAN.plan(problem, config, capabilities);
        },
      }),
    ],
  });
}

/** A session on a machine whose times are virtual: `compilers` hosts compile beside the one that times. */
export async function virtualSession(
  machine: Machine,
  compilers: number,
  options: Partial<TuneOptions>,
  progress: (event: ProgressEvent) => void = () => {},
): Promise<{ readonly result: TuneResult; readonly tookMs: number; readonly mostTimedAtOnce: number }> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  // A real digest ends in real time, in which the virtual clock would run on.
  const digest = vi.spyOn(crypto.subtle, "digest").mockImplementation(async (_, data) => {
    const bytes = createHash("sha256")
      .update(data as Uint8Array)
      .digest();
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  });
  try {
    const cores = new Cores(machine);
    const clock = { now: () => performance.now(), timestamp: () => "2026-11-30T12:00:00Z" };
    const bench = new VirtualBench(new FakeClock(), machine, cores);
    const open = async (): Promise<readonly Compiler[]> => {
      await sleep(machine.startMs);
      return Array.from({ length: compilers }, () => new VirtualBench(new FakeClock(), machine, cores));
    };
    const start = performance.now();
    let ended = Number.NaN;
    const session = tune(
      {
        workloads: [{ suite: suite(machine), problems: sized(2) }],
        strategy: "random",
        seed: 1,
        budgetMs: 600_000,
        ahead: machine.cores,
        ...(compilers > 0 ? { compilers: open } : {}),
        clock,
        ...options,
      },
      bench,
      new FakeSink(),
      progress,
    ).finally(() => {
      ended = performance.now();
    });
    while (Number.isNaN(ended)) {
      vi.advanceTimersToNextTimer();
      await new Promise((turn) => setImmediate(turn)); // everything that follows from it, all of it microtasks
    }
    return { result: await session, tookMs: ended - start, mostTimedAtOnce: cores.most };
  } finally {
    digest.mockRestore();
    vi.useRealTimers();
  }
}
