import type { Problem, SessionSink, StudyVariant, TrialOutcome } from "@tunelab/contract";
import type { Bench } from "@tunelab/devices/protocol";
import { Budget, type StudyContext } from "./budget.ts";
import { measureHost } from "./host.ts";
import { isSkipped, rowName, type TakenOver } from "./resume.ts";

/** Marks a session's command as the measurement of a study. */
export const STUDY_WORKLOAD = "study";

export interface StudyProgress {
  readonly done: number;
  readonly total: number;
  /** In words: `n=64,batch=16 t=128`. */
  readonly what: string;
}

export interface StudyRun extends StudyContext {
  /** Rows of an earlier session, which are kept here and not measured again. */
  readonly taken?: TakenOver;
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
  const { plan, clock, signal, progress, taken } = run;
  const started = clock.now();
  await sink.event({ kind: "study-table", at: clock.timestamp(), plan });
  await sink.event({ kind: "noise", at: clock.timestamp(), noise: await bench.noise(NOISE_SAMPLES) });
  if (plan.rows.some(({ cells }) => cells.includes("host")))
    await sink.event({ kind: "trip", at: clock.timestamp(), trip: await bench.trip() });
  const total = plan.rows.flatMap(({ cells }) => cells).filter((cell) => cell !== null).length;
  const budget = new Budget(run);
  let done = 0;
  if (taken) {
    // Before anything is measured: an interruption of this session too must lose none of them.
    await record(sink, run, taken);
    done = [...taken.rows.values()].flat().length;
  }
  for (const [row, { problem, cells }] of plan.rows.entries()) {
    const kept = taken?.rows.get(row);
    for (const { column, trial } of kept ?? []) {
      if (isSkipped(trial)) budget.refuses(column, problem, cells[column]!);
      else budget.tell(column, cells[column]!, trial);
    }
    if (kept) continue;
    for (const [column, cell] of cells.entries()) {
      if (cell === null) continue;
      if (signal?.aborted) {
        await sink.event({ kind: "interrupted", at: clock.timestamp(), reason: "interrupted by the user" });
        return false;
      }
      const what = `${rowName(plan.dimensions, problem)} ${plan.columns[column]!.name}`;
      progress?.({ done: done++, total, what });
      const outcome = await cellOutcome(bench, run, budget, column, problem, cell);
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

/** Records what another session measured, each cell as it stands there but for its place, and where it comes from. */
async function record(sink: SessionSink, { plan, clock }: StudyRun, taken: TakenOver): Promise<void> {
  const cells = [...taken.rows].flatMap(([row, all]) =>
    all.map((cell) => ({ ...cell, sequence: row * plan.columns.length + cell.column })),
  );
  const origins = new Map(cells.map(({ origin }) => [origin.session, origin.commit]));
  for (const [session, commit] of origins) {
    const own = cells.filter(({ origin }) => origin.session === session);
    await sink.event({
      kind: "taken-over",
      at: clock.timestamp(),
      session,
      commit,
      cells: own.map(({ sequence, origin }) => ({ sequence, from: origin.from })),
    });
  }
  for (const { trial, sequence } of cells)
    await sink.trial({ ...trial, id: `${sink.session}.${sequence}`, session: sink.session, sequence });
}

async function cellOutcome(
  bench: Bench,
  run: StudyRun,
  budget: Budget,
  column: number,
  problem: Problem,
  cell: StudyVariant | "host",
): Promise<TrialOutcome> {
  const { suite, plan } = run;
  const reason = budget.refuses(column, problem, cell);
  if (reason !== undefined) return skipped(run, problem, cell, reason);
  const outcome =
    cell === "host"
      ? await hostOutcome(run, plan.columns[column]!.name, problem)
      : await bench.measure({
          operation: suite.operation.name,
          algorithm: cell.algorithm,
          problem,
          config: cell.config,
          isDefault: false,
          grade: "raced",
          ...PROOF,
        });
  budget.tell(column, cell, outcome);
  return outcome;
}

async function hostOutcome(run: StudyRun, column: string, problem: Problem): Promise<TrialOutcome> {
  const { suite, study, plan, clock } = run;
  const [seed] = PROOF.seeds;
  const made = await study.columns.find(({ name }) => name === column)!.host!(problem, seed);
  const about = { operation: plan.operation, column, problem, seed };
  return measureHost(suite, about, made, () => clock.now());
}

function skipped(
  { suite, plan }: StudyRun,
  problem: Problem,
  cell: StudyVariant | "host",
  reason: string,
): TrialOutcome {
  return {
    operation: plan.operation,
    algorithm: cell === "host" ? "host" : cell.algorithm,
    problem,
    variant: "",
    config: cell === "host" ? {} : cell.config,
    planHash: "",
    epoch: suite.epoch,
    status: "refused",
    reason,
    grade: "raced",
    isDefault: false,
    seeds: [],
    work: suite.work(problem),
  };
}
