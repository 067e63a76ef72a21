import { problemKey } from "@tunelab/contract";
import type { Candidate, Refusal, Selection } from "./select.ts";

/** Why a variant runs, as data for machines and one line for people. */
export interface Explanation {
  readonly variant: string;
  /** Path of the table below `tables/`; absent for the operation's default. */
  readonly table?: string;
  /** Whether the table is another device's, compiler's or profile's. */
  readonly borrowed: boolean;
  readonly why: string;
  /** Microseconds of the whole batch, where this problem was measured on this device. */
  readonly expectedUs?: number;
  readonly refused: readonly Refusal[];
}

const RELATION = {
  device: "this device",
  architecture: "a device of the same architecture",
  vendor: "a device of the same vendor",
  similar: "a device with similar limits",
  any: "the only device measured so far that helps",
} as const;

/** The candidate's explanation; `candidate` is the selection's first unless an earlier one could not run. */
export function explain(selection: Selection, candidate: Candidate = selection.candidates[0]): Explanation {
  const { variant, origin } = candidate;
  const { refused } = selection;
  if (origin.kind === "default") {
    const why = `the default of ${candidate.algorithm.name}: no table has a row for ${problemKey(selection.problem)} that runs here`;
    return { variant, borrowed: false, why, refused };
  }
  if (origin.kind === "rule") {
    const { own, table, why } = origin;
    return { variant, table, borrowed: !own, why, refused };
  }
  if (origin.kind === "pinned") return { variant, borrowed: false, why: "pinned by the call", refused };
  if (origin.kind === "calibrated") {
    const { us, raced, problem } = origin.calibrated;
    const where = origin.exact ? "" : ` at ${problemKey(problem)}`;
    return {
      ...{ variant, borrowed: false, refused },
      why: `fastest of ${raced} that raced on this device${where}: ${us} us`,
      ...(origin.exact ? { expectedUs: us } : {}),
    };
  }
  const { table, own, closeness, row, distance, problem } = origin;
  const measured =
    closeness === "device" && !own
      ? "this device under another compiler, backend or profile"
      : RELATION[closeness];
  const nearest = distance === 0 ? "" : `, nearest measured problem ${problemKey(problem)}`;
  const place = row.tie ? `rank ${row.rank} (a tie)` : `rank ${row.rank}`;
  return {
    variant,
    table,
    borrowed: !own,
    why: `${place} of ${row.minUs} us on ${measured}${nearest}`,
    ...(own && distance === 0 ? { expectedUs: row.minUs } : {}),
    refused,
  };
}
