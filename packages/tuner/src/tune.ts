import {
  asFault,
  type Ceilings,
  Fault,
  type MeasurePhase,
  type MeasureRequest,
  type Noise,
  type Problem,
  problemKey,
  type SessionSink,
  untrustedReason,
} from "@tunelab/contract";
import type { Bench } from "@tunelab/devices/protocol";
import { CERTIFIED, variantLabel } from "@tunelab/harness";
import { restrict } from "@tunelab/variants";
import { affordsCeilings, BUDGET_SLACK, MOST_AHEAD, Pace, probeLimit, shareEnd } from "./budget.ts";
import { loadAlgorithms } from "./candidate.ts";
import { Farm } from "./farm.ts";
import { objectiveNamed, TIME } from "./objective.ts";
import { Interrupted, Recorder, unlessAborted } from "./recorder.ts";
import { Search } from "./search.ts";
import { checkStart, startFor, startingWith } from "./start.ts";
import { Stopwatch } from "./stopwatch.ts";
import { guarded } from "./strategies/guard.ts";
import { STRATEGIES } from "./strategies/strategy.ts";
import { startFrom } from "./transfer.ts";
import type { ProblemResult, Progress, TuneOptions, TuneResult, Workload } from "./types.ts";

/** Timings of one kernel in the noise probe that begins a session. */
const NOISE_SAMPLES = 15;

interface Job {
  readonly workload: Workload;
  readonly problem: Problem;
}

/** Every operation and problem, cheap ones first, so that results and faults show early. */
export function orderJobs(workloads: readonly Workload[]): readonly Job[] {
  const jobs = workloads.flatMap((workload) => workload.problems.map((problem) => ({ workload, problem })));
  const cost = ({ workload, problem }: Job): number => workload.suite.work(problem).flops;
  const key = ({ workload, problem }: Job): string =>
    `${workload.suite.operation.name} ${problemKey(problem)}`;
  return jobs.sort((a, b) => cost(a) - cost(b) || (key(a) < key(b) ? -1 : 1));
}

/**
 * Tunes within a budget and records everything as it comes. Noise probe and ceilings first, then problem after problem,
 * each with an even share of the time left. Resolves even when interrupted or when the device is lost for good: then
 * `stopped` says why, and what was measured is in the sink. Rejects with a usage Fault for a problem that an operation
 * refuses, before anything is measured. The sink is left open, the bench too.
 */
export async function tune(
  options: TuneOptions,
  bench: Bench,
  sink: SessionSink,
  progress: Progress = () => {},
): Promise<TuneResult> {
  for (const { suite, problems } of options.workloads) {
    for (const problem of problems) {
      const refusal = suite.operation.refuse(problem);
      if (refusal)
        throw new Fault("usage", `${suite.operation.name} refuses ${problemKey(problem)}: ${refusal}`);
    }
  }
  for (const { suite } of options.workloads) objectiveNamed(options.objective ?? TIME.name, suite);
  await checkStart(options.start ?? [], options.workloads, bench.hello.info.capabilities);
  return new Session(options, bench, sink, progress).run();
}

/** @throws Fault `environment` with the number and what to do, unless certification is within reach. */
function refuseNoise(noise: Noise | undefined): void {
  if (noise?.gateReachable) return;
  const why = noise
    ? `${noise.kernel} scatters by CV ${(100 * noise.cv).toPrecision(3)}%, and ${100 * CERTIFIED.spread}% is the most that certification allows`
    : "the noise could not be measured";
  throw new Fault(
    "environment",
    `not quiet enough: ${why}; stop other programs or leave --require-quiet out`,
  );
}

class Session {
  readonly #options: TuneOptions;
  readonly #bench: Bench;
  readonly #sink: SessionSink;
  readonly #progress: Progress;
  readonly #start: number;
  readonly #end: number;
  readonly #slackEnd: number;
  readonly #stopwatch: Stopwatch;
  readonly #recorder: Recorder;
  readonly #pace = new Pace();
  readonly #results: ProblemResult[] = [];
  readonly #unreached: { operation: string; problem: Problem }[] = [];
  /** Events written in the background, in order: a restart is told while a trial is awaited. */
  #events: Promise<void> = Promise.resolve();
  #reused = 0;
  #ceilings: Ceilings = {};
  #noise: Noise | undefined;
  #farm: Farm | undefined;
  /** The bench outlives the session and keeps its listeners; what it tells later belongs to nobody. */
  #over = false;

  constructor(options: TuneOptions, bench: Bench, sink: SessionSink, progress: Progress) {
    this.#options = options;
    this.#bench = bench;
    this.#sink = sink;
    this.#progress = progress;
    this.#start = options.since ?? options.clock.now();
    this.#end = this.#start + options.budgetMs;
    this.#slackEnd = this.#end + options.budgetMs * BUDGET_SLACK;
    this.#stopwatch = new Stopwatch(() => options.clock.now());
    this.#recorder = new Recorder(options, bench, sink, this.#stopwatch, (reason) =>
      progress({ kind: "skipped", reason }),
    );
  }

  async run(): Promise<TuneResult> {
    const { clock } = this.#options;
    this.#bench.onRestart(this.#restarted);
    this.#bench.onPhase((phase) => this.#recorder.heard(phase));
    let stopped = await this.#work();
    this.#over = true;
    const at = clock.timestamp();
    const spentMs = this.#stopwatch.read();
    const { trials } = this.#recorder;
    const earlier = (this.#options.earlier ?? []).filter(({ session }) => session === this.#sink.session);
    const untrusted = untrustedReason([...earlier, ...trials]);
    if (untrusted) this.#record({ kind: "untrusted", at, reason: untrusted });
    // An interrupted session stays open to `--resume`: only one that ended by itself is finished.
    if (stopped) this.#record({ kind: "interrupted", at, reason: stopped.reason });
    else this.#record({ kind: "finished", at, trials: trials.length, spentMs });
    try {
      await this.#events;
    } catch (error) {
      const fault = asFault(error, "environment");
      stopped ??= { reason: fault.message, fault };
    }
    return {
      trials,
      reused: this.#reused,
      problems: this.#results,
      unreached: this.#unreached,
      ceilings: this.#ceilings,
      ...(this.#noise ? { noise: this.#noise } : {}),
      spentMs,
      ...(untrusted ? { untrusted } : {}),
      ...(stopped ? { stopped } : {}),
    };
  }

  readonly #restarted = (reason: string, request: MeasureRequest | undefined): void => {
    if (this.#over) return;
    const variant = request ? variantLabel(request.algorithm, request.config) : "";
    this.#progress({ kind: "restart", reason, variant });
    this.#record({ kind: "host-restart", at: this.#options.clock.timestamp(), reason, variant });
  };

  async #work(): Promise<TuneResult["stopped"]> {
    try {
      await this.#calibrate();
      // Only now: hosts that start would disturb the probes.
      const { compilers } = this.#options;
      const phase = (phase: MeasurePhase): void => this.#stopwatch.phase(phase);
      if (compilers) this.#farm = new Farm(compilers(this.#ceilings), { phase, restart: this.#restarted });
      const jobs = orderJobs(this.#options.workloads);
      for (const [index, job] of jobs.entries()) await this.#problem(job, index, jobs.length);
      return undefined;
    } catch (error) {
      if (error instanceof Interrupted) return { reason: "interrupted by the user" };
      const fault = asFault(error, "environment");
      return { reason: fault.message, fault };
    }
  }

  /** Noise and ceilings. Without them trials are still worth having, so a failure is told and no more. */
  async #calibrate(): Promise<void> {
    const { clock, signal, machine, requireQuiet } = this.#options;
    const attempt = async <T>(
      what: "noise" | "ceilings",
      begin: () => Promise<T>,
    ): Promise<T | undefined> => {
      try {
        return await unlessAborted(begin, signal);
      } catch (error) {
        if (error instanceof Interrupted) throw error;
        this.#progress({ kind: "failed-calibration", what, reason: asFault(error, "environment").message });
        return undefined;
      }
    };
    const limitMs = probeLimit(this.#options.budgetMs);
    const begun = clock.now();
    this.#stopwatch.enter("calibrate");
    this.#progress({ kind: "calibrating", what: "noise" });
    const noise = await attempt("noise", () => this.#bench.noise(NOISE_SAMPLES, limitMs));
    if (noise) {
      this.#noise = noise;
      this.#record({ kind: "noise", at: clock.timestamp(), noise, ...(machine ? { machine } : {}) });
      this.#progress({ kind: "noise", noise });
    }
    if (requireQuiet) refuseNoise(noise);
    const ceilings = await attempt("ceilings", async () => {
      if (!affordsCeilings(clock.now() - begun, this.#options.budgetMs))
        throw new Fault("usage", "the budget leaves no time for them");
      this.#progress({ kind: "calibrating", what: "ceilings" });
      return this.#bench.ceilings(undefined, limitMs);
    });
    if (ceilings) {
      this.#ceilings = ceilings;
      this.#record({ kind: "ceilings", at: clock.timestamp(), ceilings });
      this.#progress({ kind: "ceilings", ceilings });
    }
    this.#stopwatch.enter("idle");
  }

  async #problem({ workload, problem }: Job, index: number, of: number): Promise<void> {
    const { clock, seed, strategy } = this.#options;
    const { suite } = workload;
    const operation = suite.operation.name;
    const now = clock.now();
    // The very first problem gets its default whatever the budget: one number is better than none.
    // Problems come cheapest first, so a trial here will hardly cost less than it did on the one before.
    const trialsLeft = (this.#options.trials ?? Number.POSITIVE_INFINITY) - this.#recorder.trials.length;
    const late = now >= this.#end || now + this.#pace.nextScreened() > this.#slackEnd;
    if (index > 0 && (late || trialsLeft <= 0)) {
      this.#unreached.push({ operation, problem });
      this.#progress({ kind: "unreached", operation, problem });
      return;
    }
    const loaded = await loadAlgorithms(suite.operation, workload.algorithms);
    // Those that do not answer this question would fail, and fail again in every session that is resumed. Where none does, each says why.
    const answering = loaded.filter(({ name }) => suite.operation.answers?.(name, problem) !== false);
    const algorithms = answering.length > 0 ? answering : loaded;
    const where = this.#options.where ?? {};
    const searched = algorithms.map((algorithm) => ({
      algorithm,
      space: restrict(algorithm.space(problem), where),
    }));
    const spaces = searched.map(({ algorithm, space }) => ({ algorithm: algorithm.name, space }));
    const end = shareEnd(now, this.#end, of - index);
    const { capabilities } = this.#bench.hello.info;
    const { start } = await startFor(this.#options.start ?? [], workload, problem, capabilities);
    const sought = { operation: suite.operation, problem, spaces, device: this.#bench.hello.info };
    const borrowed = startFrom(this.#options.tables ?? [], sought);
    const searching = startingWith(start, STRATEGIES[strategy](spaces, seed, [...start, ...borrowed]));
    const plan = guarded(searching, spaces, (reason) => this.#progress({ kind: "skipped", reason }));
    this.#pace.forgetCosts();
    this.#progress({
      kind: "problem",
      operation,
      problem,
      index,
      of,
      candidates: plan.total,
      shareMs: end - now,
    });
    const search = new Search({
      suite,
      problem,
      searched,
      capabilities,
      strategy: plan,
      seed,
      objective: objectiveNamed(this.#options.objective ?? TIME.name, suite),
      recorder: this.#recorder,
      pace: this.#pace,
      clock,
      progress: this.#progress,
      signal: this.#options.signal,
      isFirst: index === 0,
      shareStart: now,
      shareEnd: end,
      // A problem without a certified row is worth more than a longer search of the next.
      slackEnd: index === of - 1 ? this.#slackEnd : this.#end,
      known: this.#options.known?.(operation, problem) ?? { incumbents: [], panel: [] },
      isQuiet: this.#noise?.gateReachable === true,
      trialShare: Math.ceil(trialsLeft / (of - index)),
      ahead: Math.min(this.#options.ahead ?? 1, MOST_AHEAD),
      farm: this.#farm,
      estimate: (problemLeftMs) => {
        const later = of - 1 - index;
        const time = clock.now();
        // Later problems are expected to use up their shares, for their spaces are not counted yet; without an end to share out
        // (a budget in trials) to take as long as this one, or longer.
        const laterMs = Number.isFinite(this.#end)
          ? Math.max(0, this.#end - Math.max(end, time))
          : time - now + problemLeftMs;
        return {
          elapsedMs: time - this.#start,
          remainingMs:
            problemLeftMs + (later === 0 ? 0 : Number.isFinite(this.#end) ? laterMs : later * laterMs),
        };
      },
    });
    try {
      await search.run();
    } finally {
      this.#farm?.forget();
      this.#results.push(search.result());
      this.#reused += search.reused;
    }
  }

  #record(event: Parameters<SessionSink["event"]>[0]): void {
    this.#events = this.#events.then(() => this.#sink.event(event));
    // Awaited at the end of the session; without this a failure before then would be an unhandled rejection.
    this.#events.catch(() => {});
  }
}
