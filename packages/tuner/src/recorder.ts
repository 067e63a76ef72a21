import type {
  MeasureRequest,
  RaceRequest,
  SessionEvent,
  SessionSink,
  Trial,
  TrialOutcome,
} from "@tunelab/contract";
import type { Bench, CompiledAhead, RacedField } from "@tunelab/devices/protocol";
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

/** Measures on the bench and makes every outcome durable before anything else happens. */
export class Recorder {
  readonly trials: Trial[] = [];
  readonly known: Known;
  readonly #bench: Bench;
  readonly #sink: SessionSink;
  readonly #clock: TuneClock;
  readonly #stopwatch: Stopwatch;
  readonly #signal: AbortSignal | undefined;
  #sequence: number;

  constructor(options: TuneOptions, bench: Bench, sink: SessionSink, stopwatch: Stopwatch) {
    this.#bench = bench;
    this.#sink = sink;
    this.#clock = options.clock;
    this.#stopwatch = stopwatch;
    this.#signal = options.signal;
    this.#sequence = options.firstSequence ?? 0;
    this.known = new Known(options.earlier ?? []);
  }

  /**
   * A measured trial and what it cost in ms of wall time. Its compile time is the compiler's that did it elsewhere, `elsewhereMs`:
   * the timing host only loaded the result. Rejects when the device cannot be used any more.
   */
  async measure(
    request: MeasureRequest,
    planned: Planned,
    elsewhereMs = 0,
  ): Promise<{ trial: Trial; costMs: number; ownCompileMs: number }> {
    const before = this.#clock.now();
    const outcome = await this.#onHost(() => this.#bench.measure(request));
    const { compileMs: ownCompileMs = 0 } = outcome;
    const compiled = elsewhereMs > ownCompileMs ? { ...outcome, compileMs: elsewhereMs } : outcome;
    const trial = await this.record(compiled, planned);
    return { trial, costMs: this.#clock.now() - before, ownCompileMs };
  }

  /** Compiles ahead; what it came to and what it cost in ms of wall time. */
  async compile(requests: readonly MeasureRequest[]): Promise<CompiledAhead & { readonly costMs: number }> {
    const before = this.#clock.now();
    const compiled = await this.#onHost(() => this.#bench.compile(requests));
    return { ...compiled, costMs: this.#clock.now() - before };
  }

  /** Waits for compilers elsewhere: what they came to, and what waiting cost in ms of wall time. */
  async waitFor<T>(compilers: Promise<T>): Promise<{ readonly result: T; readonly costMs: number }> {
    const before = this.#clock.now();
    this.#stopwatch.enter("compile");
    try {
      const result = await unlessAborted(() => compilers, this.#signal);
      return { result, costMs: this.#clock.now() - before };
    } finally {
      this.#stopwatch.enter("idle");
    }
  }

  /** Times variants against each other. */
  race(request: RaceRequest): Promise<RacedField> {
    return this.#onHost(() => this.#bench.race(request));
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

  async #onHost<T>(work: () => Promise<T>): Promise<T> {
    this.#stopwatch.enter("host");
    try {
      return await unlessAborted(work, this.#signal);
    } finally {
      this.#stopwatch.enter("idle");
    }
  }
}
