import type { Problem, Rule } from "@tunelab/contract";

/** log2 of a problem's size under the rule; undefined where a dimension that it needs is no positive number. */
export function logSize({ powers }: Pick<Rule, "powers">, problem: Problem): number | undefined {
  let sum = 0;
  for (const [name, power] of Object.entries(powers)) {
    if (power === 0) continue;
    const value = problem[name];
    if (typeof value !== "number" || !(value > 0)) return undefined;
    sum += power * Math.log2(value);
  }
  return sum;
}

/**
 * Names of the rule's options for a problem, the one it takes first, then the others by how far they stand from it: what is tried where
 * the first cannot run. Empty where the problem has no size.
 */
export function preferences(rule: Rule, problem: Problem): readonly string[] {
  const size = logSize(rule, problem);
  if (size === undefined || rule.steps.length === 0) return [];
  const step = rule.steps.findLast(({ from }) => from === 0 || Math.log2(from) <= size) ?? rule.steps[0]!;
  const names = rule.options.map(({ name }) => name);
  return nearestFirst(names.length, names.indexOf(step.option)).map((index) => names[index]!);
}

/** Indexes of a list, `start` first, then its neighbours outwards, of two as near the lower. */
export function nearestFirst(length: number, start: number): readonly number[] {
  const apart = (index: number): number => Math.abs(index - start);
  return Array.from({ length }, (_, index) => index).sort((a, b) => apart(a) - apart(b) || a - b);
}
