import {
  type Operation,
  type Problem,
  problemKey,
  type Regret as RegretSummary,
  type TableEntry,
  type TuningTable,
} from "@tunelab/contract";
import { median, select } from "@tunelab/selection";
import type { Point } from "./points.ts";
import { bestRow, orderedEntries } from "./summary.ts";

/** What the library would lose on a problem if the table had no entry for it. */
export interface Regret {
  readonly entry: TableEntry;
  /** The entry that lends its best: absent where none can (a length that no other entry has), and the default runs. */
  readonly from?: Problem;
  /** What the library would run. */
  readonly variant: string;
  /** The borrowed variant's time over the best; absent where nothing is borrowed, and where it was not timed on this problem. */
  readonly factor?: number;
  /** The default's time over the best, where it was timed. */
  readonly defaultFactor?: number;
}

/**
 * Leave-one-out: each entry is taken out of the table, the library's own rule chooses for its problem from what is left, and
 * what it chose is looked up among the times that were measured for the problem.
 */
export async function regrets(
  table: TuningTable,
  operation: Operation,
  points: readonly Point[],
): Promise<readonly Regret[]> {
  const found: Regret[] = [];
  for (const entry of orderedEntries(table)) {
    const best = bestRow(entry);
    if (!best) continue;
    const rest = { ...table, entries: table.entries.filter((other) => other !== entry) };
    const { candidates } = await select({
      tables: [rest],
      operation,
      problem: entry.problem,
      capabilities: table.device.capabilities,
      identity: table.device.identity,
      profile: table.profile,
    });
    const [{ variant, origin }] = candidates;
    const key = problemKey(entry.problem);
    const timed =
      entry.rows.find((row) => row.variant === variant)?.minUs ??
      points.find((point) => point.key === key && point.variant === variant)?.us;
    const borrowed = origin.kind === "table";
    found.push({
      entry,
      variant,
      ...(borrowed ? { from: origin.problem } : {}),
      ...(borrowed && timed !== undefined ? { factor: timed / best.minUs } : {}),
      ...(entry.defaultUs === undefined ? {} : { defaultFactor: entry.defaultUs / best.minUs }),
    });
  }
  return found;
}

/** Number, median and worst of some factors; undefined without any. */
export function summaryOf(factors: readonly (number | undefined)[]): RegretSummary | undefined {
  const known = factors.filter((factor) => factor !== undefined);
  if (known.length === 0) return undefined;
  return { count: known.length, median: median(known), worst: Math.max(...known) };
}
