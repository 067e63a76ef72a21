import { QuadMachine, type QuadOutcome } from "./quad-run.ts";
import type { QuadRules } from "./quads.ts";
import type { Lane, Racer } from "./race-rounds.ts";

/** One meeting in the finals: `against` in quads with the champion of the time; ratios are its time over the champion's. */
export interface Meeting<E extends Racer> {
  readonly champion: E;
  readonly against: E;
  readonly outcome: QuadOutcome;
}

/** A finalist against the champion: log ratio of times with its interval. */
export interface Gap {
  readonly log: number;
  readonly low: number;
  readonly high: number;
}

/** The champion's own gap. */
export const EVEN: Gap = { log: 0, low: 0, high: 0 };

/**
 * The last few in paired quads: the champion (at first the leader of the rounds) meets each of the others in the order of their
 * scores, and is replaced by whoever is faster beyond the gate.
 */
export class Finals<E extends Racer> {
  readonly meetings: Meeting<E>[] = [];
  #champion: Lane<E>;
  readonly #waiting: Lane<E>[];
  readonly #rules: QuadRules;
  readonly #rounding: number;
  readonly #gaps = new Map<Lane<E>, Gap>();
  #machine: QuadMachine | undefined;

  constructor(finalists: readonly Lane<E>[], rules: QuadRules, rounding: number) {
    this.#champion = finalists[0]!;
    this.#waiting = finalists.slice(1);
    this.#rules = rules;
    this.#rounding = rounding;
  }

  get champion(): Lane<E> {
    return this.#champion;
  }

  /** Gaps of those that met a champion, to the last one. */
  get gaps(): ReadonlyMap<Lane<E>, Gap> {
    return this.#gaps;
  }

  /** The next to run and whom it meets; undefined when all have met. */
  next(): { readonly lane: Lane<E>; readonly pair: readonly Lane<E>[]; readonly timed: boolean } | undefined {
    const against = this.#waiting[0];
    if (!against) return undefined;
    this.#machine ??= new QuadMachine(this.#rules, this.#rounding);
    const request = this.#machine.next()!;
    const pair = [this.#champion, against];
    return { lane: request.side === "A" ? this.#champion : against, pair, timed: request.timed };
  }

  take(ns: number): void {
    this.#machine?.take(ns);
    if (this.#machine && !this.#machine.next()) this.#close(this.#machine.outcome());
  }

  /** Who was next cannot run any more: a champion that fails hands over to whom it met. */
  fail(reason: string): void {
    const failing = this.next();
    if (!failing || !this.#machine) return;
    failing.lane.state = "failed";
    failing.lane.reason = reason;
    this.#machine.end("invalid", reason);
    const [against] = this.#waiting;
    this.#note(this.#machine.outcome());
    if (failing.lane !== this.#champion) return;
    // What the others' gaps were measured from is gone: they stay ties.
    this.#gaps.clear();
    this.#champion = against!;
  }

  /** Adds the meeting and takes the machine away. */
  #note(outcome: QuadOutcome): Lane<E> {
    const against = this.#waiting.shift()!;
    this.meetings.push({ champion: this.#champion.entry, against: against.entry, outcome });
    this.#machine = undefined;
    return against;
  }

  #close(outcome: QuadOutcome): void {
    const against = this.#note(outcome);
    if (outcome.ending === "invalid") {
      against.state = "failed";
      against.reason = outcome.reason ?? "no usable samples";
      return;
    }
    const gap = { log: Math.log(outcome.ratio), low: Math.log(outcome.low), high: Math.log(outcome.high) };
    if (outcome.verdict !== "changed" || outcome.ratio > 1) {
      this.#gaps.set(against, gap);
      return;
    }
    // The new champion is gap.log away from the old one, and so are all whom the old one met.
    this.#gaps.set(this.#champion, EVEN);
    for (const [lane, { log, low, high }] of this.#gaps) {
      this.#gaps.set(lane, { log: log - gap.log, low: low - gap.high, high: high - gap.low });
    }
    this.#champion = against;
  }
}
