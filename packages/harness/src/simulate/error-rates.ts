import { type ComparisonFigures, comparisonFigures, OPPONENTS, SCENARIOS } from "./comparisons.ts";
import { DETECTABLE_RULES, type DetectableFigures, detectableFigures } from "./detectable.ts";
import { NOISE_KINDS, type NoiseKind } from "./noise.ts";
import { type Field, SCHEMES, type SelectionFigures, selectionFigures } from "./races.ts";
import type { Seeded } from "./variates.ts";

export interface ErrorRateOptions {
  /** Runs behind each figure. */
  readonly runs: number;
  readonly seed: number;
  readonly seeded: Seeded;
}

/** Figures of every rule in every scenario, shares rounded to five digits. */
export interface ErrorRates {
  readonly runs: number;
  readonly seed: number;
  readonly comparisons: readonly ComparisonFigures[];
  readonly selections: readonly SelectionFigures[];
  readonly detectable: readonly DetectableFigures[];
}

/** Crowded fields cost most and teach the same under each noise: three kinds stand for all. */
const CROWD_KINDS: readonly NoiseKind[] = ["ar", "clock", "all"];

const selectionCells: readonly { readonly field: Field; readonly kind: NoiseKind }[] = [
  ...NOISE_KINDS.map((kind) => ({ field: "wide" as const, kind })),
  ...CROWD_KINDS.map((kind) => ({ field: "crowd" as const, kind })),
];

/** Cells of the whole, each simulated in one go: what progress counts. */
export const ERROR_RATE_CELLS: number =
  OPPONENTS.length * SCENARIOS.length +
  SCHEMES.length * selectionCells.length +
  NOISE_KINDS.length * DETECTABLE_RULES.length;

/**
 * Simulates everything. `between` is called after each cell and may wait: a breath for whoever else runs on the thread, and
 * the place from which to stop by rejecting. The same seed gives the same figures.
 */
export async function errorRates(
  { runs, seed, seeded }: ErrorRateOptions,
  between: (done: number, what: string) => Promise<void> = async () => {},
): Promise<ErrorRates> {
  const comparisons: ComparisonFigures[] = [];
  const selections: SelectionFigures[] = [];
  const detectable: DetectableFigures[] = [];
  const options = { runs, seed, seeded };
  let done = 0;
  for (const opponent of OPPONENTS) {
    for (const scenario of SCENARIOS) {
      comparisons.push(rounded(comparisonFigures(opponent, scenario, options)));
      await between(++done, `${opponent.name} under ${scenario}`);
    }
  }
  for (const scheme of SCHEMES) {
    for (const { field, kind } of selectionCells) {
      selections.push(rounded(selectionFigures(scheme, field, kind, options)));
      await between(++done, `${scheme.name} under ${kind}`);
    }
  }
  for (const rule of DETECTABLE_RULES) {
    for (const kind of NOISE_KINDS) {
      detectable.push(rounded(detectableFigures(kind, rule, options)));
      await between(++done, `detectable effects under ${kind}`);
    }
  }
  return { runs, seed, comparisons, selections, detectable };
}

/** Five decimals: finer than 3000 runs can tell, coarse enough that engines agree. */
function rounded<T extends object>(figures: T): T {
  const entries = Object.entries(figures).map(([key, value]) => [
    key,
    typeof value === "number" ? Math.round(value * 1e5) / 1e5 : value,
  ]);
  return Object.fromEntries(entries) as T;
}
