import type { Config, Parameter, Space } from "@tunelab/contract";

/**
 * The space with its parameters in the order in which constraints can be checked soonest: next comes, of the parameters that one
 * of the constraints under way lacks, the one whose constraint lacks fewest, then the one with fewest values. The
 * valid configurations are the same, in another order; where authors declare tied parameters far apart, far fewer choices are
 * tried.
 */
export function soonestFirst<C extends Config>(space: Space<C>): Space<C> {
  const left = new Set(space.parameters);
  const chosen: Parameter[] = [];
  const names = new Set<string>();
  while (left.size > 0) {
    let best: Parameter | undefined;
    let least: readonly [number, number, number] = [0, 0, 0];
    for (const parameter of left) {
      const rank = rankOf(space, parameter, names);
      if (best && !precedes(rank, least)) continue;
      best = parameter;
      least = rank;
    }
    left.delete(best!);
    names.add(best!.name);
    chosen.push(best!);
  }
  return { ...space, parameters: chosen };
}

/** Fewest open names of a constraint of it that is under way, of any constraint of it, and its number of values. */
function rankOf<C extends Config>(
  { constraints }: Space<C>,
  { name, values }: Parameter,
  names: ReadonlySet<string>,
): readonly [number, number, number] {
  let underway = Number.POSITIVE_INFINITY;
  let any = Number.POSITIVE_INFINITY;
  for (const { parameters } of constraints) {
    if (!parameters.includes(name)) continue;
    const open = new Set(parameters.filter((one) => !names.has(one))).size;
    any = Math.min(any, open);
    if (open < new Set(parameters).size || open === 1) underway = Math.min(underway, open);
  }
  return [underway, any, values.length];
}

function precedes(a: readonly number[], b: readonly number[]): boolean {
  const place = a.findIndex((value, index) => value !== b[index]);
  return place >= 0 && a[place]! < b[place]!;
}
