import { setTimeout as sleep } from "node:timers/promises";
import {
  asFault,
  Fault,
  type MeasurePhase,
  type MeasureRequest,
  type PairOutcome,
  type PairRequest,
  type ProfileName,
  type RaceRequest,
  type TrialOutcome,
} from "@tunelab/contract";
import { type Attendance, type Attended, attend } from "./attend.ts";
import { DEFAULT_DEADLINES, deadlineOf, LEAVE_MS } from "./deadlines.ts";
import type { DeviceTarget } from "./discover.ts";
import { type Failure, failedOutcome, reasonOf, statusOf } from "./outcome.ts";
import { lostSide, pairThrough } from "./pair.ts";
import {
  type CompiledAhead,
  type Deadlines,
  type HostApi,
  type HostHello,
  type HostOptions,
  OutOfTime,
  type PairBench,
  type RacedField,
} from "./protocol.ts";
import { type HostProcess, spawnHost } from "./spawn.ts";
import { startFault } from "./start-fault.ts";
import { overdue, type Until, untilAfter, within } from "./until.ts";

/** How a bench's host opens its adapter, beside what the target says. */
type Opening = Pick<HostOptions, "modules" | "beside" | "toggles" | "quantizedTimestamps">;

export interface BenchOptions extends Opening {
  /** Module that calls `serveHost` with the operations to measure. */
  readonly entry: URL | string;
  readonly profile?: ProfileName;
  readonly deadlines?: Partial<Deadlines>;
  /** Ends the opening while it is under way; a bench that is open is closed by its `close`. */
  readonly signal?: AbortSignal;
}

/** Starts in a row that may fail before the machine, not the variant, is to blame. */
const START_ATTEMPTS = 3;

/** The variant a failure is put down to, asked when it has happened. */
type Blame = () => MeasureRequest | undefined;

const nobody: Blame = () => undefined;

type Listener = (reason: string, request: MeasureRequest | undefined) => void;

interface Running {
  readonly process: HostProcess;
  readonly hello: HostHello;
  /** Set once the process is gone or its device is lost. */
  ended?: string;
}

/**
 * Opens a device in a host process of its own and measures on it. Resolves when the device is open; rejects with an
 * environment Fault that carries the diagnosis when the host fails to start three times in a row. A variant that hangs,
 * crashes or loses the device resolves with that status, and the next request gets a fresh host.
 */
export async function openBench(
  target: Pick<DeviceTarget, "id" | "environment" | "host">,
  options: BenchOptions,
): Promise<PairBench> {
  const supervisor = new Supervisor(target, options);
  const stop = () => void supervisor.close();
  options.signal?.addEventListener("abort", stop, { once: true });
  const { hello } = await supervisor.running();
  options.signal?.removeEventListener("abort", stop);
  return {
    hello,
    compile: (requests, limitMs) => supervisor.compile(requests, limitMs),
    measure: (request, limitMs) => supervisor.measure(request, limitMs),
    race: (request, limitMs) => supervisor.race(request, limitMs),
    ceilings: (kinds, limitMs) => supervisor.ask("the ceilings", (api) => api.ceilings(kinds), limitMs),
    noise: (samples, limitMs) => supervisor.ask("the noise probe", (api) => api.noise(samples), limitMs),
    trip: (limitMs) => supervisor.ask("the round trip", (api) => api.trip(), limitMs),
    routes: (request) => supervisor.ask("the routes", (api) => api.routes(request)),
    pair: (request) => supervisor.pair(request),
    onRestart: (listener) => supervisor.listeners.push(listener),
    onPhase: (listener) => supervisor.phaseListeners.push(listener),
    close: () => supervisor.close(),
  };
}

class Supervisor {
  readonly listeners: Listener[] = [];
  readonly phaseListeners: ((phase: MeasurePhase) => void)[] = [];
  readonly #target: Pick<DeviceTarget, "id" | "environment" | "host">;
  readonly #options: BenchOptions;
  readonly #deadlines: Deadlines;
  readonly #phases = (phase: MeasurePhase): number => deadlineOf(phase, this.#deadlines);
  #host: Running | undefined;
  #starting: HostProcess | undefined;
  #attendance: Attendance<unknown> | undefined;
  /** Requests run one after another: two at once would disturb each other's time. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Why the last host ended and who was guilty, until its successor runs. */
  #ended: { reason: string; request: MeasureRequest | undefined } | undefined;
  /** Told whose code of a race runs alone. */
  #turn: (index: number) => void = () => {};
  /** Told of each request that was compiled ahead. */
  #compiled: (index: number) => void = () => {};
  #closed = false;

  constructor(target: Pick<DeviceTarget, "id" | "environment" | "host">, options: BenchOptions) {
    this.#target = target;
    this.#options = options;
    this.#deadlines = { ...DEFAULT_DEADLINES, ...options.deadlines };
  }

  async measure(request: MeasureRequest, limitMs?: number): Promise<TrialOutcome> {
    const attended = await this.#request(
      (api) => api.measure(request),
      this.#phases,
      () => request,
      limitMs,
    );
    if ("failure" in attended) return failedOutcome(request, attended.subject, attended.failure);
    // Nothing runs on a lost device any more: the next variant needs a fresh host.
    if (attended.answer.status === "device-lost")
      await this.#drop(attended.answer.reason ?? "device lost", request);
    return attended.answer;
  }

  /** Two variants on one problem: see `pairThrough`. */
  pair(request: PairRequest): Promise<PairOutcome> {
    return pairThrough(request, async (asked) => {
      const attended = await this.#request((api) => api.pair(asked), this.#phases, nobody);
      if ("answer" in attended && lostSide(attended.answer)) await this.#drop("device lost", undefined);
      return attended;
    });
  }

  async compile(requests: readonly MeasureRequest[], limitMs?: number): Promise<CompiledAhead> {
    const left = new Set(requests.keys());
    this.#compiled = (index) => left.delete(index);
    // Who it was is known when one is left: a compiler that hangs holds one thread, the others go on and finish.
    const guilty = (): number | undefined => (left.size === 1 ? [...left][0] : undefined);
    const blame = () => requests[guilty() ?? -1];
    const attended = await this.#request((api) => api.compile(requests), this.#phases, blame, limitMs);
    const index = guilty();
    if ("answer" in attended || index === undefined) return {};
    const { failure, subject } = attended;
    return { guilty: { index, outcome: failedOutcome(requests[index]!, subject, failure) } };
  }

  async race(request: RaceRequest, limitMs?: number): Promise<RacedField> {
    let turn = -1;
    this.#turn = (index) => {
      turn = index;
    };
    const blame = () => request.entries[turn]?.request;
    try {
      const attended = await this.#request((api) => api.race(request), this.#phases, blame, limitMs);
      if ("answer" in attended) return { report: attended.answer };
      const guilty = blame();
      const { failure } = attended;
      const outcome = guilty && failedOutcome(guilty, attended.subject, failure);
      return { reason: reasonOf(failure), ...(outcome ? { guilty: { index: turn, outcome } } : {}) };
    } catch (error) {
      if (error instanceof OutOfTime) throw error;
      const fault = asFault(error, "environment");
      if (fault.kind !== "device-lost") throw fault;
      // Who lost it among those held at once nobody knows: each is measured alone afterwards.
      await this.#drop(fault.message, undefined);
      return { reason: fault.message };
    }
  }

  /** A request that concerns no variant; failing is then the device's fault. */
  async ask<T>(what: string, call: (api: HostApi) => Promise<T>, limitMs?: number): Promise<T> {
    const { compile, verify, measure } = this.#deadlines;
    const attended = await this.#request(call, () => compile + verify + measure, nobody, limitMs);
    if ("answer" in attended) return attended.answer;
    const { failure } = attended;
    throw new Fault(statusOf(failure), `${what} of ${this.#target.id}: ${reasonOf(failure)}`);
  }

  /** The host that runs, started when there is none. @throws OutOfTime when that takes longer than until then. */
  async running(until?: Until): Promise<Running> {
    if (this.#host?.ended) await this.#drop(this.#host.ended, undefined);
    this.#host ??= await this.#start(until);
    return this.#host;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const host = this.#host?.process ?? this.#starting;
    if (!host) return;
    // An idle host leaves in order (drivers write their caches then); one in the middle of something is ended.
    if (!this.#attendance && !this.#starting) {
      void host.api.shutdown().catch(() => {});
      await Promise.race([host.exited, sleep(LEAVE_MS)]);
    }
    await host.kill();
  }

  #request<T>(
    call: (api: HostApi) => Promise<T>,
    phases: (phase: MeasurePhase) => number,
    blame: Blame,
    limitMs?: number,
  ): Promise<Attended<T>> {
    const until = limitMs === undefined ? undefined : untilAfter(limitMs);
    const turn = this.#queue.then(() => this.#run(call, phases, blame, until));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #run<T>(
    call: (api: HostApi) => Promise<T>,
    phases: (phase: MeasurePhase) => number,
    blame: Blame,
    until: Until | undefined,
  ): Promise<Attended<T>> {
    const first = await this.#attempt(call, phases, until);
    const innocent = "failure" in first && first.failure.kind === "exit" && first.failure.phase === "idle";
    if ("answer" in first) return first;
    await this.#drop(reasonOf(first.failure), innocent ? undefined : blame());
    // A host that died before it began anything died of something else: the request deserves a fresh one.
    if (!innocent || this.#closed) return this.#unlessClosed(first);
    const second = await this.#attempt(call, phases, until);
    if ("failure" in second) await this.#drop(reasonOf(second.failure), blame());
    return this.#unlessClosed(second);
  }

  #unlessClosed<T>(attended: Attended<T>): Attended<T> {
    if (this.#closed) throw closedFault(this.#target.id);
    return attended;
  }

  async #attempt<T>(
    call: (api: HostApi) => Promise<T>,
    phases: (phase: MeasurePhase) => number,
    until: Until | undefined,
  ): Promise<Attended<T>> {
    const { process } = await this.running(until);
    const attendance = attend(process, call(process.api), within(phases, until));
    this.#attendance = attendance;
    try {
      const attended = await attendance.result;
      if ("failure" in attended) await this.#giveUp(attended.failure, until);
      return attended;
    } finally {
      this.#attendance = undefined;
    }
  }

  /** Ends a host that the caller's time ran out on. @throws OutOfTime if that is what happened. */
  async #giveUp(failure: Failure, until: Until | undefined): Promise<void> {
    const reason = overdue(failure, until);
    if (reason === undefined) return;
    await this.#drop(reason, undefined);
    throw new OutOfTime(reason);
  }

  async #drop(reason: string, request: MeasureRequest | undefined): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    this.#ended ??= { reason, request };
    await host?.process.kill();
  }

  async #start(until?: Until): Promise<Running> {
    const reasons: string[] = [];
    while (reasons.length < START_ATTEMPTS) {
      if (this.#closed) throw closedFault(this.#target.id);
      const started = await this.#startOnce(until);
      if ("hello" in started) {
        const ended = this.#ended;
        this.#ended = undefined;
        if (ended) for (const listener of this.listeners) listener(ended.reason, ended.request);
        return started;
      }
      await this.#giveUp(started.failure, until);
      reasons.push(reasonOf(started.failure));
    }
    throw await startFault(this.#target, reasons);
  }

  async #startOnce(until?: Until): Promise<Running | { failure: Failure }> {
    const { entry, profile, modules, quantizedTimestamps, beside, toggles } = this.#options;
    const host = {
      ...this.#target.host,
      profile: profile ?? "portable",
      quantizedTimestamps: quantizedTimestamps ?? false,
      ...(modules ? { modules } : {}),
      ...(toggles ? { toggles } : {}),
      ...(beside ? { beside } : {}),
    };
    let running: Running | undefined;
    const process = spawnHost({
      entry,
      environment: this.#target.environment,
      host,
      on: {
        phase: (phase) => {
          this.#attendance?.phase(phase);
          for (const listener of this.phaseListeners) listener(phase);
        },
        compiled: (index) => {
          this.#compiled(index);
          this.#attendance?.compiled(index);
        },
        subject: (subject) => this.#attendance?.subject(subject),
        turn: (index) => {
          this.#turn(index);
          this.#attendance?.turn(index);
        },
        side: (side, subject) => this.#attendance?.side(side, subject),
        lost: (reason) => {
          if (running) running.ended ??= `device lost: ${reason}`;
          this.#attendance?.lost(reason);
        },
      },
    });
    this.#starting = process;
    try {
      const deadline = within(() => this.#deadlines.start, until);
      const attended = await attend(process, process.api.hello(), deadline).result;
      if ("failure" in attended) {
        await process.kill();
        return attended;
      }
      const started: Running = { process, hello: attended.answer };
      running = started;
      void process.exited.then(({ code, signal }) => {
        started.ended ??= `the host ended by itself (${signal ?? `code ${code}`})`;
      });
      return started;
    } catch (error) {
      // The host itself said why it has no device: trying again changes nothing.
      await process.kill();
      throw asFault(error, "environment");
    } finally {
      this.#starting = undefined;
    }
  }
}

function closedFault(id: string): Fault {
  return new Fault("usage", `the bench of ${id} was closed while it worked`);
}
