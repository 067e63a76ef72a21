import { chooseDevice } from "@tunelab/devices";
import { describe, expect, it } from "vitest";
import { complaints, rowsOf } from "../src/spirv/rows.ts";
import type { Subject } from "../src/spirv/texts.ts";

const embedded = process.platform === "linux" && process.arch === "x64";
const quiet = { out: () => {}, note: () => {}, interactive: false, signal: new AbortController().signal };

describe.skipIf(!embedded)("the matched filter in steps", () => {
  it("has no index that is clamped but those of its trees, which the ledger names, and none at all with subgroup maxima", async () => {
    const of = (n: number, variant: string): Subject => ({
      ...{ kernel: "matched-filter", variant, sources: ["sample"] },
      problem: { n, data: 1, templates: 1, pairs: 1 },
    });
    const rest = "radix=4,chunk=4,staging=split,padding=16,gap=2";
    const rows = await rowsOf(
      await chooseDevice("swiftshader"),
      [
        of(32_768, "four-step"),
        of(
          32_768,
          `four-step/${rest},points=8,reduction=subgroup,loads=vector,rows=2,twiddles=constant,between=walk`,
        ),
        of(1_048_576, `four-step/${rest},points=16,side=2,reduction=subgroup,rows=1,between=direct`),
      ],
      quiet,
    );
    const stages = ["columns", "rows", "finish"];
    expect(rows.map(({ stage }) => stage)).toEqual([...stages, ...stages, ...stages]);
    expect(complaints(rows)).toEqual([]);
    // Six levels of a tree over 64 threads, a key and an index each.
    expect(rows.map(({ portable }) => portable.avoidable)).toEqual([0, 12, 12, 0, 0, 0, 0, 0, 0]);
    expect(rows.map(({ unnamed }) => unnamed)).toEqual(rows.map(() => 0));
  }, 120_000);
});
