import { type ComparisonRow, type ComparisonRules, type ReferenceSeries, SIDES } from "@tunelab/contract";
import { formatRate } from "./format.ts";

/** The procedure of reference ratios in words, without its constants. */
export const byReferenceText = ({ processes, looks }: Pick<ComparisonRules, "processes" | "looks">): string =>
  `Not paired: reference ratios (${processes} processes a side, each ${looks[0]} timings between two of a kernel of the same ` +
  "device; the ratio compares times in units of that kernel's work, and both sides' scatter widens its interval)";

/** What each row was told by, and how fast either device runs it. */
export function referenceRemarks({ outcomes }: ComparisonRow): readonly string[] {
  const [base, candidate] = SIDES.map(
    (side) => outcomes.find(({ references }) => references?.[side])?.references?.[side],
  );
  if (!base?.anchor || !candidate?.anchor) return [];
  const names = [...new Set([base.anchor.name, candidate.anchor.name])].join(" and ");
  return [`told by ${names}, which runs at ${rateText(base)} (base) and ${rateText(candidate)} (candidate)`];
}

/** Median rate of the reference beside a side's timings. */
function rateText({ anchor, reference }: ReferenceSeries): string {
  const samples = [...(anchor?.samplesNs ?? [])].sort((a, b) => a - b);
  const perSecond = ((anchor?.amount ?? Number.NaN) * 1e9) / (samples[samples.length >> 1] ?? Number.NaN);
  return formatRate(perSecond, reference === "fma" ? "FLOP/s" : "B/s");
}
