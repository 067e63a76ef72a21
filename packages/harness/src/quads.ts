import { Fault, type PairJudgement, type QuadNs } from "@tunelab/contract";
import { minimumDetectableEffect } from "./mde.ts";
import { QUADS } from "./protocol.ts";
import { type Interval, medianOf, signedRankInterval, signedRankP, walshAverages } from "./signed-rank.ts";

/** What is compared: A is the base, B the candidate. */
export type QuadSide = "A" | "B";

/** Whose slot is the `slot`-th (0 to 3) of a quad: x y y x cancels any drift that is linear within the quad. */
export function slotSide(first: QuadSide, slot: number): QuadSide {
  const outer = slot === 0 || slot === 3;
  return outer === (first === "A") ? "A" : "B";
}

/** Which side the `index`-th quad starts with: they alternate, so that being first favours nobody. */
export const firstSide = (index: number): QuadSide => (index % 2 === 0 ? "A" : "B");

/** d = (ln B1 + ln B2 - ln A1 - ln A2) / 2: log of B's time over A's; positive when B is slower. */
export function quadStatistic({ first, slotsNs }: QuadNs): number {
  const [outer1, inner1, inner2, outer2] = slotsNs;
  const d = (Math.log(inner1) + Math.log(inner2) - Math.log(outer1) - Math.log(outer2)) / 2;
  return first === "A" ? d : -d;
}

export interface QuadRules {
  /** Chance of a false `changed` over all looks. */
  readonly alpha: number;
  /** Kept quads after which a verdict is looked for, ascending; the last is the cap. */
  readonly looks: readonly number[];
  /** Fraction that a change must exceed with its whole interval. */
  readonly gate: number;
  /** Fraction within which the whole interval must lie for `same`. */
  readonly equivalence: number;
}

const { gate, equivalence } = QUADS;

/** Rules of reports. */
export const REPORT_QUADS: QuadRules = { alpha: QUADS.alpha, looks: QUADS.looks, gate, equivalence };

/** Rules of an exit code that fails a build. */
export const BUILD_QUADS: QuadRules = { ...QUADS.build, gate, equivalence };

/** The rules, where they can end and claim something. @throws Fault `usage` naming what is wrong. */
export function checkedRules(rules: QuadRules): QuadRules {
  const { alpha, looks, gate, equivalence } = rules;
  const ascending = looks.every((look, index) => Number.isInteger(look) && look > (looks[index - 1] ?? 0));
  if (looks.length === 0 || !ascending) {
    throw new Fault(
      "usage",
      `looks at ${looks.join(", ") || "no"} quads: give ascending whole numbers from 1`,
    );
  }
  if (!(alpha > 0 && alpha < 1)) throw new Fault("usage", `alpha ${alpha}: give a chance between 0 and 1`);
  if (!(gate >= 0 && equivalence > gate)) {
    throw new Fault(
      "usage",
      `gate ${gate}, equivalence ${equivalence}: give fractions, the gate the smaller`,
    );
  }
  return rules;
}

/** The verdict that an interval of log ratios allows. Bounds are log1p of the fractions, so that A and B may be exchanged. */
export function verdictOf(
  { low, high }: Interval,
  rules: Pick<QuadRules, "gate" | "equivalence">,
): PairJudgement["verdict"] {
  const gate = Math.log1p(rules.gate);
  const band = Math.log1p(rules.equivalence);
  if (low > gate || high < -gate) return "changed";
  return low >= -band && high <= band ? "same" : "unresolved";
}

/**
 * Judges the statistics of kept quads of one process: Hodges-Lehmann estimate, Wilcoxon signed-rank interval at
 * 1 - alpha / looks (Bonferroni over the looks). Never bootstraps single samples: neighbours are correlated, and an
 * interval that ignores this is too narrow.
 */
export function judgeQuads(statistics: readonly number[], rules: QuadRules = REPORT_QUADS): PairJudgement {
  const count = statistics.length;
  const level = rules.alpha / rules.looks.length;
  const averages = walshAverages(statistics);
  const interval = signedRankInterval(averages, count, level);
  return {
    verdict: verdictOf(interval, rules),
    ratio: count === 0 ? Number.NaN : Math.exp(medianOf(averages)),
    low: Math.exp(interval.low),
    high: Math.exp(interval.high),
    confidence: 1 - level,
    p: Math.min(1, rules.looks.length * signedRankP(averages, count, Math.log1p(rules.gate))),
    mde: Math.expm1(minimumDetectableEffect(statistics, { alpha: level })),
    count,
  };
}
