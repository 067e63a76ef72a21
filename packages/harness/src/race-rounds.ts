import { ATTEMPTS_PER_SAMPLE, RACE } from "./protocol.ts";
import { behind, scores } from "./race-cuts.ts";

/** Something that races: a variant with its label. */
export interface Racer {
  readonly id: string;
  /** The incumbent and the default configuration: raced to the end, however slow. */
  readonly keep?: boolean;
}

/** A racer on the track. */
export interface Lane<E extends Racer> {
  readonly entry: E;
  /** Log times less the reference of the heat, one a round. */
  readonly log: number[];
  /** Accepted samples in ns, in order of measurement; more than the rounds for who was the reference of several heats. */
  readonly samplesNs: number[];
  rejected: number;
  state: "racing" | "behind" | "dropped" | "crowded" | "failed";
  /** Why, unless racing. */
  reason?: string;
  /** When cut: log of its time over the leader's, at least. */
  least?: number;
}

/** Shuffles a list: a seeded source, so that a race can be run again. */
export type Shuffle = <T>(list: readonly T[]) => T[];

/** Fisher-Yates on a source of uniforms in [0, 1); `list` stays as it is. */
export const shuffleBy =
  (uniform: () => number): Shuffle =>
  (list) => {
    const copy = [...list];
    for (let end = copy.length - 1; end > 0; end -= 1) {
      const pick = Math.floor(uniform() * (end + 1));
      [copy[end], copy[pick]] = [copy[pick]!, copy[end]!];
    }
    return copy;
  };

/**
 * The rounds of a race: in each, every live entry runs once in random order, in heats of at most 64. Where there are several
 * heats the leader runs in each, and times count relative to it. Entries are compared by their differences
 * within the rounds, in log time, so that drift and clock states, which hit all alike, cancel.
 */
export class Rounds<E extends Racer> {
  readonly lanes: readonly Lane<E>[];
  readonly #shuffle: Shuffle;
  #heats: Lane<E>[][] = [];
  #heat: Lane<E>[] = [];
  #pending: Lane<E>[] = [];
  #reference: Lane<E> | undefined;
  #readings = new Map<Lane<E>, number>();
  #attempts = 0;
  #done = 0;
  /** Of the last whole round; ranking takes time, and contenders are asked for before each sample. */
  #order: readonly Lane<E>[] | undefined;

  constructor(entries: readonly E[], shuffle: Shuffle) {
    this.#shuffle = shuffle;
    this.lanes = entries.map((entry) => ({ entry, log: [], samplesNs: [], rejected: 0, state: "racing" }));
  }

  /** Whole rounds run. */
  get done(): number {
    return this.#done;
  }

  /** Everyone who still runs: racing, or behind but kept. */
  get live(): readonly Lane<E>[] {
    return this.lanes.filter(({ state }) => state === "racing" || state === "behind");
  }

  /** Who may still be the fastest, the fastest first as of the last whole round; equal scores in the order given. */
  get contenders(): readonly Lane<E>[] {
    this.#order ??= this.#inOrder();
    return this.#order.filter(({ state }) => state === "racing");
  }

  /** The next to run and the heat it is in; undefined when nobody is left. */
  next(): { readonly lane: Lane<E>; readonly heat: readonly Lane<E>[] } | undefined {
    for (;;) {
      const lane = this.#pending[0];
      if (lane) return { lane, heat: this.#heat };
      if (this.#heats.length === 0 && !this.#openRound()) return undefined;
      this.#heat = this.#heats.shift()!;
      this.#pending = [...this.#heat];
      this.#readings = new Map();
    }
  }

  /** Takes the reading of who was next: ns, or no positive number for a rejected sample, which is taken again. */
  take(ns: number): void {
    const lane = this.#pending[0];
    if (!lane) return;
    this.#attempts += 1;
    if (ns > 0 && Number.isFinite(ns)) {
      lane.samplesNs.push(ns);
      this.#readings.set(lane, Math.log(ns));
      this.#advance();
    } else {
      lane.rejected += 1;
      if (this.#attempts >= ATTEMPTS_PER_SAMPLE)
        this.fail(`no time in ${this.#attempts} tries, the last ${ns}`);
    }
  }

  /** Who was next cannot run any more. */
  fail(reason: string): void {
    const lane = this.#pending[0];
    if (!lane) return;
    lane.state = "failed";
    lane.reason = reason;
    this.#advance();
  }

  #advance(): void {
    this.#attempts = 0;
    this.#pending.shift();
    if (this.#pending.length > 0) return;
    this.#closeHeat();
    if (this.#heats.length === 0) this.#closeRound();
  }

  #inOrder(): readonly Lane<E>[] {
    const racing = this.lanes.filter(({ state }) => state === "racing");
    const score = scores(racing.map(({ log }) => log.slice(0, this.#done)));
    return [...racing.keys()].sort((a, b) => score[a]! - score[b]! || a - b).map((index) => racing[index]!);
  }

  /** Deals the live lanes into heats; false when nobody is live. */
  #openRound(): boolean {
    const live = this.live;
    if (live.length === 0) return false;
    if (live.length <= RACE.heat) {
      this.#reference = undefined;
      this.#heats = [this.#shuffle(live)];
      return true;
    }
    const reference = this.contenders[0] ?? live[0]!;
    const rest = this.#shuffle(live.filter((lane) => lane !== reference));
    const count = Math.ceil(rest.length / (RACE.heat - 1));
    this.#reference = reference;
    // Dealt like cards, so that no heat is much smaller than another.
    this.#heats = Array.from({ length: count }, (_, heat) =>
      this.#shuffle([reference, ...rest.filter((_, index) => index % count === heat)]),
    );
    return true;
  }

  /** Turns a heat's readings into log times; one without its reference tells nothing and is run again in the next round. */
  #closeHeat(): void {
    const zero = this.#reference ? this.#readings.get(this.#reference) : 0;
    for (const [lane, reading] of this.#readings) {
      if (zero === undefined || lane.state === "failed") continue;
      if (lane !== this.#reference) lane.log.push(reading - zero);
      else if (this.#heats.length === 0) lane.log.push(0);
    }
  }

  /** Cuts who is behind the leader beyond doubt. */
  #closeRound(): void {
    this.#done += 1;
    const short = this.live.filter(({ log }) => log.length < this.#done);
    if (short.length > 0) this.#forget();
    this.#order = undefined;
    const [leader, ...others] = this.contenders;
    if (!leader) return;
    const found = behind(
      others.map(({ log }) => log),
      leader.log,
    );
    for (const [index, cut] of found.entries()) {
      if (!cut) continue;
      const lane = others[index]!;
      lane.state = lane.entry.keep ? "behind" : "dropped";
      lane.reason = cut.reason;
      lane.least = cut.least;
    }
    this.#thin();
  }

  /** Ends the race for those of a crowd of near ties that stand last in it; who is kept stays. */
  #thin(): void {
    const most = Math.min(...RACE.crowds.filter(({ round }) => this.#done >= round).map(({ most }) => most));
    if (this.contenders.length <= most) return;
    this.#order = undefined;
    for (const lane of this.contenders.slice(most)) {
      if (lane.entry.keep) continue;
      lane.state = "crowded";
      lane.reason = `not among the ${most} fastest of a crowd after ${this.#done} rounds`;
    }
  }

  /** The reference failed in a heat: the round is incomplete, and what it gave is taken back. */
  #forget(): void {
    this.#done -= 1;
    for (const lane of this.live) lane.log.length = Math.min(lane.log.length, this.#done);
  }
}
