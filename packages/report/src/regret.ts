import { type Operation, problemKey, type TableEntry, type TuningTable } from "@tunelab/contract";
import { select } from "@tunelab/selection";
import type { Point } from "./points.ts";
import { bestRow, orderedEntries } from "./summary.ts";

/** What the library would lose on a problem if the table had no entry for it. */
export interface Regret {
  readonly entry: TableEntry;
  /** What it would run, and why: the nearest entry's best, or the operation's default. */
  readonly variant: string;
  readonly from: string;
  /** Its time over the best; absent where that variant was not timed on this problem. */
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
    found.push({
      entry,
      variant,
      from: origin.kind === "table" ? `the entry of ${problemKey(origin.problem)}` : "the default",
      ...(timed === undefined ? {} : { factor: timed / best.minUs }),
      ...(entry.defaultUs === undefined ? {} : { defaultFactor: entry.defaultUs / best.minUs }),
    });
  }
  return found;
}
