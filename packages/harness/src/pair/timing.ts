import { type PairedSeries, type PairRequest, type PerSide, SIDES, type Side } from "@tunelab/contract";
import type { Instance } from "@tunelab/executor";
import { type InstanceTimeable, instanceTimeable } from "../instance-timeable.ts";
import { MAXIMUM_ROUNDING } from "../protocol.ts";
import { type QuadOutcome, runQuads } from "../quad-run.ts";
import { BUILD_QUADS, type QuadRules, type QuadSide } from "../quads.ts";
import { judgeSample } from "../reject.ts";
import { equalRepeats, findRepeats, type Repeats } from "../repeats.ts";
import type { RawSample } from "../types.ts";
import type { Ticks, Workbench } from "../workbench.ts";
import type { Compiled, Seat } from "./seat.ts";

/** Both sides ready to be timed. */
export interface Pair {
  readonly compiled: PerSide<Compiled>;
  readonly instances: PerSide<Instance>;
}

/** The side that a quad calls A or B. */
export const sideOf = (side: QuadSide): Side => (side === "A" ? "base" : "candidate");

/** The rules of a request; a fixed number of quads is one look, after them. */
export function rulesOf(timing: PairRequest["timing"]): QuadRules {
  if (timing.kind === "looks") return { ...BUILD_QUADS, alpha: timing.alpha, looks: timing.looks };
  return { ...BUILD_QUADS, alpha: BUILD_QUADS.alpha, looks: [timing.kind === "fixed" ? timing.quads : 1] };
}

/** One side of a series: what to run, and how many repeats a sample holds. */
interface Runner {
  readonly timeable: InstanceTimeable;
  /** What filling a sample takes, and how many repeats it is given. */
  readonly repeats: Repeats;
  count: number;
  previous: RawSample | undefined;
}

async function runnerOf(instance: Instance, ticks: Ticks, hostLoop: boolean): Promise<Runner> {
  const timeable = instanceTimeable(instance, ticks.clock);
  const untimed = await timeable.sample(1);
  const repeats = hostLoop
    ? { repeats: 1, ns: 0, resolved: true, rounding: 0 }
    : await findRepeats(timeable, ticks.clock, ticks.tickNs, untimed);
  return { timeable, repeats, count: repeats.repeats, previous: undefined };
}

function equalise(runners: readonly Runner[]): void {
  const counts = equalRepeats(runners.map(({ repeats }) => repeats));
  for (const [index, runner] of runners.entries()) runner.count = counts[index]!;
}

/** Whether a plan loops under the host's control: then a sample is one run, timed by the wall. */
export const loops = ({ subject }: Compiled): boolean =>
  subject.plan.steps.some(({ kind }) => kind === "loop");

/** Paired times of the whole plans, each in one pass: alternating quads until a look decides. */
export async function totalSeries(
  bench: Workbench,
  seats: PerSide<Seat>,
  { compiled, instances }: Pair,
  request: PairRequest,
): Promise<PairedSeries> {
  const hostLoop = SIDES.some((side) => loops(compiled[side]));
  return series(bench, seats, instances, hostLoop, rulesOf(request.timing));
}

async function series(
  bench: Workbench,
  seats: PerSide<Seat>,
  instances: PerSide<Instance>,
  hostLoop: boolean,
  rules: QuadRules,
): Promise<PairedSeries> {
  const { context } = bench;
  const ticks = await bench.ticks(hostLoop ? "wall" : "best");
  context.onPhase("warm-up");
  await bench.settle();
  context.onPhase("measure");
  const runners: { -readonly [S in Side]?: Runner } = {};
  for (const side of SIDES) {
    const runner = await seats[side].attempt("run", () => runnerOf(instances[side], ticks, hostLoop));
    if (runner) runners[side] = runner;
  }
  if (runners.base && runners.candidate && !hostLoop) equalise([runners.base, runners.candidate]);
  const repeats = { base: runners.base?.count ?? 0, candidate: runners.candidate?.count ?? 0 };
  const rejected: Record<string, number> = {};
  const blind = SIDES.find((side) => runners[side] && !runners[side].repeats.resolved);
  const missing = SIDES.find((side) => !runners[side]);
  if (blind || missing) {
    const fault = blind
      ? `${repeats[blind]} repeats of ${blind} in one submission last less than one tick of ${ticks.tickNs} ns`
      : `${missing} stopped before it was timed`;
    return { ...ticks, ...NOTHING, repeats, rejected, fault };
  }
  let samples = 0;
  const outcome = await runQuads({
    rules,
    rounding: Math.max(...SIDES.map((side) => runners[side]!.repeats.rounding)),
    sample: async (which) => {
      const side = sideOf(which);
      const runner = runners[side]!;
      samples += 1;
      if (runner.repeats.rounding > MAXIMUM_ROUNDING) {
        // Where rounding shows, samples start at all phases of the tick. The golden ratio's multiples fill it evenly.
        await context.clock.sleep((((samples * 0.618033988749895) % 1) * ticks.tickNs) / 1e6);
      }
      const ns = await seats[side].attempt("run", () => takeOne(runner, ticks, rejected));
      return ns ?? { failed: `${side} stopped running` };
    },
  });
  return { ...ticks, ...outcomeOf(outcome), repeats, rejected };
}

/** ns of one repeat; NaN, counted by its reason, when the sample cannot be used. */
async function takeOne(runner: Runner, ticks: Ticks, rejected: Record<string, number>): Promise<number> {
  const sample = await runner.timeable.sample(runner.count);
  const judged = judgeSample(sample, runner.count, ticks, runner.previous);
  runner.previous = sample;
  if (judged.rejected === undefined) return judged.ns / runner.count;
  rejected[judged.rejected] = (rejected[judged.rejected] ?? 0) + 1;
  return Number.NaN;
}

const NOTHING: Omit<PairedSeries, "clock" | "tickNs" | "repeats" | "rejected"> = {
  verdict: "unresolved",
  ratio: Number.NaN,
  low: 0,
  high: Number.POSITIVE_INFINITY,
  confidence: 0,
  p: 1,
  mde: Number.POSITIVE_INFINITY,
  count: 0,
  quads: [],
  mode: "interleaved",
};

function outcomeOf(outcome: QuadOutcome): Omit<PairedSeries, "clock" | "tickNs" | "repeats" | "rejected"> {
  const { verdict, ratio, low, high, confidence, p, mde, count, quads, mode, order, reason } = outcome;
  return {
    ...{ verdict, ratio, low, high, confidence, p, mde, count, quads, mode },
    ...(Number.isFinite(order.bias) ? { orderBias: order.bias } : {}),
    ...(reason === undefined ? {} : { fault: reason }),
  };
}
