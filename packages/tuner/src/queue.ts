import type { TrialOutcome } from "@tunelab/contract";
import { type Planned, planCandidate, type Refused, type Searched } from "./candidate.ts";
import type { Held } from "./farm.ts";
import { requestFor } from "./request.ts";
import type { SearchContext } from "./search-context.ts";
import type { Candidate } from "./strategies/strategy.ts";
import type { Estimate } from "./types.ts";

/** A candidate whose turn comes next. */
export interface Waiting {
  readonly candidate: Candidate;
  readonly planned: Planned;
  /** Its part of the time that compiling the batch took, in ms of wall time. */
  readonly compileMs: number;
  /** How long compilers were waited for before it, in ms. */
  readonly waitedMs?: number;
  /** The compiler that holds its code and times it; the host that times where there is none. */
  readonly held?: Held;
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
  /** How long compiling may take now, in ms. */
  readonly limitMs: () => number;
  /** Measures something else that is worth it while candidates compile; false when there is nothing. */
  readonly spare: () => Promise<boolean>;
  /** How far the session is. */
  readonly estimate: () => Estimate;
}

/** Where the next candidate comes from. */
export interface Queue {
  /** Candidates taken from the strategy so far. */
  readonly proposed: number;
  /** Whether the strategy has run out and nothing waits. */
  readonly complete: boolean;
  /** The next candidate; undefined when there is none left, or no time to look for one. */
  next(): Promise<Waiting | undefined>;
  /** Prepares what it can of the next ones, until that is `enough`: while one is timed. */
  ahead(enough: () => boolean): Promise<void>;
  /** Takes what compiling ended whose turn has not come: recording it costs no time, compiling it again would, in the session resumed. */
  ended(): readonly Waiting[];
}

/**
 * The strategy's next candidate, planned; "refused" when it does not fit the device (the owner has heard of it), undefined when there
 * are no more.
 */
export async function proposeOne(
  { problem, searched, capabilities, strategy }: SearchContext,
  owner: QueueOwner,
): Promise<{ readonly candidate: Candidate; readonly planned: Planned } | "refused" | undefined> {
  const candidate = strategy.propose();
  if (!candidate) return undefined;
  const planned = await planCandidate(
    algorithmOf(searched, candidate)!, // the session's guard lets no other through
    problem,
    candidate.config,
    capabilities,
  );
  if (!("limit" in planned)) return { candidate, planned };
  owner.refused(candidate, planned);
  return "refused";
}

/** An outcome of a host that died compiling, before it could say what the work is. */
export function completed(outcome: TrialOutcome, { suite, problem }: SearchContext): TrialOutcome {
  return { ...outcome, epoch: suite.epoch, work: suite.work(problem) };
}

/**
 * Candidates proposed, planned and compiled before their turn. Compiling is most of a session on hardware and uses one core a
 * pipeline: a batch is compiled side by side, then timed one after another, so that no compiler runs beside a timing.
 */
export class BatchQueue implements Queue {
  readonly #context: SearchContext;
  readonly #owner: QueueOwner;
  #waiting: Waiting[] = [];
  #exhausted = false;
  #proposed = 0;

  constructor(context: SearchContext, owner: QueueOwner) {
    this.#context = context;
    this.#owner = owner;
  }

  get proposed(): number {
    return this.#proposed;
  }

  get complete(): boolean {
    return this.#exhausted && this.#waiting.length === 0;
  }

  /** A batch of as many as there is room for is proposed and compiled when none waits. */
  async next(): Promise<Waiting | undefined> {
    if (this.#waiting.length === 0) await this.#fill();
    return this.#waiting.shift();
  }

  /** Nothing: the next batch follows from the results of this one. */
  async ahead(): Promise<void> {}

  ended(): readonly Waiting[] {
    return this.#waiting.splice(0).filter(({ outcome }) => outcome);
  }

  async #fill(): Promise<void> {
    const batch: Omit<Waiting, "compileMs">[] = [];
    const plans = new Set<string>();
    const wanted = Math.max(1, this.#owner.room());
    while (plans.size < wanted && batch.length < MOST_A_PLAN * wanted && this.#owner.more()) {
      const one = await proposeOne(this.#context, this.#owner);
      if (!one) {
        this.#exhausted = true;
        break;
      }
      this.#proposed++;
      if (one === "refused") continue;
      batch.push(one);
      if (!this.#owner.measured(one.planned)) plans.add(one.planned.hash);
    }
    this.#waiting = await this.#compiled(batch);
  }

  async #compiled(batch: readonly Omit<Waiting, "compileMs">[]): Promise<Waiting[]> {
    const { recorder, progress } = this.#context;
    const fresh = new Map<string, Planned>();
    for (const { planned } of batch) if (!this.#owner.measured(planned)) fresh.set(planned.hash, planned);
    const plans = [...fresh.values()];
    // One alone is compiled as it is measured.
    if (plans.length < 2) return batch.map((one) => ({ ...one, compileMs: 0 }));
    progress({ kind: "compiling", variants: plans.length, estimate: this.#owner.estimate() });
    const requests = plans.map((planned) => requestFor(this.#context, planned, "screened", false));
    const { guilty, costMs } = await recorder.compile(requests, this.#owner.limitMs());
    const guiltyHash = guilty && plans[guilty.index]?.hash;
    return batch.map((one) => {
      const isGuilty = guilty !== undefined && one.planned.hash === guiltyHash;
      return {
        ...one,
        compileMs: fresh.has(one.planned.hash) ? costMs / plans.length : 0,
        ...(isGuilty ? { outcome: completed(guilty.outcome, this.#context) } : {}),
      };
    });
  }
}

/** The algorithm a candidate names, with its space. */
export function algorithmOf(
  searched: readonly Searched[],
  { algorithm: name }: Candidate,
): Searched | undefined {
  return searched.find(({ algorithm }) => algorithm.name === name);
}
