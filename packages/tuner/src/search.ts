import {
  bestNs,
  type Capabilities,
  type Grade,
  type Problem,
  problemKey,
  type Suite,
  type Trial,
} from "@tunelab/contract";
import { finalsReserve, type Pace } from "./budget.ts";
import { type Planned, planCandidate, type Searched } from "./candidate.ts";
import { checkAborted, type Recorder } from "./recorder.ts";
import { observationOf } from "./strategies/observe.ts";
import type { Candidate, Strategy } from "./strategies/strategy.ts";
import type { Estimate, ProblemResult, Progress, TuneClock } from "./types.ts";

/** Screened variants that are certified beside the defaults. */
export const FINALISTS = 6;

/** Inputs verified and items compared in full, by grade: one lucky input proves nothing, so a table's rows see three. */
const EFFORT: Readonly<Record<Grade, { readonly seeds: number; readonly oracleSample: number }>> = {
  screened: { seeds: 1, oracleSample: 4 },
  raced: { seeds: 1, oracleSample: 4 },
  certified: { seeds: 3, oracleSample: 16 },
};

/** What a search over one problem works with. */
export interface SearchContext {
  readonly suite: Suite;
  readonly problem: Problem;
  readonly searched: readonly Searched[];
  readonly capabilities: Capabilities;
  readonly strategy: Strategy;
  readonly seed: number;
  readonly recorder: Recorder;
  readonly pace: Pace;
  readonly clock: TuneClock;
  readonly progress: Progress;
  readonly signal: AbortSignal | undefined;
  /** When this problem's share ends, and when the finals it cannot do without must have begun. Ms of the clock. */
  readonly shareEnd: number;
  readonly slackEnd: number;
  /** Time that the session expects to need, given what this problem will still take. */
  readonly estimate: (problemLeftMs: number) => Estimate;
}

interface Screened extends Planned {
  readonly isDefault: boolean;
  readonly trial: Trial;
  /** What measuring it took; for one taken over from an earlier session, what it would probably take. */
  readonly costMs: number;
  certified?: Trial;
}

/**
 * Searches one problem: the defaults first, then the strategy's proposals at grade `screened` for as long as the share
 * allows, then the best of them and the defaults `certified`; again while time and candidates are left.
 */
export class Search {
  readonly #context: SearchContext;
  readonly #key: string;
  readonly #screened = new Map<string, Screened>();
  readonly #refused: Record<string, number> = {};
  #identical = 0;
  #proposed = 0;
  readonly #reused = new Set<string>();
  #complete = false;

  constructor(context: SearchContext) {
    this.#context = context;
    this.#key = problemKey(context.problem);
  }

  async run(): Promise<void> {
    const { problem, searched, capabilities } = this.#context;
    for (const { algorithm } of searched) {
      if (this.#screened.size > 0 && !this.#fits(0)) break;
      const candidate = { algorithm: algorithm.name, config: algorithm.defaultConfig(problem, capabilities) };
      const screened = await this.#screen(candidate, true);
      this.#context.strategy.observe(observationOf(candidate, screened?.trial));
    }
    let before: number;
    let failed: boolean;
    do {
      before = this.#screened.size;
      await this.#search();
      // A finalist that fails leaves its place to the next.
      failed = await this.#certify();
    } while (failed || this.#screened.size > before);
  }

  result(): ProblemResult {
    const all = [...this.#screened.values()];
    return {
      operation: this.#context.suite.operation.name,
      problem: this.#context.problem,
      screened: all.length,
      certified: all.filter(({ certified }) => certified).length,
      failed: all.filter(({ trial, certified }) => bestNs(certified ?? trial) === undefined).length,
      identical: this.#identical,
      refused: this.#refused,
      complete: this.#complete,
    };
  }

  /** Trials taken over from earlier sessions. */
  get reused(): number {
    return this.#reused.size;
  }

  async #search(): Promise<void> {
    const { strategy } = this.#context;
    while (this.#fits(this.#reserve())) {
      // Refused and known candidates reach no bench, which would notice.
      checkAborted(this.#context.signal);
      const candidate = strategy.propose();
      if (!candidate) {
        this.#complete = true;
        return;
      }
      this.#proposed++;
      const screened = await this.#screen(candidate, false);
      strategy.observe(observationOf(candidate, screened?.trial));
    }
  }

  /** Whether one more screened trial fits into the share, with `reserveMs` kept for the finals. */
  #fits(reserveMs: number): boolean {
    const { clock, pace, shareEnd } = this.#context;
    return clock.now() + pace.nextScreened() + reserveMs <= shareEnd;
  }

  #reserve(): number {
    const { pace, shareEnd, clock } = this.#context;
    const cost = (due: readonly Screened[]): number =>
      due
        .filter(({ certified }) => !certified)
        .reduce((sum, { costMs }) => sum + pace.nextCertified(costMs), 0);
    // The candidate about to be screened may become a finalist itself.
    const reserve = finalsReserve(cost(this.#finalists()), shareEnd - clock.now());
    return Math.max(reserve, cost(this.#needed()));
  }

  /** The finalists that a table cannot do without: the best so far and the defaults. */
  #needed(): readonly Screened[] {
    return this.#finalists().filter(({ isDefault }, place) => place === 0 || isDefault);
  }

  async #screen(candidate: Candidate, isDefault: boolean): Promise<Screened | undefined> {
    const { problem, searched, capabilities, pace } = this.#context;
    const one = searched.find(({ algorithm }) => algorithm.name === candidate.algorithm)!;
    const planned = await planCandidate(one, problem, candidate.config, capabilities);
    if ("limit" in planned) {
      this.#refused[planned.limit] = (this.#refused[planned.limit] ?? 0) + 1;
      return undefined;
    }
    const same = this.#screened.get(planned.hash);
    if (same) {
      // The strategy knows nothing of the default: meeting it again is no second configuration.
      if (same.variant !== planned.variant) this.#identical++;
      return same;
    }
    const { trial, costMs } = await this.#trial(planned, "screened", isDefault);
    const entry: Screened = { ...planned, isDefault, trial, costMs: costMs ?? pace.nextScreened() };
    this.#screened.set(planned.hash, entry);
    return entry;
  }

  /**
   * Certifies the finalists that are not yet, as far as time allows, the best and the defaults first: those a table
   * cannot do without. Resolves to whether any of them failed.
   */
  async #certify(): Promise<boolean> {
    const { clock, pace, shareEnd, slackEnd } = this.#context;
    const finalists = this.#finalists();
    const needed = this.#needed();
    let failed = false;
    for (const finalist of new Set([...needed, ...finalists])) {
      if (finalist.certified) continue;
      const end = needed.includes(finalist) ? Math.max(shareEnd, slackEnd) : shareEnd;
      if (clock.now() + pace.nextCertified(finalist.costMs) > end) continue;
      const { trial, costMs } = await this.#trial(finalist, "certified", finalist.isDefault);
      if (costMs !== undefined) pace.certified(costMs, finalist.costMs);
      finalist.certified = trial;
      failed ||= bestNs(trial) === undefined;
    }
    return failed;
  }

  /** Fastest first: the best few and every default that gave a time. */
  #finalists(): readonly Screened[] {
    const timed = [...this.#screened.values()]
      .filter(({ trial, certified }) => bestNs(certified ?? trial) !== undefined)
      .sort((a, b) => bestNs(a.trial)! - bestNs(b.trial)! || (a.variant < b.variant ? -1 : 1));
    return timed.filter(({ isDefault }, place) => place < FINALISTS || isDefault);
  }

  /** Measures, or takes over an earlier trial of the same plan, which has no cost. */
  async #trial(
    planned: Planned,
    grade: Grade,
    isDefault: boolean,
  ): Promise<{ trial: Trial; costMs?: number }> {
    const { suite, problem, recorder, pace, progress, seed, estimate } = this.#context;
    const operation = suite.operation.name;
    const earlier = recorder.known.find(operation, suite.epoch, this.#key, planned.hash, grade);
    if (earlier && (earlier.isDefault || !isDefault)) {
      this.#reused.add(earlier.id);
      return { trial: earlier };
    }
    progress({ kind: "measuring", variant: planned.variant, estimate: estimate(this.#leftMs()) });
    const { seeds, oracleSample } = EFFORT[grade];
    const measured = await recorder.measure(
      {
        operation,
        algorithm: planned.algorithm,
        problem,
        config: planned.config,
        isDefault,
        grade,
        seeds: Array.from({ length: seeds }, (_, index) => seed + index),
        oracleSample,
      },
      planned,
    );
    if (grade === "screened") pace.screened(measured.costMs);
    const ns = bestNs(measured.trial);
    const others = [...this.#screened.values()].map(({ trial }) => bestNs(trial) ?? Number.POSITIVE_INFINITY);
    progress({
      kind: "trial",
      trial: measured.trial,
      first: recorder.trials.length === 1,
      leads: ns !== undefined && others.every((other) => ns < other),
      estimate: estimate(this.#leftMs()),
    });
    return measured;
  }

  /** Expected time that this problem still takes: its share, or less when candidates run out first. */
  #leftMs(): number {
    const { clock, pace, shareEnd, strategy } = this.#context;
    const left = Math.max(0, shareEnd - clock.now());
    if (pace.nextScreened() === 0) return left; // nothing measured yet to predict by
    const finals = this.#finalists()
      .filter(({ certified }) => !certified)
      .reduce((sum, { costMs }) => sum + pace.nextCertified(costMs), 0);
    return Math.min(left, (strategy.total - this.#proposed) * pace.nextScreened() + finals);
  }
}
