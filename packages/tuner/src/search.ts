import { bestNs, type Grade, problemKey, type Trial, type TrialOutcome } from "@tunelab/contract";
import { extensionUntil, finalsReserve } from "./budget.ts";
import { type Planned, planCandidate, type Refused } from "./candidate.ts";
import { POOL } from "./farm.ts";
import { Pool } from "./pool.ts";
import { algorithmOf, BatchQueue, type Queue, type QueueOwner, type Waiting } from "./queue.ts";
import { fieldWithin, raceFinalists } from "./race.ts";
import { checkAborted } from "./recorder.ts";
import { requestFor } from "./request.ts";
import { failureOf, fastestFirst, lastTrial, type Screened } from "./screened.ts";
import type { SearchContext } from "./search-context.ts";
import { observationOf } from "./strategies/observe.ts";
import type { Candidate } from "./strategies/strategy.ts";
import type { ProblemResult } from "./types.ts";

/** Screened variants that are certified beside the defaults. */
export const FINALISTS = 6;

/** What measuring one variant goes by, beside its grade. */
interface Effort {
  /** Its part of a batch compiled before, in ms; and the outcome when compiling it ended the host. */
  readonly compileMs?: number;
  /** What a compiler elsewhere took for it. */
  readonly elsewhereMs?: number | undefined;
  readonly outcome?: TrialOutcome | undefined;
  /** How long a certifying run may go on past its fewest samples, in ms. */
  readonly extensionMs?: number;
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
  readonly #reused = new Set<string>();
  readonly #queue: Queue;
  #measured = 0;

  constructor(context: SearchContext) {
    this.#context = context;
    this.#key = problemKey(context.problem);
    const owner: QueueOwner = {
      measured: (planned) =>
        this.#screened.has(planned.hash) || this.#earlier(planned, "screened", false) !== undefined,
      refused: (candidate, refused) => this.#refuse(candidate, refused),
      room: () => this.#room(),
      more: () => this.#more(),
      estimate: () => context.estimate(this.#leftMs()),
    };
    const { farm } = context;
    this.#queue = farm ? new Pool(context, owner, farm) : new BatchQueue(context, owner);
  }

  async run(): Promise<void> {
    const { problem, searched, capabilities, known } = this.#context;
    const defaults = searched.map(({ algorithm }) => ({
      algorithm: algorithm.name,
      config: algorithm.defaultConfig(problem, capabilities),
    }));
    await this.#first(defaults, { isDefault: true, keep: true });
    await this.#first(known.incumbents, { isDefault: false, keep: true });
    await this.#first(known.panel, { isDefault: false, keep: false });
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
      failures: all.map(lastTrial).flatMap(failureOf),
      identical: this.#identical,
      refused: this.#refused,
      complete: this.#queue.complete,
    };
  }

  /** Trials taken over from earlier sessions. */
  get reused(): number {
    return this.#reused.size;
  }

  /** Screens variants that are measured before any search, as far as the share goes; the very first goes through whatever it costs. */
  async #first(
    candidates: readonly Candidate[],
    role: { readonly isDefault: boolean; readonly keep: boolean },
  ): Promise<void> {
    const { problem, searched, capabilities, strategy } = this.#context;
    for (const candidate of candidates) {
      if (this.#screened.size > 0 && !this.#fits(0)) return;
      const one = algorithmOf(searched, candidate);
      if (!one) continue; // left out of this session, or gone
      const planned = await planCandidate(one, problem, candidate.config, capabilities);
      if ("limit" in planned) {
        this.#refuse(candidate, planned);
        continue;
      }
      const { trial } = await this.#screen({ planned, compileMs: 0 }, role);
      strategy.observe(observationOf(candidate, trial));
    }
  }

  async #search(): Promise<void> {
    const { strategy } = this.#context;
    while (this.#more()) {
      const waiting = await this.#queue.next();
      if (!waiting) return;
      const screened = await this.#screen(waiting, { isDefault: false, keep: false });
      strategy.observe(observationOf(waiting.candidate, screened.trial));
    }
  }

  #more(): boolean {
    // Refused and known candidates reach no bench, which would notice.
    checkAborted(this.#context.signal);
    return this.#fits(this.#reserve());
  }

  /** Candidates worth compiling at once: as many as will probably still be timed. */
  #room(): number {
    const { clock, pace, shareEnd, ahead, farm, trialShare } = this.#context;
    // While places among the finalists are free, a candidate will probably take one: it costs its final too.
    const free = this.#finalists().length < FINALISTS;
    const each = pace.nextScreened() + (free ? pace.nextCertified(pace.nextScreened()) : 0);
    const time = shareEnd - clock.now() - this.#reserve();
    const trials = trialShare - this.#measured - this.#due(1);
    const most = farm ? POOL : ahead;
    return Math.min(most, trials, each > 0 ? Math.floor(time / each) : most);
  }

  #refuse(candidate: Candidate, { limit }: Refused): void {
    this.#refused[limit] = (this.#refused[limit] ?? 0) + 1;
    this.#context.strategy.observe(observationOf(candidate, undefined));
  }

  /** Whether one more screened trial fits into the share, with `reserveMs` kept for the finals. */
  #fits(reserveMs: number): boolean {
    const { clock, pace, shareEnd, trialShare } = this.#context;
    if (this.#measured + 1 + this.#due(1) > trialShare) return this.#measured === 0;
    return clock.now() + pace.nextScreened() + reserveMs <= shareEnd;
  }

  /** Finals still to be measured once `more` further variants are screened. */
  #due(more: number): number {
    const open = this.#finalists().filter(({ certified }) => !certified).length;
    return Math.min(open + more, Math.max(open, FINALISTS));
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

  /** The finalists that a table cannot do without: the best so far, the defaults and the incumbents. */
  #needed(): readonly Screened[] {
    return this.#finalists().filter(({ keep }, place) => place === 0 || keep);
  }

  async #screen(
    { planned, compileMs, elsewhereMs, outcome }: Omit<Waiting, "candidate">,
    role: { readonly isDefault: boolean; readonly keep: boolean },
  ): Promise<Screened> {
    const { pace } = this.#context;
    const same = this.#screened.get(planned.hash);
    if (same) {
      // The strategy knows nothing of the default: meeting it again is no second configuration.
      if (same.variant !== planned.variant) this.#identical++;
      return same;
    }
    const { trial, costMs } = await this.#trial(planned, "screened", role.isDefault, {
      compileMs,
      elsewhereMs,
      outcome,
    });
    const entry: Screened = {
      ...planned,
      ...role,
      trial,
      costMs: costMs ?? pace.nextScreened(),
      ...(elsewhereMs === undefined ? {} : { elsewhereMs }),
    };
    this.#screened.set(planned.hash, entry);
    return entry;
  }

  /**
   * Certifies the finalists that are not yet, as far as time allows, the best and the defaults first: those a table
   * cannot do without. Resolves to whether any of them failed.
   */
  async #certify(): Promise<boolean> {
    const { clock, pace, shareEnd, slackEnd, trialShare } = this.#context;
    await this.#race();
    const finalists = this.#finalists();
    const needed = this.#needed();
    let failed = false;
    for (const finalist of new Set([...needed, ...finalists])) {
      if (finalist.certified || this.#measured >= trialShare) continue;
      const now = clock.now();
      const isNeeded = needed.includes(finalist);
      const end = isNeeded ? Math.max(shareEnd, slackEnd) : shareEnd;
      const least = isNeeded ? pace.leastCertified(finalist.costMs) : pace.nextCertified(finalist.costMs);
      if (now + least > end) continue;
      const extensionMs = extensionUntil(now, end);
      const { trial, costMs } = await this.#trial(finalist, "certified", finalist.isDefault, {
        extensionMs,
        elsewhereMs: finalist.elsewhereMs,
      });
      if (costMs !== undefined) pace.certified(costMs, finalist.costMs);
      finalist.certified = trial;
      failed ||= bestNs(trial) === undefined;
    }
    return failed;
  }

  /** Leaders of the race first, then the fastest: the best few, and everyone who is kept and gave a time. */
  #finalists(): readonly Screened[] {
    return this.#timed().filter(({ keep }, place) => place < FINALISTS || keep);
  }

  #timed(): readonly Screened[] {
    return fastestFirst([...this.#screened.values()]);
  }

  /**
   * Races the best against each other, where there is time for it and somebody new among them. A budget in trials has none to
   * spare for races: each entry's samples are a trial.
   */
  async #race(): Promise<void> {
    const { clock, shareEnd, trialShare } = this.#context;
    const leftMs = shareEnd - clock.now();
    if (Number.isFinite(trialShare) || !Number.isFinite(leftMs)) return;
    const field = fieldWithin(this.#timed(), leftMs) as readonly Screened[];
    if (field.every(({ raced }) => raced)) return;
    const { trials, leaders } = await raceFinalists(this.#context, field, leftMs);
    for (const one of field) {
      const trial = trials.get(one.hash);
      if (!trial) continue;
      this.#measured++;
      one.raced = trial;
      if (trial.grade === "certified" && !one.certified) one.certified = trial;
      const place = leaders.indexOf(one.hash);
      if (place >= 0) one.place = place;
      else delete one.place;
    }
  }

  /** An earlier trial of the same plan that stands for this one. */
  #earlier(planned: Planned, grade: Grade, isDefault: boolean): Trial | undefined {
    const { suite, recorder } = this.#context;
    const operation = suite.operation.name;
    const earlier = recorder.known.find(operation, suite.epoch, this.#key, planned.hash, grade);
    return earlier && (earlier.isDefault || !isDefault) ? earlier : undefined;
  }

  /** Measures (or records what compiling came to), or takes over an earlier trial of the same plan, which has no cost. */
  async #trial(
    planned: Planned,
    grade: Grade,
    isDefault: boolean,
    { compileMs = 0, elsewhereMs, outcome, extensionMs }: Effort,
  ): Promise<{ trial: Trial; costMs?: number }> {
    const { recorder, pace, progress, estimate, farm } = this.#context;
    const earlier = this.#earlier(planned, grade, isDefault);
    if (earlier) {
      this.#reused.add(earlier.id);
      return { trial: earlier };
    }
    this.#measured++;
    progress({ kind: "measuring", variant: planned.variant, estimate: estimate(this.#leftMs()) });
    const request = requestFor(this.#context, planned, grade, isDefault);
    const bounded = extensionMs === undefined ? request : { ...request, extensionMs };
    const measured = outcome
      ? { trial: await recorder.record(outcome, planned), costMs: 0, ownCompileMs: 0 }
      : await recorder.measure(bounded, planned, elsewhereMs);
    if (grade === "screened") farm?.look(measured.ownCompileMs, elsewhereMs ?? 0);
    const costMs = measured.costMs + compileMs;
    if (grade === "screened") pace.screened(costMs);
    const ns = bestNs(measured.trial);
    const others = [...this.#screened.values()].map(({ trial }) => bestNs(trial) ?? Number.POSITIVE_INFINITY);
    progress({
      kind: "trial",
      trial: measured.trial,
      first: recorder.trials.length === 1,
      leads: ns !== undefined && others.every((other) => ns < other),
      estimate: estimate(this.#leftMs()),
    });
    return { trial: measured.trial, costMs };
  }

  /** Expected time that this problem still takes: its share, or less when candidates or trials run out first. */
  #leftMs(): number {
    const { clock, pace, shareEnd, strategy, trialShare } = this.#context;
    const left = Math.max(0, shareEnd - clock.now());
    if (pace.nextScreened() === 0) return left; // nothing measured yet to predict by
    const finals = this.#finalists()
      .filter(({ certified }) => !certified)
      .reduce((sum, { costMs }) => sum + pace.nextCertified(costMs), 0);
    const trials = Math.max(0, trialShare - this.#measured - this.#due(0));
    const candidates = Math.min(strategy.total - this.#queue.proposed, trials);
    return Math.min(left, candidates * pace.nextScreened() + finals);
  }
}
