import { finalsReserve, firstUntil, screenedUntil } from "./budget.ts";
import { FINALISTS } from "./ranking.ts";
import type { Screened } from "./screened.ts";
import type { SearchContext } from "./search-context.ts";

/** How far a search is, as far as time and trials depend on it. */
export interface Progressed {
  readonly finalists: () => readonly Screened[];
  /** Trials measured. */
  readonly measured: () => number;
  /** Candidates taken from the strategy. */
  readonly proposed: () => number;
  /** Whether any variant was tried, in vain too. */
  readonly begun: () => boolean;
}

/** What a search over one problem may still do within its share of time and of trials. */
export class Allowance {
  readonly #context: SearchContext;
  readonly #state: Progressed;

  constructor(context: SearchContext, state: Progressed) {
    this.#context = context;
    this.#state = state;
  }

  /** When the next screened trial is given up. */
  until(): number {
    const { clock, pace, recorder, isFirst } = this.#context;
    const first = !this.#state.begun();
    if (first) return firstUntil(clock.now(), this.#context, isFirst && recorder.trials.length === 0);
    const reserveMs = this.#cost(this.needed());
    return screenedUntil(clock.now(), this.#context, { reserveMs, expectedMs: pace.nextScreened() });
  }

  /** Candidates worth compiling at once: as many as will probably still be timed. */
  room(): number {
    const { clock, pace, shareEnd, ahead, farm, trialShare } = this.#context;
    // While places among the finalists are free, a candidate will probably take one: it costs its final too.
    const free = this.#state.finalists().length < FINALISTS;
    const each = pace.nextScreened() + (free ? pace.nextCertified(pace.nextScreened()) : 0);
    const time = shareEnd - clock.now() - this.reserve();
    const trials = trialShare - this.#state.measured() - this.#due(1);
    const most = farm?.useful ? farm.room : ahead;
    return Math.min(most, trials, each > 0 ? Math.floor(time / each) : most);
  }

  /** Whether one more screened trial fits into the share, with `reserveMs` kept for the finals. */
  fits(reserveMs: number): boolean {
    const { clock, pace, shareEnd, trialShare } = this.#context;
    if (this.#state.measured() + 1 + this.#due(1) > trialShare) return this.#state.measured() === 0;
    return clock.now() + pace.nextScreened() + reserveMs <= shareEnd;
  }

  /** Finals still to be measured once `more` further variants are screened. */
  #due(more: number): number {
    const open = this.#state.finalists().filter(({ certified }) => !certified).length;
    return Math.min(open + more, Math.max(open, FINALISTS));
  }

  /** Time in ms to keep for the finals. */
  reserve(): number {
    const { shareEnd, clock } = this.#context;
    // The candidate about to be screened may become a finalist itself.
    const reserve = finalsReserve(this.#cost(this.#state.finalists()), shareEnd - clock.now());
    return Math.max(reserve, this.#cost(this.needed()));
  }

  /** What certifying those of them will cost that are not yet. */
  #cost(due: readonly Screened[]): number {
    const { pace } = this.#context;
    return due
      .filter(({ certified }) => !certified)
      .reduce((sum, { costMs }) => sum + pace.nextCertified(costMs), 0);
  }

  /** The finalists that a table cannot do without: the best so far, the defaults and the incumbents. */
  needed(): readonly Screened[] {
    return this.#state.finalists().filter(({ keep }, place) => place === 0 || keep);
  }

  /** Expected time that this problem still takes: its share, or less when candidates or trials run out first. */
  leftMs(): number {
    const { clock, pace, shareEnd, strategy, trialShare } = this.#context;
    const left = Math.max(0, shareEnd - clock.now());
    if (pace.nextScreened() === 0) return left; // nothing measured yet to predict by
    const finals = this.#cost(this.#state.finalists());
    const trials = Math.max(0, trialShare - this.#state.measured() - this.#due(0));
    const candidates = Math.min(strategy.total - this.#state.proposed(), trials);
    return Math.min(left, candidates * pace.nextTurn() + finals);
  }
}
