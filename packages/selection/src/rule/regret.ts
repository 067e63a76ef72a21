import type { Regret, Rule, RulePick } from "@tunelab/contract";
import { median, round, TIME_DIGITS } from "../rules.ts";
import { preferences } from "./apply.ts";
import { bestOf, type ChoiceRow, type ChoiceSpace, fitRule } from "./fit.ts";

/** What a rule takes on a row, and its time over the row's best; `over` counts as what is known of it. */
export function pickOf(rule: Rule, row: ChoiceRow, { options }: ChoiceSpace): RulePick {
  const best = bestOf(row.costs);
  for (const option of preferences(rule, row.problem)) {
    const cost = row.costs[options.findIndex(({ name }) => name === option)];
    if (!cost) continue;
    const us = "us" in cost ? cost.us : cost.over;
    return { option, ...(best === undefined ? {} : { ratio: round(us / best, TIME_DIGITS) }) };
  }
  return {};
}

/** Number, median and worst of some picks' factors; undefined without one. */
export function regretOf(picks: readonly RulePick[]): Regret | undefined {
  const factors = picks.flatMap(({ ratio }) => ratio ?? []);
  if (factors.length === 0) return undefined;
  return { count: factors.length, median: round(median(factors), TIME_DIGITS), worst: Math.max(...factors) };
}

/**
 * The regret on rows that the rule has not seen: all rows of each value of the first dimension are left out in turn, and the rule of the
 * others chooses for them. Undefined where there is one value alone.
 */
export function heldOutRegret(rows: readonly ChoiceRow[], space: ChoiceSpace): Regret | undefined {
  const [first] = space.dimensions;
  const groupOf = ({ problem }: ChoiceRow): unknown => (first === undefined ? undefined : problem[first]);
  const values = [...new Set(rows.map(groupOf))];
  if (values.length < 2) return undefined;
  return regretOf(
    values.flatMap((value) => {
      const rule = fitRule(
        rows.filter((row) => groupOf(row) !== value),
        space,
      );
      return rule ? rows.filter((row) => groupOf(row) === value).map((row) => pickOf(rule, row, space)) : [];
    }),
  );
}
