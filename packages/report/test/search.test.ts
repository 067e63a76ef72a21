import type { StrategyScore } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { type SearchSubject, searchFiles, searchPage } from "../src/index.ts";

const scored = (strategy: string, score: number | undefined, at100: number): StrategyScore => ({
  strategy,
  runs: 25,
  evaluations: 100,
  seed: 1,
  ...(score === undefined ? {} : { score }),
  fractionOfOptimum: { "1": 0.3, "10": at100 / 2, "100": at100 },
  spaces: [
    {
      space: "bowl",
      kernel: "bowl",
      device: "gpu",
      configurations: 64,
      valid: 60,
      optimumMs: 1,
      medianMs: 9,
      budget: 20,
      ...(score === undefined ? {} : { score }),
      fractionOfOptimum: { "100": at100 },
    },
  ],
});

const subject: SearchSubject = { name: "own", title: "Ours", spaces: "spaces of ours", scores: "own-scores" };

describe("the comparison of search strategies", () => {
  it("ranks by score and quotes what every strategy was replayed to", () => {
    const text = searchPage(
      [scored("random", 0.1, 0.8), scored("fresh", undefined, 0.7), scored("model", 0.8, 0.97)],
      subject,
    )!.markdown();
    const rows = text.split("\n").filter((line) => /^\| `(model|random|fresh)`/.test(line));
    expect(rows).toEqual([
      "| `model` | 0.800 | 0.485 | 0.970 | 25 |",
      "| `random` | 0.100 | 0.400 | 0.800 | 25 |",
      "| `fresh` | -- | 0.350 | 0.700 | 25 |",
    ]);
    expect(text).toContain("| `bowl` | gpu | 60 of 64 | 1.000 ms | 9.000 ms | 20 | 0.800 | 0.100 | -- |");
    expect(text).not.toContain("@500");
  });

  it("is a page and a chart, drawn the same whatever order the scores come in", async () => {
    const scores = [scored("model", 0.8, 0.97), scored("random", 0.1, 0.8)];
    const files = await searchFiles(scores, subject);
    expect(files.map(({ file }) => file)).toEqual(["search/own.md", "search/own.svg"]);
    expect(files[0]!.text).toContain("replayed on spaces of ours, with");
    expect(files[0]!.text).toContain("`pnpm lab replay FILES --save reports/search/own-scores`");
    expect(files[1]!.text).toContain("Fraction of the optimum found");
    expect(await searchFiles([...scores].reverse(), subject)).toEqual(files);
  });

  it("is nothing without scores", async () => {
    expect(await searchFiles([], subject)).toEqual([]);
  });
});
