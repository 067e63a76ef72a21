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
}

/**
 * Candidates that compilers of their own work on while something is timed; whoever is compiled first is timed first, by its compiler,
 * so that a kernel that takes half a minute holds up nothing. The order of trials then follows compile times, the order of proposals
 * the strategy. Where no compiler came, or none is left, the host that times compiles the rest in batches.
 */
export class Pool implements Queue {
  readonly #context: SearchContext;
  readonly #owner: QueueOwner;
  readonly #farm: Farm;
  readonly #batches: BatchQueue;
  readonly #pending: Pending[] = [];
  /** In the order in which they were compiled. */
  readonly #ready: Pending[] = [];
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
    const isReady = (): boolean => this.#ready.length > 0;
    await this.ahead(isReady);
    if (this.#pending.length === 0) return this.#farm.useful ? undefined : this.#batches.next();
    let waitedMs = 0;
    while (!isReady()) {
      // Whatever else is worth measuring is measured while everyone compiles.
      if (await this.#owner.spare()) continue;
      const first = Promise.race(this.#pending.map(({ compiled }) => compiled));
      const waited = await this.#context.recorder.waitFor(first, this.#owner.limitMs());
      if (!waited.result) return undefined;
      waitedMs += waited.costMs;
    }
    return this.#given(this.#ready.shift()!, waitedMs);
  }

  ended(): readonly Waiting[] {
    const ended = this.#ready.filter(({ elsewhere }) => elsewhere!.outcome);
    for (const one of ended) this.#ready.splice(this.#ready.indexOf(one), 1);
    return [...ended.map((one) => this.#given(one, 0)), ...this.#batches.ended()];
  }

  #given(one: Pending, waitedMs: number): Waiting {
    this.#pending.splice(this.#pending.indexOf(one), 1);
    const { candidate, planned, elsewhere } = one;
    const { held, outcome } = elsewhere!;
    return {
      candidate,
      planned,
      compileMs: 0,
      waitedMs,
      ...(held ? { held } : {}),
      ...(outcome ? { outcome: completed(outcome, this.#context) } : {}),
    };
  }

  /** Keeps the compilers busy. Proposing costs the session's own core, not the device: it may go on beside a trial. */
  async ahead(enough: () => boolean): Promise<void> {
    while (
      this.#farm.useful &&
      !this.#exhausted &&
      this.#pending.length < this.#farm.room &&
      !enough() &&
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

  #hand({ candidate, planned }: Pick<Pending, "candidate" | "planned">): void {
    const request = requestFor(this.#context, planned, "screened", false);
    const known = this.#owner.measured(planned);
    const compiled = known ? Promise.resolve({}) : this.#farm.compile(planned.hash, request);
    const pending: Pending = { candidate, planned, compiled };
    this.#pending.push(pending);
    void compiled.then((elsewhere) => {
      pending.elsewhere = elsewhere;
      this.#ready.push(pending);
    });
  }
}
