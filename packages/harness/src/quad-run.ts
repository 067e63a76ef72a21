import type { PairJudgement, QuadNs } from "@tunelab/contract";
import { mean } from "simple-statistics";
import { type OrderEffect, orderEffect } from "./order-effect.ts";
import { ATTEMPTS_PER_SAMPLE, MAXIMUM_ROUNDING, QUADS } from "./protocol.ts";
import {
  checkedRules,
  firstSide,
  judgeQuads,
  type QuadRules,
  type QuadSide,
  quadStatistic,
  REPORT_QUADS,
  slotSide,
} from "./quads.ts";

/** What the next sample must be; an untimed one is run and thrown away. */
export interface QuadRequest {
  readonly side: QuadSide;
  readonly timed: boolean;
}

/** How a comparison ended. */
export interface QuadOutcome extends PairJudgement {
  /** `ended`: a look decided or the cap was reached. `stopped`: from outside. `invalid`: samples could not be used. */
  readonly ending: "ended" | "stopped" | "invalid";
  /** Why, unless `ended`. */
  readonly reason?: string;
  /** `blocks`: interleaving was found to bias, so each slot follows untimed runs of its own side. */
  readonly mode: "interleaved" | "blocks";
  /** Of the interleaved quads, also when they were thrown away. */
  readonly order: OrderEffect;
  /** All quads of the mode, the dropped first one included: enough to make every figure again. */
  readonly quads: readonly QuadNs[];
  /** Samples run, untimed ones and those of abandoned quads included. */
  readonly samples: number;
  readonly rejected: number;
}

/**
 * The comparison of A and B as a machine that only decides: ask `next()` what to measure, `take()` what it gave, until
 * `next()` is undefined. The same code runs live and under simulation. Quads alternate A B B A and B A A B; each slot is the
 * minimum of 3; the first quad is dropped; a verdict is looked for after 8, 16, 32 and 64 kept quads and ends the run
 * unless it is `unresolved`. An order effect found at a look starts over in blocks.
 */
export class QuadMachine {
  readonly #rules: QuadRules;
  readonly #ofSlot: (values: readonly number[]) => number;
  #mode: QuadOutcome["mode"] = "interleaved";
  #order: OrderEffect = orderEffect([]);
  #quads: QuadNs[] = [];
  #slots: number[] = [];
  #slotNs: number[] = [];
  #untimed = 0;
  #attempts = 0;
  #samples = 0;
  #rejected = 0;
  #judgement: PairJudgement;
  #ending: QuadOutcome["ending"] | undefined;
  #reason: string | undefined;

  /**
   * @param rounding - error of rounding of one sample as a fraction. Over 0.5% a minimum means nothing: a slot is then the mean of
   * its samples, which the caller starts at random phases.
   * @throws Fault `usage` for rules under which nothing could end.
   */
  constructor(rules: QuadRules = REPORT_QUADS, rounding: number = 0) {
    this.#rules = checkedRules(rules);
    this.#ofSlot =
      rounding > MAXIMUM_ROUNDING ? (values) => mean([...values]) : (values) => Math.min(...values);
    this.#judgement = judgeQuads([], rules);
  }

  /** What to measure next; undefined when there is an outcome. */
  next(): QuadRequest | undefined {
    if (this.#ending) return undefined;
    const side = slotSide(firstSide(this.#quads.length), this.#slots.length);
    return { side, timed: this.#mode === "interleaved" || this.#untimed >= QUADS.samplesPerSlot };
  }

  /** Takes what the request gave, in ns; a value that is no positive number is counted and asked for again. */
  take(ns: number): void {
    const request = this.next();
    if (!request) return;
    this.#samples += 1;
    if (!request.timed) {
      this.#untimed += 1;
      return;
    }
    this.#attempts += 1;
    if (ns > 0 && Number.isFinite(ns)) this.#slotNs.push(ns);
    else this.#rejected += 1;
    if (this.#slotNs.length === QUADS.samplesPerSlot) this.#closeSlot();
    else if (this.#attempts >= ATTEMPTS_PER_SAMPLE * QUADS.samplesPerSlot) {
      const kept = `${this.#slotNs.length} of ${this.#attempts} samples of ${request.side}`;
      this.end("invalid", `${kept} gave a time, the last ${ns}`);
    }
  }

  /** Ends the comparison with what it has: the time is up, or a side cannot run any more. */
  end(ending: "stopped" | "invalid", reason: string): void {
    if (this.#ending) return;
    this.#judgement = judgeQuads(this.#kept().map(quadStatistic), this.#rules);
    if (ending === "invalid" || !this.#rules.looks.includes(this.#judgement.count)) {
      // A verdict only counts at a look: stopping anywhere one likes would be many more looks.
      this.#judgement = { ...this.#judgement, verdict: "unresolved" };
    }
    this.#ending = ending;
    this.#reason = reason;
  }

  outcome(): QuadOutcome {
    if (!this.#ending) this.end("stopped", "the comparison was not carried to its end");
    return {
      ...this.#judgement,
      ending: this.#ending!,
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      mode: this.#mode,
      order: this.#order,
      quads: this.#quads,
      samples: this.#samples,
      rejected: this.#rejected,
    };
  }

  #kept(): readonly QuadNs[] {
    return this.#quads.slice(QUADS.dropped);
  }

  #closeSlot(): void {
    this.#slots.push(this.#ofSlot(this.#slotNs));
    [this.#slotNs, this.#untimed, this.#attempts] = [[], 0, 0];
    if (this.#slots.length < 4) return;
    const [a, b, c, d] = this.#slots as [number, number, number, number];
    this.#quads.push({ first: firstSide(this.#quads.length), slotsNs: [a, b, c, d] });
    this.#slots = [];
    const kept = this.#kept();
    if (this.#rules.looks.includes(kept.length)) this.#look(kept);
  }

  #look(kept: readonly QuadNs[]): void {
    if (this.#mode === "interleaved") {
      this.#order = orderEffect(kept, this.#rules.gate);
      if (this.#order.biased) {
        this.#mode = "blocks";
        this.#quads = [];
        return;
      }
    }
    this.#judgement = judgeQuads(kept.map(quadStatistic), this.#rules);
    if (this.#judgement.verdict !== "unresolved" || kept.length >= this.#rules.looks.at(-1)!) {
      this.#ending = "ended";
    }
  }
}

/** What a sample gave: ns (no positive number when it was rejected), or why this side cannot run any more. */
export type Reading = number | { readonly failed: string };

export interface QuadOptions {
  /** Runs one sample of a side. */
  readonly sample: (side: QuadSide) => Promise<Reading>;
  readonly rules?: QuadRules;
  /** Error of rounding of one sample, the larger of the two sides' (`Sampled.rounding`); 0 when left out. */
  readonly rounding?: number;
  /** Asked before each sample: a reason to stop now, or undefined. */
  readonly stop?: () => string | undefined;
}

/** Compares B with A live: see QuadMachine. Rejects only with what `sample` rejects with. */
export async function runQuads({ sample, rules, rounding, stop }: QuadOptions): Promise<QuadOutcome> {
  const machine = new QuadMachine(rules, rounding);
  for (let request = machine.next(); request; request = machine.next()) {
    const reason = stop?.();
    if (reason !== undefined) {
      machine.end("stopped", reason);
      continue;
    }
    const reading = await sample(request.side);
    if (typeof reading === "number") machine.take(reading);
    else machine.end("invalid", `${request.side} failed: ${reading.failed}`);
  }
  return machine.outcome();
}
