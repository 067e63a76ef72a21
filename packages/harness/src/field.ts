import {
  bufferBytes,
  type Duel,
  type LoopStep,
  type Plan,
  type RaceEntry,
  type RaceReport,
  type RaceRequest,
  simplerFirst,
  type TrialOutcome,
} from "@tunelab/contract";
import { verifyFewer } from "./fewer.ts";
import { gateFault } from "./gate.ts";
import { type InstanceTimeable, instanceTimeable } from "./instance-timeable.ts";
import { attempt, fail, type Known, type Opened, verify, witness } from "./opened.ts";
import { CERTIFIED, RACE_BYTES } from "./protocol.ts";
import { type RaceOutcome, runRace } from "./race.ts";
import { type Racer, shuffleBy } from "./race-rounds.ts";
import { judgeSample } from "./reject.ts";
import { equalRepeats, findRepeats, type Repeats } from "./repeats.ts";
import type { RawSample } from "./types.ts";
import type { Workbench } from "./workbench.ts";

/** An entry that was verified and is ready to run. */
interface Runner extends Racer {
  readonly known: Known;
  readonly opened: Opened;
  readonly timeable: InstanceTimeable;
  readonly clock: "gpu" | "wall";
  readonly tickNs: number;
  /** What filling a sample takes, and how many repeats it is given. */
  readonly needs: Pick<Repeats, "repeats" | "ns">;
  repeats: number;
  previous?: RawSample;
  readonly rejected: Record<string, number>;
}

const TIME_UP = "the time was up";

/** Input seeds with which a certified variant must have been verified: MEASUREMENT 1 asks for at least three. */
const CERTIFIED_SEEDS = 3;

/**
 * Verifies the entries one after another, races those that are right against each other live, and verifies what the race left of
 * each. All instances are held at once, as far as memory allows: the last entries stay out where it does not. Everyone's outcome
 * carries the samples of its rounds. `turn` hears whose code runs next while each runs alone, and -1 when the rounds begin.
 */
export async function raceField(
  bench: Workbench,
  { entries, limitMs }: RaceRequest,
  turn: (index: number) => void,
): Promise<RaceReport> {
  const { context } = bench;
  const start = context.clock.now();
  const outcomes: (TrialOutcome | undefined)[] = [];
  const runners: Runner[] = [];
  let late = false;
  const left = (): number => limitMs - (context.clock.now() - start);
  try {
    let bytes = 0;
    for (const [index, entry] of entries.entries()) {
      // Verifying a large problem takes its time too: who comes after the end does not race.
      if (left() <= 0) {
        late = true;
        outcomes.push(undefined);
        continue;
      }
      turn(index);
      const found = await enter(bench, entry, RACE_BYTES - bytes);
      outcomes.push(found?.outcome);
      if (!found?.runner) continue;
      bytes += bytesOf(found.runner.opened.subject.plan);
      runners.push(found.runner);
    }
    turn(-1);
    equalise(runners);
    const race = await run(bench, runners, left);
    for (const standing of race.standings) {
      turn(entries.findIndex(({ request }) => request === standing.entry.opened.request));
      await record(standing);
    }
    return reportOf(outcomes, late ? { ...race, reason: race.reason ?? TIME_UP } : race);
  } finally {
    for (const { opened } of runners) opened.instance.dispose();
  }
}

/** Bytes of a plan's buffers, pristine copies of in-place state included. */
function bytesOf({ buffers, batch }: Plan): number {
  return buffers.reduce(
    (sum, buffer) => sum + bufferBytes(buffer, batch.items) * (buffer.role === "inout" ? 2 : 1),
    0,
  );
}

/** Opens and verifies one entry. Undefined when it does not fit beside the others; without a runner when it may not run. */
async function enter(
  bench: Workbench,
  { request, keep }: RaceEntry,
  bytesLeft: number,
): Promise<{ readonly outcome: TrialOutcome; readonly runner?: Runner } | undefined> {
  let runner: Runner | undefined;
  let crowded = false;
  const outcome = await attempt(bench, request, async (known, open) => {
    const opened = await open();
    crowded = bytesOf(opened.subject.plan) > bytesLeft && bytesLeft < RACE_BYTES;
    // What it wrote is not kept: a field of twelve with outputs of a gigabyte each would not fit in memory.
    const right =
      !crowded && (await verify(opened, known)) !== undefined && (await verifyFewer(opened, known));
    if (!right) return opened.instance.dispose();
    try {
      runner = await ready(bench, known, opened, keep);
    } catch (error) {
      opened.instance.dispose();
      throw error;
    }
  });
  return crowded ? undefined : { outcome, ...(runner ? { runner } : {}) };
}

async function ready(bench: Workbench, known: Known, opened: Opened, keep: boolean): Promise<Runner> {
  const hostLoop = opened.subject.plan.steps.some((step): step is LoopStep => step.kind === "loop");
  const { clock, tickNs } = await bench.ticks(hostLoop ? "wall" : "best");
  const timeable = instanceTimeable(opened.instance, clock);
  const untimed = await timeable.sample(1);
  const needs = hostLoop ? LOOPS : await findRepeats(timeable, clock, tickNs, untimed);
  const { repeats } = needs;
  return { id: known.variant, keep, known, opened, timeable, clock, tickNs, needs, repeats, rejected: {} };
}

/** A host-driven loop runs once a sample. */
const LOOPS = { repeats: 1, ns: 0 } as const;

/** Gives all that do not loop the same repeats, as far as that goes. */
function equalise(runners: readonly Runner[]): void {
  const inPasses = runners.filter(({ needs }) => needs !== LOOPS);
  const counts = equalRepeats(inPasses.map(({ needs }) => needs));
  for (const [index, runner] of inPasses.entries()) runner.repeats = counts[index]!;
}

async function run(
  bench: Workbench,
  runners: readonly Runner[],
  left: () => number,
): Promise<RaceOutcome<Runner>> {
  const { context } = bench;
  const { fmaFlopsPerSecond } = bench.ceilings;
  let untilSettled = 0;
  return runRace<Runner>({
    entries: runners,
    shuffle: shuffleBy(context.random ?? Math.random),
    simpler: (a, b) => simplerFirst(simplicityOf(a), simplicityOf(b)),
    stop: () => (left() > 0 ? undefined : TIME_UP),
    sample: async (runner) => {
      if (untilSettled-- <= 0) {
        // Once a round: the phase tells the supervisor that the race goes on, and the device is brought back to its pace.
        context.onPhase("warm-up");
        await bench.settle();
        context.onPhase("measure");
        untilSettled = runners.length;
      }
      const { timeable, clock, tickNs, repeats, opened, rejected } = runner;
      const sample = await timeable.sample(repeats);
      const rules = {
        clock,
        tickNs,
        ...(fmaFlopsPerSecond === undefined ? {} : { flops: opened.subject.cost.flops, fmaFlopsPerSecond }),
      };
      const judged = judgeSample(sample, repeats, rules, runner.previous);
      runner.previous = sample;
      if (judged.rejected === undefined) return judged.ns / repeats;
      rejected[judged.rejected] = (rejected[judged.rejected] ?? 0) + 1;
      return Number.NaN;
    },
  });
}

const simplicityOf = ({ known, id }: Runner) => ({
  workgroupBytes: known.resources?.workgroupBytes ?? 0,
  invocations: known.resources?.invocations ?? 0,
  variant: id,
});

/** Gives a runner's outcome its times and grade, unless what the race left of it is wrong. */
async function record({
  entry: runner,
  place,
  reason,
  samplesNs,
}: RaceOutcome<Runner>["standings"][number]): Promise<void> {
  const { known, opened, timeable, clock, tickNs, repeats, rejected } = runner;
  if (!(await witness(opened, known, timeable, repeats))) return;
  const whole = samplesNs.map((ns) => Math.round(ns * repeats));
  if (place === "failed") return fail(known, "invalid", reason ?? "no sample survived");
  // A race that was cut short before its first round measured nothing, for which the variant is not to blame.
  if (whole.length === 0) return;
  known.timing = { clock, tickNs, repeats, samplesNs: whole, rejected };
  const certified =
    whole.length >= CERTIFIED.minimumSamples &&
    known.seeds.length >= CERTIFIED_SEEDS &&
    gateFault(whole) === undefined;
  known.grade = certified ? "certified" : "raced";
}

function reportOf(outcomes: readonly (TrialOutcome | undefined)[], race: RaceOutcome<Runner>): RaceReport {
  const hash = ({ known }: Runner): string => known.planHash;
  const right = ({ known }: Runner): boolean => known.status === "ok";
  const duels = race.meetings
    .filter(
      ({ champion, against, outcome }) => right(champion) && right(against) && outcome.ending === "ended",
    )
    .map(({ champion, against, outcome }): Duel => {
      const { verdict, ratio, low, high, count } = outcome;
      return {
        champion: hash(champion),
        against: hash(against),
        verdict,
        ratio,
        low,
        high,
        quads: count,
      };
    });
  const leading = race.standings.filter(
    ({ place, entry }) => (place === "winner" || place === "tie") && right(entry),
  );
  const measured = (outcome: TrialOutcome | undefined): boolean =>
    outcome !== undefined && (outcome.status !== "ok" || outcome.timing !== undefined);
  return {
    outcomes: outcomes.map((outcome) => (measured(outcome) ? outcome : undefined)),
    leaders: leading.map(({ entry }) => hash(entry)),
    duels,
    rounds: race.rounds,
    ...(race.reason === undefined ? {} : { reason: race.reason }),
  };
}
