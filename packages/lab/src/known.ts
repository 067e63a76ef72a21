import { canonicalJson, type Problem, problemKey, type TableRow, type TuningTable } from "@tunelab/contract";
import type { KnownVariants } from "@tunelab/tuner";

/** Variants of other devices that a session measures at most, its defaults and incumbents among them. */
const PANEL = 32;

/**
 * What a session measures of a problem before any search: the best of the user's own table, which a race must beat, and the panel,
 * the winners of every published table for the very same problem, so that devices can be compared row by row.
 */
export function knownVariants(
  own: readonly TuningTable[],
  published: readonly TuningTable[],
): (operation: string, problem: Problem) => KnownVariants {
  const winners = (
    tables: readonly TuningTable[],
    operation: string,
    problem: Problem,
  ): readonly TableRow[] =>
    tables
      .filter((table) => table.operation === operation)
      .flatMap(({ entries }) => entries.filter((entry) => problemKey(entry.problem) === problemKey(problem)))
      .flatMap(({ rows }) => rows.filter(({ rank }) => rank === 1));
  return (operation, problem) => {
    const seen = new Set<string>();
    const fresh = (rows: readonly TableRow[]): KnownVariants["panel"] =>
      rows
        .map(({ algorithm, config }) => ({ algorithm, config }))
        .filter((one) => {
          const key = canonicalJson(one);
          return !seen.has(key) && seen.add(key);
        });
    const incumbents = fresh(winners(own, operation, problem));
    return { incumbents, panel: fresh(winners(published, operation, problem)).slice(0, PANEL) };
  };
}
