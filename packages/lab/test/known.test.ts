import type { TableRow, TuningTable } from "@tunelab/contract";
import { expect, it } from "vitest";
import { knownVariants } from "../src/known.ts";

const row = (rank: number, config: TableRow["config"]): TableRow =>
  ({ rank, algorithm: "fused", config }) as TableRow;
const table = (operation: string, n: number, ...rows: readonly TableRow[]): TuningTable =>
  ({ operation, entries: [{ problem: { n }, rows }] }) as unknown as TuningTable;

it("a session measures its own table's best, then the winners of other devices, each once", () => {
  const own = [table("filter", 64, row(1, { radix: 4 }), row(2, { radix: 8 }))];
  const published = [
    table("filter", 64, row(1, { radix: 16 }), row(2, { radix: 2 })),
    table("filter", 64, row(1, { radix: 4 })),
    table("filter", 64, row(1, { radix: 16 })),
    table("filter", 128, row(1, { radix: 32 })),
    table("eigh", 64, row(1, { radix: 64 })),
  ];
  expect(knownVariants(own, published)("filter", { n: 64 })).toEqual({
    incumbents: [{ algorithm: "fused", config: { radix: 4 } }],
    panel: [{ algorithm: "fused", config: { radix: 16 } }],
  });
  expect(knownVariants(own, published)("filter", { n: 256 })).toEqual({ incumbents: [], panel: [] });
});

it("the panel is at most 32 variants", () => {
  const many = Array.from({ length: 50 }, (_, radix) => table("filter", 64, row(1, { radix })));
  expect(knownVariants([], many)("filter", { n: 64 }).panel).toHaveLength(32);
});
