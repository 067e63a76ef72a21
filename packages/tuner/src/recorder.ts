import {
  bestNs,
  type MeasurePhase,
  type MeasureRequest,
  type Metric,
  metricValues,
  type RaceRequest,
  type SessionEvent,
  type SessionSink,
  type Trial,
  type TrialOutcome,
} from "@tunelab/contract";
import { type Bench, type CompiledAhead, OutOfTime, type RacedField } from "@tunelab/devices/protocol";
import type { Planned } from "./candidate.ts";
import { Known } from "./reuse.ts";
import type { Stopwatch } from "./stopwatch.ts";
import type { TuneClock, TuneOptions } from "./types.ts";

/** Thrown inside a session when its signal fires; the session turns it into a result. */
export class Interrupted extends Error {}

/** Throws Interrupted once the signal has fired. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Interrupted("interrupted");
}

/** Settles as the work does, or rejects with Interrupted as soon as the signal fires; after that nothing is begun. */
export async function unlessAborted<T>(begin: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  checkAborted(signal);
  const promise = begin();
  if (!signal) return promise;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupted("interrupted"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    promise.catch(() => {}); // left behind by an interruption, it may fail when the bench closes
  }
}

/** Longest time that a timer holds, in ms: a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What a request came to, or what it was doing when its time was over. */
type Cut<T> = { readonly value: T } | { readonly cut: string };

async function orCut<T>(request: Promise<T>): Promise<Cut<T>> {
  try {
    return { value: await request };
  } catch (error) {
    if (error instanceof OutOfTime) return { cut: error.message };
    throw error;
  }
}

/** Measures on the bench and makes every outcome durable before anything else happens. */
export class Recorder {
  readonly trials: Trial[] = [];
  readonly known: Known;
  readonly #bench: Bench;
  readonly #sink: SessionSink;
  readonly #clock: TuneClock;
  readonly #stopwatch: Stopwatch;
  readonly #signal: AbortSignal | undefined;
  readonly #metrics: ReadonlyMap<string, readonly Metric[]>;
  readonly #tell: (fault: string) => void;
  readonly #told = new Set<string>();
  #sequence: number;
  /** Whether another host than the bench's has the device. */
  #isElsewhere = false;

  /** `tell` hears of a metric that throws, once. */
  constructor(
    options: TuneOptions,
    bench: Bench,
    sink: SessionSink,
    stopwatch: Stopwatch,
    tell: (fault: string) => void,
  ) {
    this.#metrics = new Map(
      options.workloads.map(({ suite }) => [suite.operation.name, suite.metrics ?? []]),
    );
    this.#tell = tell;
    this.#bench = bench;
    this.#sink = sink;
    this.#clock = options.clock;
    this.#stopwatch = stopwatch;
    this.#signal = options.signal;
    this.#sequence = options.firstSequence ?? 0;
    this.known = new Known(options.earlier ?? []);
  }

  /**
   * A measured trial and what it cost in ms of wall time; or, when `limitMs` did not do, what it was doing in one line, and nothing
   * is recorded. `host` times it: whoever holds its code; where that cannot, the bench does. Rejects when the device cannot be used any more.
   */
  async measure(
    request: MeasureRequest,
    planned: Planned,
    {
      host = this.#bench,
      limitMs,
    }: { readonly host?: Pick<Bench, "measure"> | undefined; readonly limitMs: number },
  ): Promise<{ readonly trial: Trial; readonly costMs: number } | { readonly cut: string }> {
    const before = this.#clock.now();
    const elsewhere = host === this.#bench ? undefined : await this.#elsewhere(host, request, limitMs);
    const leftMs = limitMs - (this.#clock.now() - before);
    if (!elsewhere && !(leftMs > 0)) return { cut: "its host was gone, and no time was left" };
    const measured = elsewhere ?? (await orCut(this.#onHost(() => this.#bench.measure(request, leftMs))));
    if ("cut" in measured) return measured;
    const trial = await this.record(measured.value, planned);
    return { trial, costMs: this.#clock.now() - before };
  }

  /** What measuring on another host came to; undefined when that cannot be used any more: the bench says whether the device is gone. */
  async #elsewhere(
    host: Pick<Bench, "measure">,
    request: MeasureRequest,
    limitMs: number,
  ): Promise<Cut<TrialOutcome> | undefined> {
    this.#isElsewhere = true;
    try {
      return await orCut(this.#onHost(() => host.measure(request, limitMs)));
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      return undefined;
    } finally {
      this.#isElsewhere = false;
    }
  }

  /** Compiles ahead within `limitMs`; what it came to and what it cost in ms of wall time. Cut short, it came to nothing. */
  async compile(
    requests: readonly MeasureRequest[],
    limitMs: number,
  ): Promise<CompiledAhead & { readonly costMs: number }> {
    const before = this.#clock.now();
    if (!(limitMs > 0)) return { costMs: 0 };
    const compiled = await orCut(this.#onHost(() => this.#bench.compile(requests, limitMs)));
    const costMs = this.#clock.now() - before;
    return "cut" in compiled ? { costMs } : { ...compiled.value, costMs };
  }

  /** The bench says what it is doing: while another has the device it only compiles, which is no part of the account. */
  heard(phase: MeasurePhase): void {
    if (!this.#isElsewhere) this.#stopwatch.phase(phase);
  }

  /** Has the bench compile while others have the device; whether it did. Never rejects: what is wrong its own trial finds. */
  async compileBeside(request: MeasureRequest, limitMs: number): Promise<boolean> {
    try {
      return (await this.#bench.compile([request], limitMs)).guilty === undefined;
    } catch {
      return false;
    }
  }

  /**
   * Waits for compilers elsewhere, `limitMs` of real time at most: what they came to, undefined when they did not end, and what
   * waiting cost in ms of wall time.
   */
  async waitFor<T>(
    compilers: Promise<T>,
    limitMs: number,
  ): Promise<{ readonly result: T | undefined; readonly costMs: number }> {
    const before = this.#clock.now();
    this.#stopwatch.enter("waiting");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>((resolve) => {
      if (limitMs <= LONGEST_TIMER_MS) timer = setTimeout(() => resolve(undefined), limitMs);
    });
    try {
      const result = await unlessAborted(() => Promise.race([compilers, late]), this.#signal);
      return { result, costMs: this.#clock.now() - before };
    } finally {
      clearTimeout(timer);
      this.#stopwatch.enter("idle");
    }
  }

  /** Times variants against each other; cut short after `limitMs`, there was no race. */
  async race(request: RaceRequest, limitMs: number): Promise<RacedField> {
    const raced = await orCut(this.#onHost(() => this.#bench.race(request, limitMs)));
    return "cut" in raced ? { reason: raced.cut } : raced.value;
  }

  /** Something besides trials, durable when it resolves. */
  event(event: SessionEvent): Promise<void> {
    return this.#sink.event(event);
  }

  /** Gives an outcome its place in the session and makes it durable. */
  async record(outcome: TrialOutcome, planned: Planned): Promise<Trial> {
    const sequence = this.#sequence++;
    const trial: Trial = {
      ...outcome,
      ...this.#measures(outcome),
      // A host that died before it had planned cannot say what it was asked; the session knows.
      variant: planned.variant,
      planHash: outcome.planHash || planned.hash,
      id: `${this.#sink.session}.${sequence}`,
      session: this.#sink.session,
      sequence,
      measuredAt: this.#clock.timestamp(),
    };
    await this.#sink.trial(trial);
    this.trials.push(trial);
    this.known.add(trial);
    return trial;
  }

  /** The suite's metrics of a trial that was verified and timed. */
  #measures(outcome: TrialOutcome): Pick<Trial, "metrics"> {
    const metrics = this.#metrics.get(outcome.operation) ?? [];
    if (metrics.length === 0 || bestNs(outcome) === undefined) return {};
    const { values, faults } = metricValues(metrics, outcome);
    for (const fault of faults) {
      if (!this.#told.has(fault)) this.#tell(fault);
      this.#told.add(fault);
    }
    return { metrics: values };
  }

  async #onHost<T>(work: () => Promise<T>): Promise<T> {
    this.#stopwatch.enter("host");
    try {
      return await unlessAborted(work, this.#signal);
    } finally {
      this.#stopwatch.enter("idle");
    }
  }
}
