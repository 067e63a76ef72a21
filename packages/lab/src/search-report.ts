import { join } from "node:path";
import { quotedCounts, type ReplayResult, type StrategyName } from "@tunelab/tuner";
import { writeWhole } from "./session.ts";

/** What a strategy reached on one space. */
export interface SpaceScore {
  readonly space: string;
  readonly kernel: string;
  readonly device: string;
  readonly configurations: number;
  readonly valid: number;
  readonly optimumMs: number;
  readonly medianMs: number;
  readonly budget: number;
  readonly score?: number;
  /** Mean fraction of the optimum by the number of evaluations. */
  readonly fractionOfOptimum: Readonly<Record<string, number>>;
}

/** What a strategy reached on all spaces: one committed score file. */
export interface Score {
  readonly strategy: StrategyName;
  readonly runs: number;
  readonly evaluations: number;
  readonly seed: number;
  readonly score?: number;
  readonly fractionOfOptimum: Readonly<Record<string, number>>;
  readonly spaces: readonly SpaceScore[];
}

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
export async function writeScores(folder: string, scores: readonly Score[]): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const score of scores) {
    const path = join(folder, `${score.strategy}.json`);
    await writeWhole(path, `${JSON.stringify(score, null, 2)}\n`);
    paths.push(path);
  }
  return paths;
}
