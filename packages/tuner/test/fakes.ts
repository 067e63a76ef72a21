import {
  type Ceilings,
  DEFAULT_CAPABILITIES,
  type DeviceInfo,
  type MeasurePhase,
  type MeasureRequest,
  type Noise,
  planHash,
  type RaceRequest,
  type SessionEvent,
  type SessionSink,
  type Status,
  type Suite,
  type Trial,
  type TrialOutcome,
} from "@tunelab/contract";
import {
  type Bench,
  type CompiledAhead,
  type HostHello,
  OutOfTime,
  type RacedField,
} from "@tunelab/devices/protocol";
import type { TuneClock } from "../src/index.ts";

/** A clock that only the bench moves. */
export class FakeClock implements TuneClock {
  ms = 1_000;
  now(): number {
    return this.ms;
  }
  timestamp(): string {
    return new Date(this.ms).toISOString();
  }
}

/** What the device makes of a request; a good trial of 100 us in 100 ms unless told otherwise. */
export interface Answer {
  readonly status?: Status;
  readonly ns?: number;
  readonly costMs?: number;
  /** What it says compiling took; it says nothing when absent. */
  readonly compileMs?: number;
  /** What its anchor, of work 1000, takes each time in ns. */
  readonly anchorNs?: number;
}

export const DEVICE: DeviceInfo = {
  identity: {
    implementation: "fake",
    implementationVersion: "1",
    compiler: "tint",
    backend: "vulkan",
    vendor: "nobody",
    architecture: "",
    device: "toy",
    description: "",
    driver: "1.0",
    adapterType: "discrete",
  },
  capabilities: DEFAULT_CAPABILITIES,
};

const NOISE: Noise = { kernel: "anchor", samplesNs: [1, 1], cv: 0.001, gateReachable: true };
const CEILINGS: Ceilings = { fmaFlopsPerSecond: 1e12 };

/** How a screened trial's time divides; certified ones take four times as long. */
const PHASES: readonly (readonly [MeasurePhase, number])[] = [
  ["plan", 0.1],
  ["compile", 0.3],
  ["verify", 0.2],
  ["warm-up", 0.1],
  ["measure", 0.2],
  ["idle", 0.1],
];

const CERTIFIED_TIMES = 4;

/** A device that answers by script and moves the clock; a crash restarts its host before the next request. */
export class FakeBench implements Bench {
  readonly hello: HostHello = {
    info: DEVICE,
    profile: "portable",
    toggles: [],
    timestamps: true,
    tickNs: 1,
    runtime: "fake",
    pid: 1,
  };
  readonly requests: MeasureRequest[] = [];
  /** Runs in the middle of the n-th request (from 1). */
  during: (count: number) => void = () => {};
  noiseMs = 10;
  ceilingsMs = 10;
  noiseFound = NOISE;
  failing: readonly ("noise" | "ceilings" | "measure")[] = [];
  readonly #clock: FakeClock;
  readonly #suite: Suite;
  readonly #answer: (request: MeasureRequest) => Answer;
  readonly #restarted: ((reason: string, request: MeasureRequest | undefined) => void)[] = [];
  readonly #phased: ((phase: MeasurePhase) => void)[] = [];
  #guilty: { reason: string; request: MeasureRequest } | undefined;

  constructor(clock: FakeClock, suite: Suite, answer: (request: MeasureRequest) => Answer = () => ({})) {
    this.#clock = clock;
    this.#suite = suite;
    this.#answer = answer;
  }

  /** Batches compiled ahead; `compileMs` passes for each, whatever its size. */
  readonly batches: (readonly MeasureRequest[])[] = [];
  compileMs = 0;
  /** The request of a batch that ends the host while compiling, if any. */
  hangs: (request: MeasureRequest) => boolean = () => false;

  async compile(requests: readonly MeasureRequest[], limitMs?: number): Promise<CompiledAhead> {
    this.batches.push(requests);
    for (const listener of this.#phased) listener("compile");
    this.#spend(this.compileMs, limitMs);
    const index = requests.findIndex(this.hangs);
    if (index < 0) return {};
    const { operation, algorithm, problem, config, isDefault, grade } = requests[index]!;
    const about = { operation, algorithm, problem, config, isDefault, grade };
    const unknown = {
      variant: "",
      planHash: "",
      epoch: 0,
      work: { flops: 0, bytes: 0, items: 0 },
      seeds: [],
    };
    const outcome = { ...about, ...unknown, status: "compile-timeout", reason: "it hangs" } as const;
    return { guilty: { index, outcome } };
  }

  /** What a race comes to; none is held unless a test says how. */
  races: (request: RaceRequest) => Promise<RacedField> = async () => ({ reason: "no race here" });

  async race(request: RaceRequest): Promise<RacedField> {
    return this.races(request);
  }

  /** Lets time pass, and no more than the caller has: then the host is ended. */
  #spend(ms: number, limitMs = Number.POSITIVE_INFINITY): void {
    this.#clock.ms += Math.min(ms, limitMs);
    if (ms > limitMs) throw new OutOfTime(`no answer within ${limitMs} ms`);
  }

  async measure(request: MeasureRequest, limitMs = Number.POSITIVE_INFINITY): Promise<TrialOutcome> {
    this.requests.push(request);
    const end = this.#clock.ms + limitMs;
    if (this.failing.includes("measure")) throw new Error("the host is gone for good");
    const guilty = this.#guilty;
    this.#guilty = undefined;
    if (guilty) for (const listener of this.#restarted) listener(guilty.reason, guilty.request);
    const { status = "ok", ns = 100_000, costMs = 100, compileMs, anchorNs = 500 } = this.#answer(request);
    const total = request.grade === "certified" ? costMs * CERTIFIED_TIMES : costMs;
    for (const [phase, part] of PHASES) {
      for (const listener of this.#phased) listener(phase);
      this.#spend(total * part, end - this.#clock.ms);
      if (phase === "measure") this.during(this.requests.length);
    }
    const { operation, algorithm, problem, config, isDefault, grade, seeds } = request;
    const loaded = await this.#suite.operation.algorithms[algorithm]!();
    const hash = await planHash(loaded.plan(problem, config, DEFAULT_CAPABILITIES));
    const died = status === "hung" || status === "crashed" || status === "device-lost";
    if (died) this.#guilty = { reason: `the variant ${status}`, request };
    const timed = status === "ok" || status === "noisy" || status === "wrong";
    return {
      operation,
      algorithm,
      problem,
      config,
      isDefault,
      grade,
      seeds,
      status,
      variant: "",
      planHash: died ? "" : hash,
      epoch: this.#suite.epoch,
      work: { flops: 1, bytes: 1, items: 1 },
      ...(compileMs === undefined ? {} : { compileMs }),
      ...(status === "ok" ? {} : { reason: `scripted ${status}` }),
      ...(timed
        ? {
            timing: {
              clock: "gpu",
              tickNs: 1,
              repeats: 2,
              samplesNs: [ns * 2, ns * 2 + 9],
              rejected: {},
              anchor: { name: "fma", samplesNs: [anchorNs, anchorNs, anchorNs], amount: 1_000 },
            },
          }
        : {}),
    };
  }

  async noise(_samples: number, limitMs?: number): Promise<Noise> {
    this.#spend(this.noiseMs, limitMs);
    if (this.failing.includes("noise")) throw new Error("no noise today");
    return this.noiseFound;
  }

  async trip(): Promise<Trip> {
    return { roundTripMs: 0.1, msPerByte: 1e-6 };
  }

  async ceilings(_kinds?: unknown, limitMs?: number): Promise<Ceilings> {
    this.#spend(this.ceilingsMs, limitMs);
    if (this.failing.includes("ceilings")) throw new Error("no ceilings today");
    return CEILINGS;
  }

  onRestart(listener: (reason: string, request: MeasureRequest | undefined) => void): void {
    this.#restarted.push(listener);
  }

  onPhase(listener: (phase: MeasurePhase) => void): void {
    this.#phased.push(listener);
  }

  async close(): Promise<void> {}
}

/** Keeps what it is given; `full` refuses everything from then on. */
export class FakeSink implements SessionSink {
  readonly session = "S1";
  readonly trials: Trial[] = [];
  readonly events: SessionEvent[] = [];
  full = false;

  async trial(trial: Trial): Promise<void> {
    if (this.full) throw new Error("no space left on device");
    this.trials.push(trial);
  }

  async event(event: SessionEvent): Promise<void> {
    if (this.full) throw new Error("no space left on device");
    this.events.push(event);
  }

  async close(): Promise<void> {}
}
