import {
  type Capabilities,
  type Operation,
  type Problem,
  planHash,
  problemKey,
  type TrialKey,
  type TuningTable,
  wholeConfig,
} from "@tunelab/contract";
import { tablePath } from "./fold.ts";
import { outsideSpace } from "./space.ts";

/** A row that no longer stands for what the code would run: its plan is another, or its suite measures otherwise now. */
export interface StaleRow {
  readonly table: string;
  readonly problem: Problem;
  readonly variant: string;
  /** Plan hash (or epoch) that was measured, and what it is now: a hash, an epoch, or why nothing is planned. */
  readonly expected: string;
  readonly got: string;
}

/**
 * Compares every row with the code: its epoch with the suite's (`epochs`, by operation; operations not named are not
 * compared), then its plan, made again for the capabilities that its table recorded. Needs no GPU; empty when nothing is stale.
 */
export async function checkShipped(
  tables: readonly TuningTable[],
  operations: readonly Operation[],
  epochs: Readonly<Record<string, number>> = {},
): Promise<readonly StaleRow[]> {
  const stale: StaleRow[] = [];
  for (const table of tables) {
    const operation = operations.find(({ name }) => name === table.operation);
    const epoch = epochs[table.operation] ?? table.epoch;
    for (const { problem, rows } of table.entries) {
      for (const row of rows) {
        const about = { table: tablePath(table), problem, variant: row.variant };
        if (epoch !== table.epoch) {
          stale.push({ ...about, expected: `epoch ${table.epoch}`, got: `epoch ${epoch}` });
          continue;
        }
        const { capabilities } = table.device;
        const got = operation ? await replan(operation, capabilities, problem, row) : "the operation is gone";
        if (got !== row.planHash) stale.push({ ...about, expected: row.planHash, got });
      }
    }
  }
  return stale;
}

/** Tells whether a row of a table is among those found stale. */
export function staleLookup(
  stale: readonly StaleRow[],
): (table: TuningTable, problem: Problem, variant: string) => boolean {
  const key = (table: string, problem: Problem, variant: string): string =>
    `${table}\n${problemKey(problem)}\n${variant}`;
  const known = new Set(stale.map((row) => key(row.table, row.problem, row.variant)));
  return (table, problem, variant) => known.has(key(tablePath(table), problem, variant));
}

/** Hash of the plan that the code makes of a variant now, or why it makes none. */
export async function replan(
  operation: Operation,
  capabilities: Capabilities,
  problem: Problem,
  variant: Pick<TrialKey, "algorithm" | "config">,
): Promise<string> {
  const algorithm = await operation.algorithms[variant.algorithm]?.();
  if (!algorithm) return `the algorithm ${variant.algorithm} is gone`;
  const refusal = operation.refuse(problem);
  if (refusal) return refusal;
  const space = algorithm.space(problem);
  const config = wholeConfig(space, variant.config);
  const outside = outsideSpace(space, config);
  if (outside) return `the configuration ${outside}`;
  try {
    return await planHash(algorithm.plan(problem, config, capabilities));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
