import type { Trial } from "@tunelab/contract";
import type { SearchVerdict } from "@tunelab/selection";
import { describe, expect, it } from "vitest";
import { type RandomExpectation, verdictsFiles, verdictsGrid, verdictsPage } from "../src/index.ts";

const timed = (us: number, variant: string): Trial =>
  ({ status: "ok", variant, timing: { samplesNs: [us * 1000], repeats: 1 } }) as unknown as Trial;

const account = (session: string, strategy: string, measure: number) => ({
  ...{ session, strategy, seed: 7, trials: 42, plans: 40 },
  spentMs: { measure, verify: 25_000 },
});

const verdict = (n: number, more: Partial<SearchVerdict> = {}): SearchVerdict => ({
  ...{ operation: "matched-filter", problem: { n, pairs: 64 } },
  ...{ deviceSlug: "nvidia-h200", device: "NVIDIA H200", profile: "portable" },
  exhaustive: account(`all-${n}`, "exhaustive", 75_000),
  search: account(`search-${n}`, "model", 25_000),
  ...{ best: timed(100, "a"), chosen: timed(98, "b"), there: timed(102.5, "b") },
  ...{ place: 4, behind: 0.025 },
  timesNs: [100, 101, 102, 102.5, 200].map((us) => us * 1000),
  foundNs: [200, 200, 101, 100.5].map((us) => us * 1000),
  ...more,
});

const flat: RandomExpectation = (_, most) => Array.from({ length: most }, () => 200_000);

describe("the page on searches beside exhaustive passes", () => {
  it("tells how far behind each ended, after how many variants it was within 1%, and where the time went", () => {
    const text = verdictsPage([verdict(1024), verdict(2048)], flat)!.markdown();
    expect(text).toContain("## matched-filter on NVIDIA H200, profile portable");
    expect(text).toContain("All: pairs=64.");
    expect(text).toContain(
      "| n=1024 | 40 | 100 µs | model, seed 7 | 40 | 3 | 98.0 µs | 103 µs | 2.50% | 4 of 5 | b |",
    );
    expect(text).toContain("| `all-1024` | n=1024 | exhaustive | 42 | 100 s | 75.0% | 25.0% |");
    expect(text).toContain("| `search-2048` | n=2048 | model | 42 | 50.0 s | 50.0% | 50.0% |");
  });

  it("leaves blank what it cannot tell: a choice without a time in the exhaustive pass, and one never within 1%", () => {
    const never = verdict(1024, { there: undefined, place: undefined, behind: undefined, foundNs: [2e5] });
    expect(verdictsGrid([never]).rows[0]!.slice(5, 10)).toEqual(["--", "98.0 µs", "--", "--", "--"]);
  });

  it("draws a line a session, and one a problem for what random search is expected to find", async () => {
    const again = verdict(1024, { search: account("again", "local", 1) });
    const page = verdictsPage([verdict(1024), again], flat)!;
    const { values } = page.charts[0]!.spec.data as {
      values: { id: string; by: string; fraction: number }[];
    };
    expect([...new Set(values.map(({ id }) => id))]).toEqual(["search-1024", "again", "random all-1024"]);
    const of = (id: string) => values.filter((value) => value.id === id).map(({ fraction }) => fraction);
    expect(of("search-1024")).toEqual([0.5, 100 / 101, 100 / 100.5]);
    expect(of("random all-1024")).toEqual([0.5, 0.5]);
    const files = await verdictsFiles([verdict(1024), again], flat);
    expect(files.map(({ file }) => file)).toEqual(["search/exhaustive.md", "search/exhaustive.svg"]);
  });

  it("is nothing where nothing was measured exhaustively", async () => {
    expect(await verdictsFiles([], flat)).toEqual([]);
  });
});
