import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault, type SessionEvidence, type SpaceScore, type StrategyScore } from "@tunelab/contract";
import { type RandomExpectation, type SearchSubject, searchFiles, verdictsFiles } from "@tunelab/report";
import { searchVerdicts } from "@tunelab/selection";
import { quotedCounts, type ReplayResult, randomBaseline, yardstick } from "@tunelab/tuner";
import * as v from "valibot";
import { writeWhole } from "./session.ts";

/** Where the committed score files lie, one a strategy, below the checkout's root. */
const SEARCH = "reports/search";

/** The comparisons of strategies, each of a folder of score files. */
const SUBJECTS: readonly SearchSubject[] = [
  {
    name: "strategies",
    title: "Search strategies",
    spaces: "exhaustively measured spaces of other people's kernels",
    scores: "scores",
  },
  {
    name: "own-spaces",
    title: "Search strategies on the spaces measured here",
    spaces:
      "the matched filter's spaces that were [measured exhaustively here](exhaustive.md) (`pnpm lab results export SESSION --replay FOLDER` writes them)",
    scores: "own-scores",
  },
];

/** Scores that a page cannot show or that no replay gives. */
const fraction = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const shared = {
  score: v.optional(v.pipe(v.number(), v.maxValue(1))),
  fractionOfOptimum: v.record(v.string(), fraction),
};
const SCORE = v.object({
  strategy: v.string(),
  runs: v.number(),
  evaluations: v.number(),
  seed: v.number(),
  ...shared,
  spaces: v.array(
    v.object({
      space: v.string(),
      kernel: v.string(),
      device: v.string(),
      configurations: v.number(),
      valid: v.number(),
      optimumMs: v.number(),
      medianMs: v.number(),
      budget: v.number(),
      ...shared,
    }),
  ),
});

/** A replay's result as score files and `--json` have it. */
export function scoreOfSpace(space: string, { fractions, ...result }: ReplayResult): SpaceScore {
  return {
    space,
    ...result,
    fractionOfOptimum: Object.fromEntries(
      quotedCounts(fractions.length).map((count) => [count, fractions[count - 1]!]),
    ),
  };
}

/** Writes one file a strategy; resolves to their paths. */
export async function writeScores(
  folder: string,
  scores: readonly StrategyScore[],
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const score of scores) {
    const path = join(folder, `${score.strategy}.json`);
    await writeWhole(path, `${JSON.stringify(score, null, 2)}\n`);
    paths.push(path);
  }
  return paths;
}

/** The committed scores of a folder by strategy; none where none were saved. @throws Fault `data` naming the file and what is wrong. */
export async function readScores(root: string, scores: string): Promise<readonly StrategyScore[]> {
  const folder = `${SEARCH}/${scores}`;
  const names = await readdir(join(root, folder)).catch(() => []);
  const files = names.filter((name) => name.endsWith(".json")).sort();
  return Promise.all(
    files.map(async (name) => {
      try {
        return v.parse(SCORE, JSON.parse(await readFile(join(root, folder, name), "utf8"))) as StrategyScore;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new Fault("data", `${folder}/${name}: ${why}: write it again with \`pnpm lab replay --save\``);
      }
    }),
  );
}

/** What random search is expected to have found, as replays score it. */
const randomNs: RandomExpectation = (timesNs, most) => {
  const stick = yardstick(timesNs);
  return Array.from({ length: most }, (_, index) => randomBaseline(stick, index + 1));
};

/**
 * The comparison of search strategies from the committed scores, and the published searches beside exhaustive passes: paths from the
 * checkout's root, and texts.
 */
export async function generatedSearch(
  root: string,
  evidence: readonly SessionEvidence[],
): Promise<ReadonlyMap<string, string>> {
  const files = [...(await verdictsFiles(searchVerdicts(evidence), randomNs))];
  for (const subject of SUBJECTS)
    files.push(...(await searchFiles(await readScores(root, subject.scores), subject)));
  return new Map(files.map(({ file, text }) => [`reports/${file}`, text]));
}
