import type {
  RuleOption,
  StudyAuto,
  StudyCell,
  StudyChoice,
  StudyPlan,
  StudyReference,
  StudyVariant,
  Trip,
} from "@tunelab/contract";
import { type ChoiceRow, type ChoiceSpace, type Cost, fitRule } from "./fit.ts";
import { heldOutRegret, pickOf, regretOf } from "./regret.ts";

/** What the library learns from a study's cells: the rule, what it takes on each row, and its regret. */
export function studyAuto(
  plan: StudyPlan,
  cells: readonly (readonly StudyCell[])[],
  trip?: Trip,
): StudyAuto | undefined {
  const { chooses } = plan;
  if (!chooses) return undefined;
  const names = plan.columns.map(({ name }) => name);
  const space: ChoiceSpace = {
    options: chooses.of.map((option) => optionOf(plan, chooses, option, names)),
    dimensions: plan.dimensions,
    ordered: chooses.ordered,
  };
  // Against the CPU a call on the device counts as a whole.
  const isHost = (name: string): boolean =>
    plan.rows.some((row) => row.cells[names.indexOf(name)] === "host");
  const whole = trip && chooses.of.some(({ columns }) => columns.some(isHost)) ? trip : undefined;
  const rows = plan.rows.map(({ problem, bytes }, row): ChoiceRow => {
    const costs = chooses.of.map(({ columns }) =>
      cheapest(
        columns.map((name) => {
          const cost = costOf(cells[row]![names.indexOf(name)]!, plan.budgetMs);
          const added = whole && !isHost(name) ? tripUsOf(whole, bytes) : 0;
          return cost && "us" in cost ? { us: cost.us + added } : cost;
        }),
      ),
    );
    return { problem, costs };
  });
  return autoOf(rows, space);
}

/** Microseconds that a call pays beside its kernel to send and read so many bytes. */
export const tripUsOf = ({ roundTripMs, msPerByte }: Trip, bytes = 0): number =>
  1000 * (roundTripMs + bytes * msPerByte);

/** The same from somebody else's figures for the study's rows; a text in place of one is more than the row's largest. */
export function referenceAuto(
  { rows }: StudyReference,
  { of, ordered }: StudyChoice,
  dimensions: readonly string[],
): StudyAuto | undefined {
  const space: ChoiceSpace = { options: of.map(({ name }) => ({ name, config: {} })), dimensions, ordered };
  return autoOf(
    rows.map(({ problem, figures }): ChoiceRow => {
      const most = Math.max(...Object.values(figures).filter((one) => typeof one === "number"));
      const costs = of.map(({ columns }) =>
        cheapest(
          columns.map((name): Cost => {
            const us = figures[name];
            return us === undefined ? undefined : typeof us === "number" ? { us } : { over: most };
          }),
        ),
      );
      return { problem, costs };
    }),
    space,
  );
}

function autoOf(rows: readonly ChoiceRow[], space: ChoiceSpace): StudyAuto | undefined {
  const rule = fitRule(rows, space);
  if (!rule) return undefined;
  const picks = rows.map((row) => pickOf(rule, row, space));
  const heldOut = heldOutRegret(rows, space);
  return { rule, regret: regretOf(picks)!, ...(heldOut ? { heldOut } : {}), rows: picks };
}

/** The algorithm that all of an option's cells share, and the chosen parameters where they are one value throughout. */
function optionOf(
  { rows }: StudyPlan,
  { parameters }: StudyChoice,
  { name, columns }: StudyChoice["of"][number],
  names: readonly string[],
): RuleOption {
  const variants = rows.flatMap(({ cells }) =>
    columns.flatMap((column): StudyVariant[] => {
      const cell = cells[names.indexOf(column)];
      return cell && cell !== "host" ? [cell] : [];
    }),
  );
  const [first, ...others] = variants;
  if (!first || others.some(({ algorithm }) => algorithm !== first.algorithm)) return { name, config: {} };
  const fixed = parameters.filter((one) => others.every(({ config }) => config[one] === first.config[one]));
  return {
    name,
    algorithm: first.algorithm,
    config: Object.fromEntries(fixed.map((one) => [one, first.config[one]!])),
  };
}

/** Of a cell: its time, or the budget where it was too slow to run; nothing where the device or the problem has none of it. */
function costOf({ status, us, variant }: StudyCell, budgetMs: number): Cost {
  if (us !== undefined) return { us };
  // A device refuses a variant that it was asked for; what was over the budget was never asked for.
  const cannot =
    status === "absent" || status === "unmeasured" || (status === "refused" && variant !== undefined);
  return cannot ? undefined : { over: 1000 * budgetMs };
}

function cheapest(costs: readonly Cost[]): Cost {
  const known = costs.flatMap((cost) => (cost ? [cost] : []));
  const value = (cost: NonNullable<Cost>): number => ("us" in cost ? cost.us : cost.over);
  const timed = known.filter((cost) => "us" in cost);
  return (timed.length > 0 ? timed : known).toSorted((a, b) => value(a) - value(b))[0];
}
