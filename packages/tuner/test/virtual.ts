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
import type { Bench, CompiledAhead, RacedField } from "@tunelab/devices/protocol";
import { vi } from "vitest";
import { type Compiler, type ProgressEvent, type TuneOptions, type TuneResult, tune } from "../src/index.ts";
import { FakeBench, FakeClock, FakeSink } from "./fakes.ts";
import { algorithmNamed, sized, toySuite } from "./toy.ts";

/** What a machine takes for its work, in ms. */
export interface Machine {
  readonly cores: number;
  /** Compile times of its kernels, at these fractions of them in rising order. */
  readonly compileMs: readonly (readonly [fraction: number, ms: number])[];
  /** What taking a kernel from the driver's cache takes that was compiled before. */
  readonly cachedMs: number;
  readonly verifyMs: number;
  readonly measureMs: number;
  /** Certifying over screening, in the same. */
  readonly certifying: number;
  /** The session's own work for a proposal: strategy, plan, hash. */
  readonly proposeMs: number;
  readonly calibrateMs: number;
  readonly startMs: number;
}

/**
 * An H200 beside 16 cores, from the accounts of a session of 71 s at n = 4096 (87 screened variants and 8 certified): compile times as
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
  cachedMs: 50,
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
  readonly #cached = new Set<string>();
  #busy = 0;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async compile(hash: string): Promise<void> {
    const alone = this.#cached.has(hash) ? this.#machine.cachedMs : compileMsOf(this.#machine, hash);
    this.#busy++;
    await sleep(alone * Math.max(1, this.#busy / this.#machine.cores));
    this.#busy--;
    this.#cached.add(hash);
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
    if (!this.#compiled.has(hash)) await this.#cores.compile(hash);
    this.#compiled.add(hash);
  }

  override async compile(requests: readonly MeasureRequest[]): Promise<CompiledAhead> {
    await this.#phase("compile", Promise.all(requests.map((request) => this.#one(request))));
    return {};
  }

  override async measure(request: MeasureRequest): Promise<TrialOutcome> {
    const { verifyMs, measureMs, certifying } = this.#machine;
    const times = request.grade === "certified" ? certifying : 1;
    const before = performance.now();
    await this.#phase("compile", this.#one(request));
    const compileMs = performance.now() - before;
    await this.#phase("verify", verifyMs * times);
    await this.#phase("measure", measureMs * times);
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

function suite({ proposeMs }: Pick<Machine, "proposeMs">) {
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
          vi.advanceTimersByTime(proposeMs); // the session's own thread is busy meanwhile
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
): Promise<{ readonly result: TuneResult; readonly tookMs: number }> {
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
    return { result: await session, tookMs: ended - start };
  } finally {
    digest.mockRestore();
    vi.useRealTimers();
  }
}
