import type { MeasureRequest, Problem, Suite, Trial } from "@tunelab/contract";
import { type ProgressEvent, type TuneOptions, type TuneResult, tune } from "../src/index.ts";
import { type Answer, FakeBench, FakeClock, FakeSink } from "./fakes.ts";
import { sized, toySuite } from "./toy.ts";

export interface BedOptions {
  readonly suite?: Suite;
  readonly problems?: readonly Problem[];
  readonly answer?: (request: MeasureRequest) => Answer;
  readonly tune?: Partial<TuneOptions>;
  readonly clock?: FakeClock;
  /** Changes the bench or the sink before the session starts. */
  readonly prepare?: (bench: FakeBench, sink: FakeSink) => void;
}

export interface Ran {
  readonly result: TuneResult;
  readonly bench: FakeBench;
  readonly sink: FakeSink;
  readonly progress: readonly ProgressEvent[];
  /** Ms of the fake clock from start to end. */
  readonly tookMs: number;
}

/** A whole session on fakes: by default one problem, the random strategy, seed 1 and ten seconds. */
export async function session(options: BedOptions = {}): Promise<Ran> {
  const suite = options.suite ?? toySuite();
  const clock = options.clock ?? new FakeClock();
  const bench = new FakeBench(clock, suite, options.answer);
  const sink = new FakeSink();
  options.prepare?.(bench, sink);
  const progress: ProgressEvent[] = [];
  const start = clock.now();
  const result = await tune(
    {
      workloads: [{ suite, problems: options.problems ?? sized(2) }],
      strategy: "random",
      budgetMs: 10_000,
      seed: 1,
      clock,
      ...options.tune,
    },
    bench,
    sink,
    (event) => progress.push(event),
  );
  return { result, bench, sink, progress, tookMs: clock.now() - start };
}

export const certified = (trials: readonly Trial[]): readonly Trial[] =>
  trials.filter(({ grade }) => grade === "certified");

export const screened = (trials: readonly Trial[]): readonly Trial[] =>
  trials.filter(({ grade }) => grade === "screened");

export const variantsOf = (trials: readonly Trial[]): readonly string[] =>
  trials.map(({ variant, grade }) => `${grade} ${variant}`);
