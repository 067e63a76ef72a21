import {
  asFault,
  Fault,
  type MeasureRequest,
  type PairOutcome,
  type PairRequest,
  type RaceRequest,
  type TrialOutcome,
} from "@tunelab/contract";
import { type BenchOptions, type BenchTarget, HostKeeper, nobody } from "./keeper.ts";
import { failedOutcome, reasonOf, statusOf } from "./outcome.ts";
import { lostSide, pairThrough } from "./pair.ts";
import { type CompiledAhead, type HostApi, OutOfTime, type PairBench, type RacedField } from "./protocol.ts";

/**
 * Opens a device in a host process of its own and measures on it. Resolves when the device is open; rejects with an
 * environment Fault that carries the diagnosis when the host fails to start three times in a row. A variant that hangs,
 * crashes or loses the device resolves with that status, and the next request gets a fresh host.
 */
export async function openBench(target: BenchTarget, options: BenchOptions): Promise<PairBench> {
  const keeper = new HostKeeper(target, options);
  const stop = () => void keeper.close();
  options.signal?.addEventListener("abort", stop, { once: true });
  const { hello } = await keeper.running().finally(() => options.signal?.removeEventListener("abort", stop));
  const supervisor = new Supervisor(target.id, keeper);
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
    onRestart: (listener) => keeper.listeners.push(listener),
    onPhase: (listener) => keeper.phaseListeners.push(listener),
    close: () => keeper.close(),
  };
}

/** What is asked of a device's hosts, and who is to blame when one fails. */
class Supervisor {
  readonly #id: string;
  readonly #keeper: HostKeeper;

  constructor(id: string, keeper: HostKeeper) {
    this.#id = id;
    this.#keeper = keeper;
  }

  async measure(request: MeasureRequest, limitMs?: number): Promise<TrialOutcome> {
    const attended = await this.#keeper.request(
      (api) => api.measure(request),
      this.#keeper.phases,
      () => request,
      limitMs,
    );
    if ("failure" in attended) return failedOutcome(request, attended.subject, attended.failure);
    // Nothing runs on a lost device any more: the next variant needs a fresh host.
    if (attended.answer.status === "device-lost")
      await this.#keeper.drop(attended.answer.reason ?? "device lost", request);
    return attended.answer;
  }

  /** Two variants on one problem: see `pairThrough`. */
  pair(request: PairRequest): Promise<PairOutcome> {
    return pairThrough(request, async (asked) => {
      const attended = await this.#keeper.request((api) => api.pair(asked), this.#keeper.phases, nobody);
      if ("answer" in attended && lostSide(attended.answer))
        await this.#keeper.drop("device lost", undefined);
      return attended;
    });
  }

  async compile(requests: readonly MeasureRequest[], limitMs?: number): Promise<CompiledAhead> {
    const left = new Set(requests.keys());
    this.#keeper.onCompiled = (index) => left.delete(index);
    // Who it was is known when one is left: a compiler that hangs holds one thread, the others go on and finish.
    const guilty = (): number | undefined => (left.size === 1 ? [...left][0] : undefined);
    const blame = () => requests[guilty() ?? -1];
    const attended = await this.#keeper.request(
      (api) => api.compile(requests),
      this.#keeper.phases,
      blame,
      limitMs,
    );
    const index = guilty();
    if ("answer" in attended || index === undefined) return {};
    const { failure, subject } = attended;
    return { guilty: { index, outcome: failedOutcome(requests[index]!, subject, failure) } };
  }

  async race(request: RaceRequest, limitMs?: number): Promise<RacedField> {
    let turn = -1;
    this.#keeper.onTurn = (index) => {
      turn = index;
    };
    const blame = () => request.entries[turn]?.request;
    try {
      const attended = await this.#keeper.request(
        (api) => api.race(request),
        this.#keeper.phases,
        blame,
        limitMs,
      );
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
      await this.#keeper.drop(fault.message, undefined);
      return { reason: fault.message };
    }
  }

  /** A request that concerns no variant; failing is then the device's fault. */
  async ask<T>(what: string, call: (api: HostApi) => Promise<T>, limitMs?: number): Promise<T> {
    const { compile, verify, measure } = this.#keeper.deadlines;
    const attended = await this.#keeper.request(call, () => compile + verify + measure, nobody, limitMs);
    if ("answer" in attended) return attended.answer;
    const { failure } = attended;
    throw new Fault(statusOf(failure), `${what} of ${this.#id}: ${reasonOf(failure)}`);
  }
}
