import type {
  Capabilities,
  Problem,
  StudyPlan,
  StudyTable,
  StudyVariant,
  Suite,
  Trial,
  TrialOutcome,
} from "@tunelab/contract";
import { type RunCell, scaledFrom } from "./expect.ts";
import type { StudySubject } from "./plan.ts";

/** A study on one device, before anything is measured. */
export interface StudyContext {
  readonly suite: Suite;
  readonly study: StudyTable;
  readonly subject: StudySubject;
  readonly plan: StudyPlan;
  readonly capabilities: Capabilities;
}

/** What a column has shown so far. */
interface Told {
  readonly cells: RunCell[];
  /** Least work over the budget, by shape. */
  readonly over: Map<string, number>;
}

/** Which cells should take longer than the study's budget, from the study's own model and from what its columns have shown. */
export class Budget {
  readonly #context: StudyContext;
  readonly #told: readonly Told[];

  constructor(context: StudyContext) {
    this.#context = context;
    this.#told = context.plan.columns.map(() => ({ cells: [], over: new Map() }));
  }

  /** Why a cell is not run, or undefined where it fits. */
  refuses(column: number, problem: Problem, cell: StudyVariant | "host"): string | undefined {
    const { budgetMs } = this.#context.plan;
    const { over } = this.#told[column]!;
    const { work, shape } = this.#sizeOf(problem, cell);
    const expectedMs = this.#expectedMs(column, problem, cell);
    if (expectedMs <= budgetMs && work < (over.get(shape) ?? Number.POSITIVE_INFINITY)) return undefined;
    over.set(shape, Math.min(over.get(shape) ?? work, work));
    const expected =
      expectedMs > budgetMs ? `it should take ${Math.round(expectedMs)} ms` : "less work was over it already";
    return `over the budget of ${budgetMs} ms a run: ${expected}`;
  }

  /** Takes in what became of a cell that was run. */
  tell(column: number, cell: StudyVariant | "host", outcome: TrialOutcome): void {
    const { cells, over } = this.#told[column]!;
    const { work, shape, rest } = this.#sizeOf(outcome.problem, cell);
    // What hung once hangs again on more work.
    if (outcome.status === "hung") over.set(shape, Math.min(over.get(shape) ?? work, work));
    const us = leastUs(outcome);
    if (us !== undefined) cells.push({ us, work, shape, rest });
  }

  #expectedMs(column: number, problem: Problem, cell: StudyVariant | "host"): number {
    const { study, capabilities } = this.#context;
    const modelled = cell === "host" ? undefined : study.expectedMs?.(problem, cell, capabilities);
    const scaled = scaledFrom(this.#told[column]!.cells, this.#sizeOf(problem, cell));
    return Math.max(modelled ?? 0, scaled === undefined ? 0 : scaled / 1_000);
  }

  /** A measure of the work by which times of one column scale (the variant's own FLOPs, or the problem's on the host), the dimensions that specialise a kernel's text, and the others. */
  #sizeOf(problem: Problem, cell: StudyVariant | "host"): Omit<RunCell, "us"> {
    const { suite, subject } = this.#context;
    const work =
      cell === "host"
        ? suite.work(problem).flops
        : subject.algorithms.get(cell.algorithm)!.cost(problem, cell.config).flops;
    const { dimensions } = subject.operation;
    const named = (wanted: boolean): string =>
      dimensions
        .filter(({ role }) => (role === "shape") === wanted)
        .map(({ name }) => `${name}=${problem[name]}`)
        .join(",");
    return { work, shape: named(true), rest: named(false) };
  }
}

/** The least sample: what the device can do, which a busy moment does not stretch. */
function leastUs({ timing }: Pick<Trial, "timing">): number | undefined {
  if (!timing || timing.samplesNs.length === 0) return undefined;
  return Math.min(...timing.samplesNs) / timing.repeats / 1_000;
}
