import {
  bestNs,
  type Grade,
  problemKey,
  type Trial,
  type TrialOutcome,
  wholeConfig,
} from "@tunelab/contract";
import { ROWS_KEPT } from "@tunelab/selection";
import { Allowance } from "./allowance.ts";
import { AtHand } from "./at-hand.ts";
import { extensionUntil } from "./budget.ts";
import { type Planned, planCandidate, type Refused, UNPLANNED } from "./candidate.ts";
import type { Held } from "./farm.ts";
import { TIME } from "./objective.ts";
import { Pool } from "./pool.ts";
import { algorithmOf, BatchQueue, type Queue, type QueueOwner, type Waiting } from "./queue.ts";
import { fieldWithin, raceFinalists } from "./race.ts";
import { Ranking } from "./ranking.ts";
import { checkAborted } from "./recorder.ts";
import { requestFor } from "./request.ts";
import { failureOf, lastTrial, type Screened } from "./screened.ts";
import type { SearchContext } from "./search-context.ts";
import { observationOf } from "./strategies/observe.ts";
import type { Candidate } from "./strategies/strategy.ts";
import type { CutVariant, ProblemResult } from "./types.ts";

/** What measuring one variant goes by, beside its grade. */
interface Effort {
  /** Its part of a batch compiled before, in ms; and the outcome when compiling it ended the host. */
  readonly compileMs?: number;
  /** How long compilers were waited for before it, in ms; and the one that holds its code. */
  readonly waitedMs?: number | undefined;
  readonly held?: Held | undefined;
  readonly outcome?: TrialOutcome | undefined;
  /** How long a certifying run may go on past its fewest samples, in ms. */
  readonly extensionMs?: number;
  /** When the trial is given up, in ms of the clock. */
  readonly until: number;
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
  readonly #allowance: Allowance;
  readonly #cut: CutVariant[] = [];
  readonly #ranking: Ranking;
  readonly #atHand: AtHand;
  #measured = 0;
  /** The least cost of a screened trial. */
  #least = Number.POSITIVE_INFINITY;
  constructor(context: SearchContext) {
    this.#context = context;
    this.#key = problemKey(context.problem);
    this.#ranking = new Ranking(context.objective);
    this.#atHand = new AtHand(context);
    this.#allowance = new Allowance(context, {
      finalists: () => this.#ranking.finalists,
      measured: () => this.#measured,
      proposed: () => this.#queue.proposed,
      begun: () => this.#screened.size > 0 || this.#cut.length > 0,
    });
    const owner: QueueOwner = {
      measured: (planned) =>
        this.#screened.has(planned.hash) || this.#earlier(planned, "screened", false) !== undefined,
      refused: (candidate, refused) => this.#refuse(candidate, refused),
      room: () => this.#allowance.room(),
      more: () => this.#more(),
      spare: () => this.#spare(),
      limitMs: () => this.#allowance.until() - context.clock.now(),
      estimate: () => context.estimate(this.#allowance.leftMs()),
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
    for (const ended of this.#queue.ended()) await this.#taken(ended);
  }

  result(): ProblemResult {
    const all = [...this.#screened.values()];
    return {
      operation: this.#context.suite.operation.name,
      problem: this.#context.problem,
      screened: all.length,
      certified: all.filter(({ certified }) => certified).length,
      failures: all.map(lastTrial).flatMap(failureOf),
      cut: this.#cut,
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
    for (const { algorithm, config } of candidates) {
      if (this.#screened.size > 0 && !this.#allowance.fits(0)) return;
      const one = algorithmOf(searched, { algorithm, config });
      if (!one) continue; // left out of this session, or gone
      // A table may be older than a parameter; neighbours of a configuration without it would be no variants.
      const candidate = { algorithm, config: wholeConfig(one.space, config) };
      const planned = await planCandidate(one, problem, candidate.config, capabilities);
      if ("limit" in planned) {
        this.#refuse(candidate, planned);
        continue;
      }
      const screened = await this.#beside(this.#screen({ planned, compileMs: 0 }, role));
      if (!screened) return;
      strategy.observe(observationOf(candidate, screened.trial, this.#context.objective));
    }
  }

  async #search(): Promise<void> {
    const { strategy, objective, shareEnd } = this.#context;
    while (this.#more()) {
      const waiting = await this.#queue.next();
      if (!waiting) return;
      const screened = await this.#taken(waiting);
      if (!screened) return;
      strategy.observe(observationOf(waiting.candidate, screened.trial, objective));
      this.#atHand.begin(this.#ranking.best(ROWS_KEPT), shareEnd - this.#allowance.reserve());
    }
  }

  /** Screens a candidate whose turn it is; undefined when there is no time for it. */
  async #taken(waiting: Waiting): Promise<Screened | undefined> {
    const { held, outcome } = waiting;
    // Compiling may have taken the time that was for timing; what it came to is recorded in none, where trials do not count.
    if (!(outcome && this.#context.trialShare === Infinity) && !this.#more()) {
      held?.release();
      return undefined;
    }
    return this.#beside(this.#screen(waiting, { isDefault: false, keep: false }).finally(held?.release));
  }

  /** What is measured, while the next candidates are prepared: no longer than it takes. */
  async #beside<T>(measuring: Promise<T>): Promise<T> {
    let over = false;
    const measured = measuring.finally(() => {
      over = true;
    });
    return (await Promise.all([measured, this.#queue.ahead(() => over)]))[0];
  }

  #more(): boolean {
    // Refused and known candidates reach no bench, which would notice.
    checkAborted(this.#context.signal);
    return this.#allowance.fits(this.#allowance.reserve());
  }

  #refuse(candidate: Candidate, { limit, reason }: Refused): void {
    if (limit === UNPLANNED && !this.#refused[limit]) this.#context.progress({ kind: "skipped", reason });
    this.#refused[limit] = (this.#refused[limit] ?? 0) + 1;
    this.#context.strategy.observe(observationOf(candidate, undefined));
  }

  /** Undefined when its time was over before it had any. */
  async #screen(
    { planned, compileMs, waitedMs, held, outcome }: Omit<Waiting, "candidate">,
    role: { readonly isDefault: boolean; readonly keep: boolean },
  ): Promise<Screened | undefined> {
    const { pace } = this.#context;
    const same = this.#screened.get(planned.hash);
    if (same) {
      // The strategy knows nothing of the default: meeting it again is no second configuration.
      if (same.variant !== planned.variant) this.#identical++;
      return same;
    }
    const effort = { compileMs, waitedMs, held, outcome, until: this.#allowance.until() };
    const measured = await this.#trial(planned, "screened", role.isDefault, effort);
    if (!measured) return undefined;
    const { trial, costMs } = measured;
    const entry: Screened = {
      ...planned,
      ...role,
      trial,
      costMs: costMs ?? pace.nextScreened(),
    };
    this.#screened.set(planned.hash, entry);
    this.#ranking.add(entry);
    return entry;
  }

  /**
   * Certifies the finalists that are not yet, as far as time allows, the best and the defaults first: those a table
   * cannot do without. Resolves to whether any of them failed.
   */
  async #certify(): Promise<boolean> {
    const { clock, pace, shareEnd, slackEnd, trialShare } = this.#context;
    await this.#race();
    const { finalists } = this.#ranking;
    const needed = this.#allowance.needed();
    let failed = false;
    for (const finalist of new Set([...needed, ...finalists])) {
      if (finalist.certified || this.#measured >= trialShare) continue;
      const now = clock.now();
      const isNeeded = needed.includes(finalist);
      const end = isNeeded ? Math.max(shareEnd, slackEnd) : shareEnd;
      const least = isNeeded ? pace.leastCertified(finalist.costMs) : pace.nextCertified(finalist.costMs);
      if (now + least > end) continue;
      const trial = await this.#final(finalist, end);
      failed ||= trial !== undefined && bestNs(trial) === undefined;
    }
    return failed;
  }

  /**
   * Certifies one more of the rows that a table keeps, the best first, when the compilers leave time for it: the finals then have less
   * to do, and the table more to show. Not on a device that never certifies, where each would take its whole extension.
   */
  async #spare(): Promise<boolean> {
    const { clock, pace, shareEnd, trialShare, isQuiet } = this.#context;
    if (!isQuiet || Number.isFinite(trialShare) || this.#ranking.count < ROWS_KEPT) return false;
    const one = this.#ranking.best(ROWS_KEPT).find((row) => !row.certified && this.#atHand.has(row));
    if (!one) return false;
    const end = shareEnd - this.#allowance.reserve();
    if (clock.now() + pace.nextCertified(one.costMs) > end) return false;
    return (await this.#final(one, end)) !== undefined;
  }

  /** Certifies one by `end`; undefined when its time was over first. */
  async #final(one: Screened, end: number): Promise<Trial | undefined> {
    const { clock, pace } = this.#context;
    const measured = await this.#trial(one, "certified", one.isDefault, {
      extensionMs: extensionUntil(clock.now(), end),
      until: end,
    });
    if (!measured) return undefined;
    const { trial, costMs } = measured;
    if (costMs !== undefined) pace.certified(costMs, one.costMs);
    one.certified = trial;
    if (bestNs(trial) === undefined) this.#ranking.renew();
    return trial;
  }

  /**
   * Races the best against each other, where there is time for it and somebody new among them. A budget in trials has none to
   * spare for races: each entry's samples are a trial. Races decide who is faster, and nothing else.
   */
  async #race(): Promise<void> {
    const { clock, shareEnd, trialShare, objective } = this.#context;
    const leftMs = shareEnd - clock.now();
    if (objective !== TIME) return;
    if (Number.isFinite(trialShare) || !Number.isFinite(leftMs)) return;
    const field = fieldWithin(this.#ranking.best(Number.POSITIVE_INFINITY), leftMs) as readonly Screened[];
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
    this.#ranking.renew();
  }

  /** An earlier trial of the same plan that stands for this one. */
  #earlier(planned: Planned, grade: Grade, isDefault: boolean): Trial | undefined {
    const { suite, recorder } = this.#context;
    const operation = suite.operation.name;
    const earlier = recorder.known.find(operation, suite.epoch, this.#key, planned.hash, grade);
    return earlier && (earlier.isDefault || !isDefault) ? earlier : undefined;
  }

  /**
   * Measures (or records what compiling came to), or takes over an earlier trial of the same plan, which has no cost. Undefined when
   * its time was over first.
   */
  async #trial(
    planned: Planned,
    grade: Grade,
    isDefault: boolean,
    { compileMs = 0, waitedMs, held, outcome, extensionMs, until }: Effort,
  ): Promise<{ trial: Trial; costMs?: number } | undefined> {
    const { recorder, pace, progress, estimate, clock, objective } = this.#context;
    const earlier = this.#earlier(planned, grade, isDefault);
    if (earlier) {
      this.#reused.add(earlier.id);
      return { trial: earlier };
    }
    const limitMs = until - clock.now();
    if (!outcome && !(limitMs > 0)) return undefined;
    this.#measured++;
    progress({ kind: "measuring", variant: planned.variant, estimate: estimate(this.#allowance.leftMs()) });
    const request = requestFor(this.#context, planned, grade, isDefault);
    const bounded = extensionMs === undefined ? request : { ...request, extensionMs };
    const measured = outcome
      ? { trial: await recorder.record(outcome, planned), costMs: 0 }
      : await recorder.measure(bounded, planned, { host: held, limitMs });
    if ("cut" in measured) {
      this.#cut.push({ variant: planned.variant, reason: measured.cut });
      progress({ kind: "skipped", reason: `${planned.variant}: ${measured.cut}` });
      return undefined;
    }
    const costMs = measured.costMs + compileMs;
    if (grade === "screened") pace.screened(costMs, waitedMs);
    const cost = objective.cost(measured.trial);
    const leads = cost !== undefined && cost < this.#least;
    if (grade === "screened" && leads) this.#least = cost;
    progress({
      kind: "trial",
      trial: measured.trial,
      first: recorder.trials.length === 1,
      leads,
      estimate: estimate(this.#allowance.leftMs()),
    });
    return { trial: measured.trial, costMs };
  }
}
