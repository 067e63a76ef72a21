import { median } from "simple-statistics";
import { QUADS, RACE } from "./protocol.ts";
import type { Reading } from "./quad-run.ts";
import type { QuadRules } from "./quads.ts";
import { EVEN, Finals, type Gap, type Meeting } from "./race-finals.ts";
import { type Lane, type Racer, Rounds, type Shuffle } from "./race-rounds.ts";

export interface RaceRules<E extends Racer> {
  readonly shuffle: Shuffle;
  /** The fixed order among ties: negative when `a` is the simpler. */
  readonly simpler: (a: E, b: E) => number;
  /** Rules of the finals' quads. */
  readonly finals?: QuadRules;
  /** Largest error of rounding of one sample in the field, as a fraction (`Sampled.rounding`); 0 when left out. */
  readonly rounding?: number;
}

/** Quads of the finals: a few looks, since rounds have already sorted out whatever is more than a percent away. */
export const FINAL_QUADS: QuadRules = { ...RACE.finals, gate: QUADS.gate, equivalence: QUADS.equivalence };

/** What to measure next. */
export interface RaceRequest<E extends Racer> {
  readonly entry: E;
  /** Untimed runs are thrown away. */
  readonly timed: boolean;
  /** Who must be ready to run: the same list as long as the heat lasts. */
  readonly heat: readonly E[];
}

/**
 * What became of an entry. `tie`: not shown to be slower than the winner beyond the gate. `slower`: in the finals, beyond the gate.
 * `behind`: kept to the end though the rounds had decided. `dropped`: cut in the rounds. `unmet`: the race ended before it
 * could say anything.
 */
export type Place = (typeof PLACES)[number];

const PLACES = ["winner", "tie", "slower", "behind", "dropped", "failed", "unmet"] as const;

export interface Standing<E extends Racer> {
  readonly entry: E;
  readonly place: Place;
  /** Why, for those behind, dropped or failed. */
  readonly reason?: string;
  /** Time over the winner's: from quads where the two met, else the median over the rounds both ran. */
  readonly ratio: number;
  readonly rounds: number;
  /** Samples of the rounds in ns, in order of measurement. */
  readonly samplesNs: readonly number[];
  readonly rejected: number;
}

export interface RaceOutcome<E extends Racer> {
  /** Undefined when none ran. */
  readonly winner?: E;
  /** Why the race ended early. */
  readonly reason?: string;
  /** The winner first, then ties, then by ratio. */
  readonly standings: readonly Standing<E>[];
  readonly meetings: readonly Meeting<E>[];
  readonly rounds: number;
  /** Samples run, those of the finals and rejected ones included. */
  readonly samples: number;
}

/**
 * A race as a machine that only decides: ask `next()`, `take()` what it gave (or `fail()`), until `next()` is undefined. Rounds
 * with cuts first (see race-cuts.ts); they end when one contender is left, or after 24; then at most 6
 * meet in quads. Among those within 0.3% of the fastest the simplest wins.
 */
export class RaceMachine<E extends Racer> {
  readonly #rules: RaceRules<E>;
  readonly #rounds: Rounds<E>;
  #finals: Finals<E> | undefined;
  #lanes: readonly Lane<E>[] = [];
  #heat: readonly E[] = [];
  #samples = 0;
  #reason: string | undefined;

  /** @param entries - distinct ids; equal scores keep this order, so put the simpler first. */
  constructor(entries: readonly E[], rules: RaceRules<E>) {
    this.#rules = rules;
    this.#rounds = new Rounds(entries, rules.shuffle);
  }

  next(): RaceRequest<E> | undefined {
    if (this.#reason !== undefined) return undefined;
    if (!this.#finals) {
      const running = this.#roundsGoOn() ? this.#rounds.next() : undefined;
      if (running) return this.#request(running.lane, running.heat, true);
      const finalists = this.#rounds.contenders.slice(0, RACE.finalists);
      if (finalists.length === 0) return undefined;
      this.#finals = new Finals(finalists, this.#rules.finals ?? FINAL_QUADS, this.#rules.rounding ?? 0);
    }
    const meeting = this.#finals.next();
    return meeting && this.#request(meeting.lane, meeting.pair, meeting.timed);
  }

  /** Takes what the request gave, in ns; a value that is no positive number is counted and asked for again. */
  take(ns: number): void {
    this.#samples += 1;
    (this.#finals ?? this.#rounds).take(ns);
  }

  /** The requested entry cannot run any more. */
  fail(reason: string): void {
    this.#samples += 1;
    (this.#finals ?? this.#rounds).fail(reason);
  }

  /** Ends the race with what it has. */
  stop(reason: string): void {
    this.#reason = reason;
  }

  outcome(): RaceOutcome<E> {
    const champion =
      this.#finals?.champion ?? (this.#rounds.done > 0 ? this.#rounds.contenders[0] : undefined);
    const field = champion && new Map([[champion, EVEN], ...(this.#finals?.gaps ?? [])]);
    const winner = field && this.#simplest(field);
    return {
      ...(winner ? { winner: winner.entry } : {}),
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      standings: this.#rounds.lanes
        .map((lane) => standingOf(lane, winner, field))
        .sort((a, b) => PLACES.indexOf(a.place) - PLACES.indexOf(b.place) || a.ratio - b.ratio || 0),
      meetings: this.#finals?.meetings ?? [],
      rounds: this.#rounds.done,
      samples: this.#samples,
    };
  }

  #roundsGoOn(): boolean {
    const { done, contenders } = this.#rounds;
    return done < RACE.nearRound || (done < RACE.rounds && contenders.length > 1);
  }

  #request(lane: Lane<E>, lanes: readonly Lane<E>[], timed: boolean): RaceRequest<E> {
    const same =
      lanes.length === this.#lanes.length && lanes.every((one, index) => one === this.#lanes[index]);
    if (!same) {
      this.#lanes = lanes;
      this.#heat = lanes.map(({ entry }) => entry);
    }
    return { entry: lane.entry, timed, heat: this.#heat };
  }

  /** The simplest of those within the tie band of the fastest. */
  #simplest(field: ReadonlyMap<Lane<E>, Gap>): Lane<E> {
    const fastest = Math.min(...[...field.values()].map(({ log }) => log));
    const band = [...field].filter(([, { log }]) => log <= fastest + Math.log1p(RACE.tieBand));
    return band
      .map(([lane]) => lane)
      .reduce((best, lane) => (this.#rules.simpler(lane.entry, best.entry) < 0 ? lane : best));
  }
}

function standingOf<E extends Racer>(
  lane: Lane<E>,
  winner: Lane<E> | undefined,
  field: ReadonlyMap<Lane<E>, Gap> = new Map(),
): Standing<E> {
  const { entry, log, samplesNs, rejected, state, reason } = lane;
  const met = field.get(lane);
  const gap = (): number => {
    if (!winner) return Number.NaN;
    if (met) return met.log - field.get(winner)!.log;
    const common = log.slice(0, winner.log.length).map((time, round) => time - winner.log[round]!);
    return common.length > 0 ? median(common) : Number.NaN;
  };
  const distance = gap();
  const gate = Math.log1p(QUADS.gate);
  const place = (): Place => {
    if (state === "failed") return state;
    if (!winner) return "unmet";
    if (lane === winner) return "winner";
    // Cut, but maybe for a difference that nobody would call a change: another race may well pick it.
    if (state === "behind" || state === "dropped") return lane.least! > gate ? state : "tie";
    return met && met.low > gate ? "slower" : "tie";
  };
  return {
    entry,
    place: place(),
    ...(reason === undefined ? {} : { reason }),
    ratio: Math.exp(distance),
    rounds: log.length,
    samplesNs,
    rejected,
  };
}

export interface RaceOptions<E extends Racer> extends RaceRules<E> {
  readonly entries: readonly E[];
  /** Runs one sample. A race goes on without an entry that failed; a rejection ends it. */
  readonly sample: (entry: E) => Promise<Reading>;
  /** Called with each new heat before its first sample: builds its pipelines and lets go of the last heat's. */
  readonly prepare?: (heat: readonly E[]) => Promise<void>;
  /** Asked before each sample: a reason to stop now, or undefined. */
  readonly stop?: () => string | undefined;
}

/** Runs a race live: see RaceMachine. Rejects only with what `sample` or `prepare` reject with. */
export async function runRace<E extends Racer>(options: RaceOptions<E>): Promise<RaceOutcome<E>> {
  const { entries, sample, prepare, stop } = options;
  const machine = new RaceMachine(entries, options);
  let heat: readonly E[] | undefined;
  for (let request = machine.next(); request; request = machine.next()) {
    const reason = stop?.();
    if (reason !== undefined) {
      machine.stop(reason);
      continue;
    }
    if (request.heat !== heat) await prepare?.(request.heat);
    heat = request.heat;
    const reading = await sample(request.entry);
    if (typeof reading === "number") machine.take(reading);
    else machine.fail(reading.failed);
  }
  return machine.outcome();
}
