import {
  type Operation,
  type Problem,
  problemKey,
  type Reference,
  type TuningTable,
} from "@tunelab/contract";
import { formatRate, formatTime, NOTHING } from "./format.ts";
import { columns, gridMarkdown } from "./grid.ts";
import { tableName } from "./input.ts";
import { escapeMarkdown } from "./markdown.ts";
import type { Page } from "./page.ts";
import type { Point } from "./points.ts";
import { bestRow } from "./summary.ts";

/** A figure of somebody else's, with the work of its problem by our formula. */
export interface OperationReference extends Reference {
  readonly operation: string;
  readonly flops: number;
}

/**
 * Others' figures as columns of their own: the problem, their time and rate on their device, and beside it the rate of our best
 * variant of the same size on each of our devices. Rates compare across batches; theirs are marked as theirs.
 */
export function referenceSection(
  page: Page,
  references: readonly OperationReference[],
  tables: readonly TuningTable[],
  pointsFor: (table: TuningTable) => readonly Point[],
  operation: Operation | undefined,
): void {
  if (references.length === 0) return;
  const shape = operation?.dimensions.filter(({ role }) => role === "shape").map(({ name }) => name) ?? ["n"];
  const sizeOf = (problem: Problem): string =>
    problemKey(Object.fromEntries(Object.entries(problem).filter(([name]) => shape.includes(name))));
  const ours = tables.map((table) => bestRates(table, pointsFor(table), sizeOf));
  page.heading(2, "Others' figures");
  page.text(
    `Not measured here: what documents and other libraries report, on their devices. Our columns give the best variant's rate at the same ${escapeMarkdown(shape.join(", "))}, for the largest batch that was measured; every rate by one formula.`,
  );
  page.text(
    gridMarkdown({
      columns: columns(
        "theirs: source",
        "device",
        "problem",
        "what",
        ">their time",
        ">their rate",
        ...tables.map((table) => `>ours: ${tableName(table, tables)}`),
      ),
      rows: references.map(({ source, device, problem, what, us, flops }) => [
        source,
        device,
        problemKey(problem),
        what,
        formatTime(us),
        rateText(flops / (us * 1e-6)),
        ...ours.map((rates) => {
          const rate = rates.get(sizeOf(problem));
          return rate === undefined ? NOTHING : rateText(rate);
        }),
      ]),
    }),
  );
}

const rateText = (rate: number): string => formatRate(rate, "FLOP/s");

/** FLOP/s of the best variant by size; of the problem with most work where several have the size. */
function bestRates(
  table: TuningTable,
  points: readonly Point[],
  sizeOf: (problem: Problem) => string,
): ReadonlyMap<string, number> {
  const found = new Map<string, { readonly flops: number; readonly rate: number }>();
  for (const entry of table.entries) {
    const best = bestRow(entry);
    const flops = points.find(({ key }) => key === problemKey(entry.problem))?.flops;
    if (!best || !flops || !(best.minUs > 0)) continue;
    const size = sizeOf(entry.problem);
    const known = found.get(size);
    if (!known || flops > known.flops) found.set(size, { flops, rate: flops / (best.minUs * 1e-6) });
  }
  return new Map([...found].map(([at, { rate }]) => [at, rate]));
}
