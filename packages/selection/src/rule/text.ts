import type { Regret, Rule } from "@tunelab/contract";

/** `32 up to n batch^-0.25 = 11.3, then 64`: the rule in a line. */
export function ruleText(rule: Rule): string {
  const [first, ...others] = rule.steps;
  if (!first) return "nothing";
  if (others.length === 0) return `${first.option} at every size`;
  const size = sizeText(rule);
  return `${first.option}; ${others.map(({ option, from }) => `${option} from ${size} = ${from}`).join("; ")}`;
}

/** `n batch^-0.25`. */
export function sizeText({ powers }: Rule): string {
  return Object.entries(powers)
    .filter(([, power]) => power !== 0)
    .map(([name, power]) => (power === 1 ? name : `${name}^${power}`))
    .join(" ");
}

/** `median 1.03x, worst 1.41x over 24 rows`. */
export function regretText({ count, median, worst }: Regret): string {
  const times = (factor: number): string => `${factor.toFixed(2)}x`;
  return `median ${times(median)}, worst ${times(worst)} over ${count} rows`;
}
