import { setTimeout as sleep } from "node:timers/promises";
import { asFault, Fault, type MeasurePhase, type MeasureRequest, type ProfileName } from "@tunelab/contract";
import { type Attendance, type Attended, attend } from "./attend.ts";
import { DEFAULT_DEADLINES, deadlineOf, LEAVE_MS } from "./deadlines.ts";
import type { DeviceTarget } from "./discover.ts";
import { type Failure, reasonOf } from "./outcome.ts";
import type { Deadlines, HostApi, HostHello, HostOptions } from "./protocol.ts";
import { OutOfTime } from "./protocol.ts";
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

/** The device that a bench is on. */
export type BenchTarget = Pick<DeviceTarget, "id" | "environment" | "host">;

/** Starts in a row that may fail before the machine, not the variant, is to blame. */
const START_ATTEMPTS = 3;

/** The variant a failure is put down to, asked when it has happened. */
export type Blame = () => MeasureRequest | undefined;

export const nobody: Blame = () => undefined;

export type RestartListener = (reason: string, request: MeasureRequest | undefined) => void;

interface Running {
  readonly process: HostProcess;
  readonly hello: HostHello;
  /** Set once the process is gone or its device is lost. */
  ended?: string;
}

/** One host at a time: started when something is asked of it, ended when it fails or time is over, and started again for the next request. */
export class HostKeeper {
  readonly listeners: RestartListener[] = [];
  readonly phaseListeners: ((phase: MeasurePhase) => void)[] = [];
  readonly deadlines: Deadlines;
  /** Told whose code of a race runs alone. */
  onTurn: (index: number) => void = () => {};
  /** Told of each request that was compiled ahead. */
  onCompiled: (index: number) => void = () => {};
  readonly #target: BenchTarget;
  readonly #options: BenchOptions;
  #host: Running | undefined;
  #starting: HostProcess | undefined;
  #attendance: Attendance<unknown> | undefined;
  /** Requests run one after another: two at once would disturb each other's time. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Why the last host ended and who was guilty, until its successor runs. */
  #ended: { reason: string; request: MeasureRequest | undefined } | undefined;
  #closed = false;

  constructor(target: BenchTarget, options: BenchOptions) {
    this.#target = target;
    this.#options = options;
    this.deadlines = { ...DEFAULT_DEADLINES, ...options.deadlines };
  }

  /** How long a phase of a request may take. */
  readonly phases = (phase: MeasurePhase): number => deadlineOf(phase, this.deadlines);

  /** The host that runs, started when there is none. @throws OutOfTime when that takes longer than until then. */
  async running(until?: Until): Promise<Running> {
    if (this.#host?.ended) await this.drop(this.#host.ended, undefined);
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

  /** A request in its turn, `limitMs` from now at most. @throws OutOfTime when that was over; Fault when closed meanwhile. */
  request<T>(
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
    await this.drop(reasonOf(first.failure), innocent ? undefined : blame());
    // A host that died before it began anything died of something else: the request deserves a fresh one.
    if (!innocent || this.#closed) return this.#unlessClosed(first);
    const second = await this.#attempt(call, phases, until);
    if ("failure" in second) await this.drop(reasonOf(second.failure), blame());
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
    await this.drop(reason, undefined);
    throw new OutOfTime(reason);
  }

  /** Ends the host; the next one's start tells listeners why, and whose fault it was. */
  async drop(reason: string, request: MeasureRequest | undefined): Promise<void> {
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
          this.onCompiled(index);
          this.#attendance?.compiled(index);
        },
        subject: (subject) => this.#attendance?.subject(subject),
        turn: (index) => {
          this.onTurn(index);
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
      const deadline = within(() => this.deadlines.start, until);
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
