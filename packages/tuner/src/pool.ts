import type { Planned } from "./candidate.ts";
import type { Elsewhere, Farm } from "./farm.ts";
import { BatchQueue, completed, proposeOne, type Queue, type QueueOwner, type Waiting } from "./queue.ts";
import { requestFor } from "./request.ts";
import type { SearchContext } from "./search-context.ts";
import type { Candidate } from "./strategies/strategy.ts";

interface Pending {
  readonly candidate: Candidate;
  readonly planned: Planned;
  readonly compiled: Promise<Elsewhere>;
  /** Set once compiled. */
  elsewhere?: Elsewhere;
  /** Its part of the time in which the host that times took the compiled ones from the driver's cache, in ms; unset before. */
  loadMs?: number;
}

/**
 * Candidates that compilers of their own work on while something is timed; whoever is compiled first is timed first, so that a kernel
 * that takes half a minute holds up nothing. The order of trials then follows compile times, the order of proposals the strategy.
 * Where the compilers turn out to be of no use the rest is compiled in batches by the host that times.
 */
export class Pool implements Queue {
  readonly #context: SearchContext;
  readonly #owner: QueueOwner;
  readonly #farm: Farm;
  readonly #batches: BatchQueue;
  readonly #pending: Pending[] = [];
  #exhausted = false;
  #proposed = 0;

  constructor(context: SearchContext, owner: QueueOwner, farm: Farm) {
    this.#context = context;
    this.#owner = owner;
    this.#farm = farm;
    this.#batches = new BatchQueue(context, owner);
  }

  get proposed(): number {
    return this.#proposed + this.#batches.proposed;
  }

  get complete(): boolean {
    return this.#pending.length === 0 && (this.#exhausted || this.#batches.complete);
  }

  async next(): Promise<Waiting | undefined> {
    await this.ahead();
    if (this.#pending.length === 0) return this.#farm.useful ? undefined : this.#batches.next();
    let waitedMs = 0;
    while (!this.#ready()) {
      // Whatever else is worth measuring is measured while everyone compiles.
      if (await this.#owner.spare()) continue;
      const first = Promise.race(this.#pending.map(({ compiled }) => compiled));
      const waited = await this.#context.recorder.waitFor(first, this.#owner.limitMs());
      if (!waited.result) return undefined;
      waitedMs += waited.costMs;
    }
    const loaded = (): Pending | undefined => this.#pending.find(({ loadMs }) => loadMs !== undefined);
    if (!loaded()) await this.#load();
    const one = loaded() ?? this.#ready()!;
    this.#pending.splice(this.#pending.indexOf(one), 1);
    const { candidate, planned, elsewhere, loadMs = 0 } = one;
    const { ms, outcome } = elsewhere!;
    return {
      candidate,
      planned,
      compileMs: waitedMs + loadMs,
      ...(ms > 0 ? { elsewhereMs: ms } : {}),
      ...(outcome ? { outcome: completed(outcome, this.#context) } : {}),
    };
  }

  /** Keeps the compilers busy. Proposing costs the session's own core, not the device: it may go on beside a trial. */
  async ahead(): Promise<void> {
    while (
      this.#farm.useful &&
      !this.#exhausted &&
      this.#pending.length < this.#farm.room &&
      this.#owner.more()
    ) {
      if (this.#pending.length > 0 && this.#owner.room() <= this.#pending.length) return;
      const one = await proposeOne(this.#context, this.#owner);
      if (!one) {
        this.#exhausted = true;
        return;
      }
      this.#proposed++;
      if (one !== "refused") this.#hand(one);
    }
  }

  #ready(): Pending | undefined {
    return this.#pending.find(({ elsewhere }) => elsewhere !== undefined);
  }

  #hand({ candidate, planned }: Pick<Pending, "candidate" | "planned">): void {
    if (this.#owner.measured(planned)) {
      const elsewhere = { ms: 0 };
      this.#pending.push({ candidate, planned, compiled: Promise.resolve(elsewhere), elsewhere, loadMs: 0 });
      return;
    }
    const request = requestFor(this.#context, planned, "screened", false);
    const compiled = this.#farm.compile(planned.hash, request);
    const pending: Pending = { candidate, planned, compiled };
    this.#pending.push(pending);
    void compiled.then((elsewhere) => {
      pending.elsewhere = elsewhere;
    });
  }

  /**
   * Has the host that times take all that are ready from the driver's cache side by side: one after another each would cost a trial
   * some 0.1 s on one core. One alone is taken as it is measured.
   */
  async #load(): Promise<void> {
    const fresh = this.#pending.filter(
      ({ elsewhere, loadMs }) => loadMs === undefined && elsewhere && elsewhere.ms > 0 && !elsewhere.outcome,
    );
    if (fresh.length < 2) return;
    const requests = fresh.map(({ planned }) => requestFor(this.#context, planned, "screened", false));
    const { guilty, costMs } = await this.#context.recorder.compile(requests, this.#owner.limitMs());
    for (const one of fresh) one.loadMs = costMs / fresh.length;
    const one = guilty && fresh[guilty.index];
    if (one) one.elsewhere = { ms: one.elsewhere!.ms, outcome: guilty.outcome };
  }
}
