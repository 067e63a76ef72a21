import type { TableEntry, TableRow, TuningTable } from "@tunelab/contract";

/** Of a row what choosing a variant, and saying why, reads. Every `TableRow` is one. */
export type ShippedRow = Pick<
  TableRow,
  "rank" | "variant" | "algorithm" | "config" | "minUs" | "tie" | "maxError"
>;

export interface ShippedEntry extends Pick<TableEntry, "problem" | "agedOn"> {
  readonly rows: readonly ShippedRow[];
}

/** A table as the library has it. Every `TuningTable` is one. */
export interface ShippedTable extends Omit<TuningTable, "ceilings" | "entries" | "sessions"> {
  readonly entries: readonly ShippedEntry[];
}
