import type { MeasureRequest, TrialOutcome } from "@tunelab/contract";
import { type Planned, planCandidate, type Refused, type Searched } from "./candidate.ts";
import { type Elsewhere, FARM_BATCH, FARM_DEPTH } from "./farm.ts";
import { requestFor } from "./request.ts";
import type { SearchContext } from "./search.ts";
import type { Candidate } from "./strategies/strategy.ts";
import type { Estimate } from "./types.ts";

/** A candidate whose turn comes next. */
export interface Waiting {
  readonly candidate: Candidate;
  readonly planned: Planned;
  /** Its part of the time that compiling the batch took, in ms of wall time. */
  readonly compileMs: number;
  /** What a compiler elsewhere took for it, in ms; absent when nobody did. */
  readonly elsewhereMs?: number;
  /** Present when compiling ended the host and this was the variant that did it. */
  readonly outcome?: TrialOutcome;
}

/** Candidates a batch holds at most for each plan to compile: those that come to a known plan wait with the others. */
const MOST_A_PLAN = 4;

/** What the queue asks of the search it serves. */
export interface QueueOwner {
  /** Whether a plan was measured already, here or in the session that is resumed. */
  readonly measured: (planned: Planned) => boolean;
  /** A candidate that does not fit the device: it never waits. */
  readonly refused: (candidate: Candidate, refused: Refused) => void;
  /** Candidates worth compiling now: as many as will probably still be timed. */
  readonly room: () => number;
  /** Whether there is time for one more. */
  readonly more: () => boolean;
  /** How far the session is. */
  readonly estimate: () => Estimate;
}

interface Proposed {
  readonly candidate: Candidate;
  readonly planned: Planned;
}

/** Candidates proposed together, and what compilers elsewhere make of the plans among them that are new, by hash. */
interface Batch {
  readonly all: readonly Proposed[];
  readonly fresh: readonly Planned[];
  readonly elsewhere: ReadonlyMap<string, Promise<Elsewhere>>;
}

/**
 * Candidates proposed, planned and compiled before their turn. Compiling is most of a session on hardware and uses one core a
 * pipeline: a batch is compiled side by side, then timed one after another, so that no compiler runs in the host that times. Where
 * there are compilers of their own (see `Farm`), the next batches are compiled there meanwhile, and the timing host finds the
 * machine code in the driver's cache.
 */
export class Queue {
  readonly #context: SearchContext;
  readonly #owner: QueueOwner;
  readonly #batches: Batch[] = [];
  #waiting: Waiting[] = [];
  #compiling = 0;
  #exhausted = false;
  #proposed = 0;

  constructor(context: SearchContext, owner: QueueOwner) {
    this.#context = context;
    this.#owner = owner;
  }

  /** Candidates taken from the strategy so far. */
  get proposed(): number {
    return this.#proposed;
  }

  /** Whether the strategy has run out and nothing waits. */
  get complete(): boolean {
    return this.#exhausted && this.#waiting.length === 0 && this.#batches.length === 0;
  }

  /**
   * The next candidate; when none waits, a batch is proposed and compiled, and others after it are handed to the compilers.
   * Undefined when there is no candidate left, or no time to look for one.
   */
  async next(): Promise<Waiting | undefined> {
    while (this.#waiting.length === 0) {
      const batch = this.#batches.shift() ?? (await this.#propose());
      if (!batch) return undefined;
      this.#compiling = batch.fresh.length;
      [this.#waiting] = await Promise.all([this.#compiled(batch), this.#look()]);
      this.#compiling = 0;
    }
    return this.#waiting.shift();
  }

  /** Hands the next batches to the compilers, who are idle or about to be. */
  async #look(): Promise<void> {
    const { farm } = this.#context;
    while (farm?.useful && this.#batches.length < FARM_DEPTH) {
      const batch = await this.#propose();
      if (!batch) return;
      this.#batches.push(batch);
    }
  }

  /** Plans that are proposed and not yet timed. */
  #ahead(): number {
    return (
      this.#waiting.length + this.#compiling + this.#batches.reduce((sum, { fresh }) => sum + fresh.length, 0)
    );
  }

  async #propose(): Promise<Batch | undefined> {
    const { problem, searched, capabilities, strategy, farm } = this.#context;
    const all: Proposed[] = [];
    const plans = new Map<string, Planned>();
    const room = this.#owner.room() - this.#ahead();
    const looksAhead = this.#ahead() > 0;
    if (looksAhead && room < 1) return undefined;
    const wanted = Math.max(1, farm?.useful ? Math.min(room, FARM_BATCH) : room);
    while (plans.size < wanted && all.length < MOST_A_PLAN * wanted && this.#owner.more()) {
      const candidate = strategy.propose();
      if (!candidate) {
        this.#exhausted = true;
        break;
      }
      this.#proposed++;
      const planned = await planCandidate(
        algorithmOf(searched, candidate)!, // the session's guard lets no other through
        problem,
        candidate.config,
        capabilities,
      );
      if ("limit" in planned) this.#owner.refused(candidate, planned);
      else {
        all.push({ candidate, planned });
        if (!this.#owner.measured(planned)) plans.set(planned.hash, planned);
      }
    }
    if (all.length === 0) return undefined;
    const fresh = [...plans.values()];
    const elsewhere = new Map(
      farm?.useful
        ? fresh.map((planned) => [planned.hash, farm.compile(planned.hash, this.#request(planned))])
        : [],
    );
    return { all, fresh, elsewhere };
  }

  #request(planned: Planned): MeasureRequest {
    return requestFor(this.#context, planned, "screened", false);
  }

  async #compiled({ all, fresh, elsewhere }: Batch): Promise<Waiting[]> {
    const { recorder, progress, farm } = this.#context;
    // One alone is compiled as it is measured.
    if (fresh.length < 2 && elsewhere.size === 0) return all.map((one) => ({ ...one, compileMs: 0 }));
    progress({ kind: "compiling", variants: fresh.length, estimate: this.#owner.estimate() });
    const { result: found, costMs: waitedMs } = await recorder.waitFor(Promise.all(elsewhere.values()));
    const others = new Map([...elsewhere.keys()].map((hash, index) => [hash, found[index]!]));
    const outcomes = new Map<string, TrialOutcome>();
    for (const [hash, { outcome }] of others) if (outcome) outcomes.set(hash, outcome);
    const plans = fresh.filter(({ hash }) => !outcomes.has(hash));
    const { guilty, costMs } = await recorder.compile(plans.map((planned) => this.#request(planned)));
    if (guilty) outcomes.set(plans[guilty.index]!.hash, guilty.outcome);
    farm?.look(costMs, Math.max(0, ...found.map(({ ms }) => ms)));
    const isFresh = new Set(fresh.map(({ hash }) => hash));
    return all.map((one) =>
      this.#entry(one, {
        compileMs: isFresh.has(one.planned.hash) ? (waitedMs + costMs) / fresh.length : 0,
        elsewhereMs: others.get(one.planned.hash)?.ms ?? 0,
        outcome: outcomes.get(one.planned.hash),
      }),
    );
  }

  #entry(
    { candidate, planned }: Proposed,
    {
      compileMs,
      elsewhereMs,
      outcome,
    }: { compileMs: number; elsewhereMs: number; outcome: TrialOutcome | undefined },
  ): Waiting {
    const { suite, problem } = this.#context;
    return {
      candidate,
      planned,
      compileMs,
      ...(elsewhereMs > 0 ? { elsewhereMs } : {}),
      // The host died before it could say what the work is.
      ...(outcome ? { outcome: { ...outcome, epoch: suite.epoch, work: suite.work(problem) } } : {}),
    };
  }
}

/** The algorithm a candidate names, with its space. */
export function algorithmOf(
  searched: readonly Searched[],
  { algorithm: name }: Candidate,
): Searched | undefined {
  return searched.find(({ algorithm }) => algorithm.name === name);
}
