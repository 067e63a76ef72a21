import type { Problem, Rule, RuleOption } from "@tunelab/contract";
import { compareText, round, TIME_DIGITS } from "../rules.ts";
import { logSize, nearestFirst } from "./apply.ts";

/** One problem and what each option takes on it, in the order of the options. */
export interface ChoiceRow {
  readonly problem: Problem;
  /** Microseconds; `over`: known to take at least so long, and never run; absent: the option cannot run, and the next one is taken. */
  readonly costs: readonly Cost[];
}

export type Cost = { readonly us: number } | { readonly over: number } | undefined;

/** What is chosen among, and by what. */
export interface ChoiceSpace {
  readonly options: readonly RuleOption[];
  /** Dimensions that make the size; the first always counts in full. */
  readonly dimensions: readonly string[];
  /** The options keep their order or its reverse; else every order of the few that there are is tried. */
  readonly ordered: boolean;
}

/** Powers of the further dimensions that are tried: eighths are finer than measured rows can tell. */
const POWERS: readonly number[] = Array.from({ length: 17 }, (_, index) => (index - 8) / 8);

/** Options of which every order is tried; beyond, 120 orders of five would fit any noise. */
const MOST_ORDERED_FREELY = 4;

/** A step must save so much (log of the time, summed over the rows): under the 2% that certify a time it is noise. */
const STEP_COST = 0.02;

/** Of two powers the one with less of the further dimensions is the simpler, unless the other saves this much. */
const POWER_COST = 0.002;

/**
 * The rule of the least regret: for each power of the further dimensions rows are ordered by size, and the cheapest run of options in
 * their order is found exactly, by dynamic programming over the rows. What is minimised is the sum of log(time / best time), and
 * STEP_COST for each step. Undefined where no row has a time. Pure; the same rows in any order give the same rule.
 */
export function fitRule(rows: readonly ChoiceRow[], space: ChoiceSpace): Rule | undefined {
  const timed = space.options.map((_, index) => rows.some(({ costs }) => usOf(costs[index]) !== undefined));
  const used = space.options.flatMap((_, index) => (timed[index] ? [index] : []));
  const usable = rows.filter(({ costs }) => bestOf(costs) !== undefined);
  if (used.length === 0) return undefined;
  let best: { readonly rule: Rule; readonly loss: number } | undefined;
  for (const order of ordersOf(used, space.ordered)) {
    const options = order.map((index) => space.options[index]!);
    const losses = usable.map(({ problem, costs }) => ({
      problem,
      losses: lossesOf(order.map((index) => costs[index])),
    }));
    for (const powers of powersOf(space.dimensions)) {
      const found = stepsAlong(losses, options, powers);
      if (found && (!best || found.loss < best.loss - 1e-9)) best = found;
    }
  }
  return best?.rule;
}

/** Least time of a row; undefined without any. */
export function bestOf(costs: readonly Cost[]): number | undefined {
  const times = costs.flatMap((cost) => usOf(cost) ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** What an option comes to on a row: its own cost, or that of the nearest that can run. */
export function resolvedCost(costs: readonly Cost[], index: number): Cost {
  for (const other of nearestFirst(costs.length, index)) if (costs[other]) return costs[other];
  return undefined;
}

const usOf = (cost: Cost): number | undefined => (cost && "us" in cost ? cost.us : undefined);

/** log(cost / best) of each option on a row. */
function lossesOf(costs: readonly Cost[]): readonly number[] {
  const best = bestOf(costs)!;
  return costs.map((_, index) => {
    const cost = resolvedCost(costs, index)!;
    return Math.log(Math.max(1, ("us" in cost ? cost.us : cost.over) / best));
  });
}

function ordersOf(used: readonly number[], ordered: boolean): readonly (readonly number[])[] {
  if (ordered || used.length > MOST_ORDERED_FREELY)
    return used.length > 1 ? [used, used.toReversed()] : [used];
  return permutations(used);
}

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  );
}

/** Powers of the dimensions, the simplest first. */
function powersOf(dimensions: readonly string[]): readonly Rule["powers"][] {
  const [first, ...others] = dimensions;
  let all: Rule["powers"][] = first === undefined ? [{}] : [{ [first]: 1 }];
  for (const name of others)
    all = all.flatMap((powers) => POWERS.map((power) => ({ ...powers, [name]: power })));
  // Also the further dimensions alone, where the first says nothing.
  const alone = others.map((name) =>
    Object.fromEntries(dimensions.map((one) => [one, Number(one === name)])),
  );
  return [...all, ...alone].sort(
    (a, b) => weight(a) - weight(b) || compareText(JSON.stringify(a), JSON.stringify(b)),
  );
}

/** How much of a size is not its first dimension: ties go to the least. */
const weight = (powers: Rule["powers"]): number =>
  Object.values(powers)
    .slice(1)
    .reduce((sum, power) => sum + Math.abs(power), 0);

interface Losses {
  readonly problem: Problem;
  readonly losses: readonly number[];
}

/** The best steps for one order of options and one size: rows of one size stand together. */
function stepsAlong(
  rows: readonly Losses[],
  options: readonly RuleOption[],
  powers: Rule["powers"],
): { readonly rule: Rule; readonly loss: number } | undefined {
  const groups = new Map<number, number[]>();
  for (const { problem, losses } of rows) {
    const size = logSize({ powers }, problem);
    if (size === undefined) return undefined;
    const at = Math.round(size * SIZE_GRAIN) / SIZE_GRAIN;
    const sums = groups.get(at) ?? options.map(() => 0);
    groups.set(
      at,
      sums.map((sum, index) => sum + losses[index]!),
    );
  }
  const sizes = [...groups.keys()].sort((a, b) => a - b);
  // least[k]: the cost so far when the rows up to here end on option k; came[row][k]: the option of the row before.
  let least = options.map(() => 0);
  const came: number[][] = [];
  for (const [row, size] of sizes.entries()) {
    const from = options.map((_, index) => {
      let chosen = index;
      for (let before = 0; row > 0 && before < index; before++) {
        if (least[before]! + STEP_COST < cost(least, chosen, index)) chosen = before;
      }
      return chosen;
    });
    least = options.map((_, index) => cost(least, from[index]!, index) + groups.get(size)![index]!);
    came.push(from);
  }
  let option = least.indexOf(Math.min(...least));
  const loss = least[option]! + POWER_COST * weight(powers);
  const taken: number[] = [];
  for (let row = sizes.length - 1; row >= 0; row--) {
    taken.unshift(option);
    option = came[row]![option]!;
  }
  const steps = taken.flatMap((index, row) => {
    if (row > 0 && taken[row - 1] === index) return [];
    const from = row === 0 ? 0 : round(2 ** ((sizes[row - 1]! + sizes[row]!) / 2), TIME_DIGITS);
    return [{ option: options[index]!.name, from }];
  });
  return { rule: { powers, options, steps }, loss };
}

const cost = (least: readonly number[], before: number, index: number): number =>
  least[before]! + (before === index ? 0 : STEP_COST);

/** Sizes (log2) closer than this are one: sums of rounded products are not equal to the last bit. */
const SIZE_GRAIN = 2 ** 20;
