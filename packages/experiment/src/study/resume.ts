import {
  canonicalJson,
  type Problem,
  problemKey,
  type SessionEvidence,
  type Status,
  type StudyVariant,
  type Trial,
} from "@tunelab/contract";
import { commitOf, replan, studyPlanOf, takenOverOf } from "@tunelab/selection";
import { Budget, type StudyContext } from "./budget.ts";
import { HOST_ALGORITHM } from "./host.ts";

/** A cell that another session measured. */
export interface TakenCell {
  readonly column: number;
  readonly trial: Trial;
  readonly origin: Origin;
}

/** Where a cell was measured: the session, its commit, and the trial's id there. */
interface Origin {
  readonly session: string;
  readonly commit: string;
  readonly from: string;
}

/** What of an earlier session still stands, and what is measured again. */
export interface TakenOver {
  /** By the plan's rows: rows of which every cell stands. */
  readonly rows: ReadonlyMap<number, readonly TakenCell[]>;
  /** Cells that were measured and stand no longer, in words: `n=64,batch=16 scalar`. */
  readonly changed: readonly string[];
  /** Rows that are measured again because not every cell of theirs stands. */
  readonly again: readonly string[];
}

/** How a cell may have ended for a reason of the moment: measured again, and its row with it. */
const OF_THE_MOMENT: readonly Status[] = ["crashed", "device-lost"];

/** A row in words: `n=64,batch=16`. */
export const rowName = (dimensions: readonly string[], problem: Problem): string =>
  dimensions.map((dimension) => `${dimension}=${problem[dimension]}`).join(",");

/**
 * Rows of an earlier session of the same study, device and toggles that need not be measured again. A cell stands where its plan, made again, and
 * its suite's epoch are what was measured; one over the budget where it still would be; one of the CPU, whose code has no hash, where the very same
 * commit (`commit`, with `+dirty` where it is) measured it. Times drift between sessions and the cells of a row compare with each other, so a row
 * is taken whole or not at all.
 */
export async function takeOver(
  earlier: SessionEvidence,
  context: StudyContext,
  commit: string,
): Promise<TakenOver> {
  const { plan } = context;
  const found = cellsOf(earlier);
  const budget = new Budget(context);
  const rows = new Map<number, readonly TakenCell[]>();
  const changed: string[] = [];
  const again: string[] = [];
  for (const [row, { problem, cells }] of plan.rows.entries()) {
    const where = rowName(plan.dimensions, problem);
    const taken: TakenCell[] = [];
    let known = 0;
    for (const [column, cell] of cells.entries()) {
      if (cell === null) continue;
      const { name } = plan.columns[column]!;
      const measured = found.get(cellKey(problem, name));
      if (!measured) continue;
      known++;
      if (!(await stands(measured, { ...context, budget, column, problem, cell, commit })))
        changed.push(`${where} ${name}`);
      else {
        taken.push({ column, ...measured });
        if (!isSkipped(measured.trial)) budget.tell(column, cell, measured.trial);
      }
    }
    if (taken.length > 0 && taken.length === cells.filter((cell) => cell !== null).length)
      rows.set(row, taken);
    else if (known > 0) again.push(where);
  }
  return { rows, changed, again };
}

const cellKey = (problem: Problem, column: string): string => `${problemKey(problem)}\n${column}`;

/** Cells of a session by problem and column, each with the session that measured it. */
function cellsOf(earlier: SessionEvidence): ReadonlyMap<string, Omit<TakenCell, "column">> {
  const before = studyPlanOf(earlier);
  const names = before?.columns.map(({ name }) => name) ?? [];
  const origins = new Map<number, Origin>(
    takenOverOf(earlier).flatMap(({ session, commit, cells }) =>
      cells.map(({ sequence, from }) => [sequence, { session, commit, from }] as const),
    ),
  );
  const own = { session: earlier.header.id, commit: commitOf(earlier) };
  return new Map(
    earlier.trials.flatMap((trial) => {
      const { id, sequence } = trial;
      const planned = before?.rows[Math.floor(sequence / names.length)];
      if (!planned) return [];
      const origin = origins.get(sequence) ?? { ...own, from: id };
      return [[cellKey(planned.problem, names[sequence % names.length]!), { trial, origin }] as const];
    }),
  );
}

/** A cell that was not run because it should have taken too long: only such a trial names no variant. */
export const isSkipped = ({ status, variant }: Pick<Trial, "status" | "variant">): boolean =>
  status === "refused" && variant === "";

interface Now extends StudyContext {
  readonly budget: Budget;
  readonly column: number;
  readonly problem: Problem;
  readonly cell: StudyVariant | "host";
  readonly commit: string;
}

async function stands({ trial, origin }: Omit<TakenCell, "column">, now: Now): Promise<boolean> {
  const { suite, subject, capabilities, budget, column, problem, cell, commit } = now;
  const algorithm = cell === "host" ? HOST_ALGORITHM : cell.algorithm;
  if (trial.epoch !== suite.epoch || trial.algorithm !== algorithm) return false;
  if (OF_THE_MOMENT.includes(trial.status)) return false;
  if (isSkipped(trial)) return budget.refuses(column, problem, cell) !== undefined;
  if (cell === "host") return commit !== "" && !commit.endsWith("+dirty") && origin.commit === commit;
  // Refused before it was planned: what it would have been is its setting.
  if (trial.planHash === "") return canonicalJson(trial.config) === canonicalJson(cell.config);
  return (await replan(subject.operation, capabilities, problem, cell)) === trial.planHash;
}
