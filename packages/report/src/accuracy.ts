import {
  type Config,
  type Operation,
  type Problem,
  problemKey,
  type SessionEvidence,
  type TuningTable,
  tableFolder,
} from "@tunelab/contract";
import { formatError } from "./format.ts";
import { columns, gridMarkdown } from "./grid.ts";
import { problemLabels } from "./labels.ts";
import { escapeMarkdown } from "./markdown.ts";
import type { Page } from "./page.ts";
import type { Completing } from "./points.ts";

/** What one verified trial erred by, whether it kept to the operation's bound or not. */
export interface Erring {
  readonly key: string;
  readonly problem: Problem;
  readonly algorithm: string;
  readonly config: Config;
  readonly error: number;
}

/** Share of the scatter that a parameter must explain to be said to decide it. */
const ENOUGH = 0.5;
/** Mean errors of its values closer than this ratio are not worth a table. */
const TELLING = 2;

/** Every trial of the table's sessions whose items were all right: errors are the arithmetic's, on whichever machine. */
export function erringOf(
  table: TuningTable,
  evidence: readonly SessionEvidence[],
  complete: Completing,
): readonly Erring[] {
  const folder = tableFolder(table.device.identity, table.profile);
  return evidence
    .filter(
      ({ header }) =>
        table.sessions.includes(header.id) && tableFolder(header.device.identity, header.profile) === folder,
    )
    .flatMap(({ trials }) => trials)
    .flatMap(({ operation, epoch, verdict, problem, algorithm, config }): readonly Erring[] => {
      if (operation !== table.operation || epoch !== table.epoch) return [];
      if (!verdict || verdict.matched < verdict.total || !Number.isFinite(verdict.maxError)) return [];
      const whole = complete({ algorithm, problem, config });
      const error = verdict.maxError;
      return [{ key: problemKey(problem), problem, algorithm, config: whole, error }];
    });
}

/**
 * The parameter of an algorithm that explains most of how its errors scatter (adjusted R^2 of log error over the values' means),
 * at least half; undefined where none does, or where its values' errors lie close together.
 */
export function decidingParameter(erring: readonly Erring[]): string | undefined {
  const parameters = Object.keys(erring[0]?.config ?? {}).map((parameter) => {
    const groups = [...valuesOf(erring, parameter).values()].map((of) =>
      of.filter(({ error }) => error > 0).map(({ error }) => Math.log(error)),
    );
    // A value that was tried once explains its own error whatever else that variant had.
    return { parameter, ...explained(groups.filter(({ length }) => length > 1)) };
  });
  const [first] = parameters.sort((a, b) => b.share - a.share);
  return first && first.share >= ENOUGH && first.apart >= Math.log(TELLING) ? first.parameter : undefined;
}

/** Adjusted R^2 of the groups' means, and how far the means lie apart. */
function explained(groups: readonly (readonly number[])[]): {
  readonly share: number;
  readonly apart: number;
} {
  const all = groups.flat();
  const free = all.length - groups.length;
  if (groups.length < 2 || free < 1) return { share: 0, apart: 0 };
  const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;
  const around = (of: readonly number[]): number => of.reduce((sum, one) => sum + (one - mean(of)) ** 2, 0);
  const within = groups.reduce((sum, of) => sum + around(of), 0) / free;
  const total = around(all) / (all.length - 1);
  const means = groups.map(mean);
  return { share: total > 0 ? 1 - within / total : 0, apart: Math.max(...means) - Math.min(...means) };
}

/** By the value of a parameter, in the order of their text. */
function valuesOf(erring: readonly Erring[], parameter: string): ReadonlyMap<string, readonly Erring[]> {
  const groups = new Map<string, Erring[]>();
  for (const one of erring) {
    const value = String(one.config[parameter]);
    groups.set(value, [...(groups.get(value) ?? []), one]);
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The largest error of each value of the parameter that decides it, problem by problem; nothing where none decides. */
export function accuracySection(
  page: Page,
  erring: readonly Erring[],
  operation: Pick<Operation, "accuracy">,
): void {
  const { bound, measure } = operation.accuracy;
  const problems = [...new Map(erring.map(({ key, problem }) => [key, problem])).values()];
  const { label, common } = problemLabels(problems);
  const rows = [...new Set(erring.map(({ algorithm }) => algorithm))].sort().flatMap((algorithm) => {
    const own = erring.filter((one) => one.algorithm === algorithm);
    const parameter = decidingParameter(own);
    if (parameter === undefined) return [];
    return [...valuesOf(own, parameter)].map(([value, of]) => [
      algorithm,
      `${parameter}=${value}`,
      String(of.length),
      ...problems.map((problem) => {
        const errors = of.filter(({ key }) => key === problemKey(problem)).map(({ error }) => error);
        return formatError(errors.length > 0 ? Math.max(...errors) : undefined);
      }),
    ]);
  });
  if (rows.length === 0) return;
  page.heading(3, "How exact each value is");
  page.text(
    `Largest ${escapeMarkdown(measure)} of every verified trial${common ? ` (${escapeMarkdown(common)})` : ""}, by the values of the parameter that decides it most; a table takes what keeps to ${bound}.`,
  );
  page.text(
    gridMarkdown({
      columns: columns("`algorithm`", "`value`", ">trials", ...problems.map((one) => `>${label(one)}`)),
      rows,
    }),
  );
}
