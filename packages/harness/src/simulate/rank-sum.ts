import { cumulativeStdNormalProbability, median, wilcoxonRankSum } from "simple-statistics";
import { grouped, type Opponent, oneAfterTheOther } from "./opponent.ts";

/** P(U <= u) of the rank-sum statistic of n against m values without ties (Mann and Whitney 1947), by size. */
const known = new Map<string, readonly number[]>();

/** Numbers of ways to reach each U, by the recurrence over which side holds the largest value; as probabilities. */
export function rankSumProbabilities(n: number, m: number): readonly number[] {
  const key = `${n},${m}`;
  const found = known.get(key);
  if (found) return found;
  let table: number[][] = Array.from({ length: m + 1 }, () => [1]);
  for (let i = 1; i <= n; i += 1) {
    const next: number[][] = [[1]];
    for (let j = 1; j <= m; j += 1) {
      const share = i / (i + j);
      // The largest of i + j is one of the first i (and beats all j) with probability i / (i + j).
      next.push(
        Array.from(
          { length: i * j + 1 },
          (_, u) => share * (table[j]![u - j] ?? 0) + (1 - share) * (next[j - 1]![u] ?? 0),
        ),
      );
    }
    table = next;
  }
  let sum = 0;
  const below = table[m]!.map((chance) => {
    sum += chance;
    return sum;
  });
  known.set(key, below);
  return below;
}

/**
 * Two-sided p of the Mann-Whitney U test: exact without ties where `exact` asks for it, else the normal approximation with
 * corrections for ties and continuity (from a table of two digits of z, which ends at p = 0.002).
 */
export function rankSumP(a: readonly number[], b: readonly number[], exact: boolean): number {
  const [n, m] = [a.length, b.length];
  const u = wilcoxonRankSum([...a], [...b]) - (n * (n + 1)) / 2;
  const smaller = Math.min(u, n * m - u);
  const counts = new Map<number, number>();
  for (const value of [...a, ...b]) counts.set(value, (counts.get(value) ?? 0) + 1);
  if (exact && counts.size === n + m) {
    return Math.min(1, 2 * rankSumProbabilities(n, m)[Math.floor(smaller)]!);
  }
  const total = n + m;
  const ties = [...counts.values()].reduce((sum, size) => sum + size ** 3 - size, 0);
  const deviation = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))));
  if (deviation === 0) return 1;
  return Math.min(1, 2 * cumulativeStdNormalProbability((smaller + 0.5 - (n * m) / 2) / deviation));
}

/** Iterations that a repetition times together. */
const ITERATIONS = 10;
const COUNT = 10;
const REPETITIONS = 9;
const ALPHA = 0.05;

function rankSumRule(name: string, rule: string, repetitions: number, exact: boolean): Opponent {
  const samples = 2 * repetitions * ITERATIONS;
  return {
    name,
    rule,
    samples,
    compare: (open) => {
      const taken = oneAfterTheOther(open(), repetitions * ITERATIONS);
      const [a, b] = [grouped(taken.a, ITERATIONS), grouped(taken.b, ITERATIONS)];
      const p = rankSumP(a, b, exact);
      const ratio = median([...b]) / median([...a]);
      return { verdict: p < ALPHA ? "changed" : "unresolved", ratio, samples };
    },
  };
}

/**
 * benchstat (golang.org/x/perf, benchmath AssumeNothing): medians, Mann-Whitney U test at 0.05, exact where there are no ties; "~"
 * (no claim) otherwise. Its documentation asks for 10 or more runs a side, one program after the other.
 */
export const BENCHSTAT: Opponent = rankSumRule(
  "benchstat",
  `${COUNT} runs of A, ${COUNT} of B, each the mean of ${ITERATIONS}; Mann-Whitney U at 0.05, exact`,
  COUNT,
  true,
);

/**
 * Google Benchmark (tools/compare.py, gbench/report.py): Mann-Whitney U test at 0.05 over repetitions, 9 of which are "the lowest
 * reasonable number"; scipy takes the normal approximation from 9 on.
 */
export const GOOGLE_BENCHMARK: Opponent = rankSumRule(
  "Google Benchmark",
  `${REPETITIONS} repetitions of A, ${REPETITIONS} of B, each the mean of ${ITERATIONS}; Mann-Whitney U at 0.05, normal approximation`,
  REPETITIONS,
  false,
);
