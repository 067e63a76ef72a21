import type { Planned } from "./candidate.ts";
import { type Elsewhere, type Farm, POOL } from "./farm.ts";
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
    const known = await this.#fill();
    if (known) return known;
    if (this.#pending.length === 0) return this.#farm.useful ? undefined : this.#batches.next();
    const { recorder } = this.#context;
    const ready = (): number => this.#pending.findIndex(({ elsewhere }) => elsewhere !== undefined);
    let waitedMs = 0;
    if (ready() < 0) {
      const first = Promise.race(this.#pending.map(({ compiled }) => compiled));
      const waited = await recorder.waitFor(first, this.#owner.limitMs());
      if (!waited.result) return undefined;
      waitedMs = waited.costMs;
    }
    const [one] = this.#pending.splice(ready(), 1);
    const { candidate, planned, elsewhere } = one!;
    const { ms, outcome } = elsewhere!;
    return {
      candidate,
      planned,
      compileMs: waitedMs,
      ...(ms > 0 ? { elsewhereMs: ms } : {}),
      ...(outcome ? { outcome: completed(outcome, this.#context) } : {}),
    };
  }

  /** Keeps the compilers busy; returns early with a candidate whose plan needs none, for it was measured before. */
  async #fill(): Promise<Waiting | undefined> {
    while (this.#farm.useful && !this.#exhausted && this.#pending.length < POOL && this.#owner.more()) {
      if (this.#pending.length > 0 && this.#owner.room() <= this.#pending.length) return undefined;
      const one = await proposeOne(this.#context, this.#owner);
      if (!one) {
        this.#exhausted = true;
        return undefined;
      }
      this.#proposed++;
      if (one === "refused") continue;
      if (this.#owner.measured(one.planned)) return { ...one, compileMs: 0 };
      this.#hand(one);
    }
    return undefined;
  }

  #hand({ candidate, planned }: Pick<Pending, "candidate" | "planned">): void {
    const request = requestFor(this.#context, planned, "screened", false);
    const compiled = this.#farm.compile(planned.hash, request);
    const pending: Pending = { candidate, planned, compiled };
    this.#pending.push(pending);
    void compiled.then((elsewhere) => {
      pending.elsewhere = elsewhere;
    });
  }
}
