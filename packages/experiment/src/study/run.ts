import type {
  Capabilities,
  Problem,
  SessionSink,
  StudyPlan,
  StudyTable,
  StudyVariant,
  Suite,
  Trial,
  TrialOutcome,
} from "@tunelab/contract";
import type { Bench } from "@tunelab/devices/protocol";
import { type RunCell, scaledFrom } from "./expect.ts";
import { measureHost } from "./host.ts";
import type { StudySubject } from "./plan.ts";

/** Marks a session's command as the measurement of a study. */
export const STUDY_WORKLOAD = "study";

export interface StudyProgress {
  readonly done: number;
  readonly total: number;
  /** In words: `n=64,batch=16 t=128`. */
  readonly what: string;
}

export interface StudyRun {
  readonly suite: Suite;
  readonly study: StudyTable;
  readonly subject: StudySubject;
  readonly plan: StudyPlan;
  readonly capabilities: Capabilities;
  readonly clock: { now(): number; timestamp(): string };
  readonly signal?: AbortSignal;
  readonly progress?: (progress: StudyProgress) => void;
}

/** Timings of one kernel that say what the device can tell apart. */
const NOISE_SAMPLES = 15;

/** Seeds and items compared in full, a cell. */
const PROOF = { seeds: [1, 2, 3], oracleSample: 16 } as const;

/**
 * Measures a study row by row, every cell durable before the next begins; cells that are expected to take longer than the budget are
 * not run. Resolves to whether every cell was dealt with: an interruption leaves a session whose other cells print as unmeasured.
 */
export async function runStudyTable(bench: Bench, sink: SessionSink, run: StudyRun): Promise<boolean> {
  const { plan, clock, signal, progress } = run;
  const started = clock.now();
  await sink.event({ kind: "study-table", at: clock.timestamp(), plan });
  await sink.event({ kind: "noise", at: clock.timestamp(), noise: await bench.noise(NOISE_SAMPLES) });
  if (plan.rows.some(({ cells }) => cells.includes("host")))
    await sink.event({ kind: "trip", at: clock.timestamp(), trip: await bench.trip() });
  const total = plan.rows.flatMap(({ cells }) => cells).filter((cell) => cell !== null).length;
  const told = plan.columns.map(() => new Told());
  let done = 0;
  for (const [row, { problem, cells }] of plan.rows.entries()) {
    for (const [column, cell] of cells.entries()) {
      if (cell === null) continue;
      if (signal?.aborted) {
        await sink.event({ kind: "interrupted", at: clock.timestamp(), reason: "interrupted by the user" });
        return false;
      }
      const { name } = plan.columns[column]!;
      const where = plan.dimensions.map((dimension) => `${dimension}=${problem[dimension]}`).join(",");
      progress?.({ done: done++, total, what: `${where} ${name}` });
      const outcome = await cellOutcome(bench, run, told[column]!, name, problem, cell);
      const sequence = row * plan.columns.length + column;
      await sink.trial({
        ...outcome,
        id: `${sink.session}.${sequence}`,
        session: sink.session,
        sequence,
        measuredAt: clock.timestamp(),
      });
    }
  }
  const spentMs = { measure: clock.now() - started };
  await sink.event({ kind: "finished", at: clock.timestamp(), trials: total, spentMs });
  return true;
}

/** What a column has shown so far. */
class Told {
  readonly cells: RunCell[] = [];
  /** Least work over the budget, by shape. */
  readonly over = new Map<string, number>();
}

async function cellOutcome(
  bench: Bench,
  run: StudyRun,
  told: Told,
  column: string,
  problem: Problem,
  cell: StudyVariant | "host",
): Promise<TrialOutcome> {
  const { suite, plan } = run;
  const work = workOf(run, problem, cell);
  const shape = shapeOf(run, problem);
  const expectedMs = expectedOf(run, told, problem, cell, { work, shape });
  if (expectedMs > plan.budgetMs || work >= (told.over.get(shape) ?? Number.POSITIVE_INFINITY)) {
    told.over.set(shape, Math.min(told.over.get(shape) ?? work, work));
    return skipped(run, problem, cell, expectedMs);
  }
  const outcome =
    cell === "host"
      ? await hostOutcome(run, column, problem)
      : await bench.measure({
          operation: suite.operation.name,
          algorithm: cell.algorithm,
          problem,
          config: cell.config,
          isDefault: false,
          grade: "raced",
          ...PROOF,
        });
  // What hung once hangs again on more work.
  if (outcome.status === "hung") told.over.set(shape, Math.min(told.over.get(shape) ?? work, work));
  const us = leastUs(outcome);
  if (us !== undefined) told.cells.push({ us, work, shape });
  return outcome;
}

async function hostOutcome(run: StudyRun, column: string, problem: Problem): Promise<TrialOutcome> {
  const { suite, study, plan, clock } = run;
  const [seed] = PROOF.seeds;
  const made = await study.columns.find(({ name }) => name === column)!.host!(problem, seed);
  const about = { operation: plan.operation, column, problem, seed };
  return measureHost(suite, about, made, () => clock.now());
}

/** A measure of the work by which times of one column scale: the variant's own FLOPs, or the problem's on the host. */
function workOf({ suite, subject }: StudyRun, problem: Problem, cell: StudyVariant | "host"): number {
  if (cell === "host") return suite.work(problem).flops;
  return subject.algorithms.get(cell.algorithm)!.cost(problem, cell.config).flops;
}

/** The dimensions that specialise a kernel's text. */
function shapeOf({ subject }: StudyRun, problem: Problem): string {
  const shape = subject.operation.dimensions.filter(({ role }) => role === "shape");
  return shape.map(({ name }) => `${name}=${problem[name]}`).join(",");
}

function expectedOf(
  { study, capabilities }: StudyRun,
  told: Told,
  problem: Problem,
  cell: StudyVariant | "host",
  size: Omit<RunCell, "us">,
): number {
  const modelled = cell === "host" ? undefined : study.expectedMs?.(problem, cell, capabilities);
  const scaled = scaledFrom(told.cells, size);
  return Math.max(modelled ?? 0, scaled === undefined ? 0 : scaled / 1_000);
}

function skipped(
  { suite, plan }: StudyRun,
  problem: Problem,
  cell: StudyVariant | "host",
  expectedMs: number,
): TrialOutcome {
  const expected =
    expectedMs > plan.budgetMs
      ? `it should take ${Math.round(expectedMs)} ms`
      : "less work was over it already";
  return {
    operation: plan.operation,
    algorithm: cell === "host" ? "host" : cell.algorithm,
    problem,
    variant: "",
    config: cell === "host" ? {} : cell.config,
    planHash: "",
    epoch: suite.epoch,
    status: "refused",
    reason: `over the budget of ${plan.budgetMs} ms a run: ${expected}`,
    grade: "raced",
    isDefault: false,
    seeds: [],
    work: suite.work(problem),
  };
}

/** The least sample: what the device can do, which a busy moment does not stretch. */
function leastUs({ timing }: Pick<Trial, "timing">): number | undefined {
  if (!timing || timing.samplesNs.length === 0) return undefined;
  return Math.min(...timing.samplesNs) / timing.repeats / 1_000;
}
