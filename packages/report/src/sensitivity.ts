import { fastest, type Point } from "./points.ts";

/** What fixing one parameter to one value costs: the fastest variant with it over the fastest of all. */
export interface ValueCost {
  readonly value: string;
  /** 1 where the fastest of all has this value. */
  readonly factor: number;
  /** Variants with this value that were timed: few of them found little. */
  readonly timed: number;
}

export interface Sensitivity {
  readonly parameter: string;
  /** In the order of the values: numbers by size, the rest by text. */
  readonly values: readonly ValueCost[];
  /** The largest factor. */
  readonly most: number;
}

/**
 * How much each parameter matters for one problem and algorithm: for each of its values, the fastest variant that has it, over
 * the fastest of all, every other parameter free. The most telling parameter comes first; those with one value are left out.
 * An upper bound: what a search did not try it cannot credit.
 */
export function sensitivities(points: readonly Point[]): readonly Sensitivity[] {
  const best = fastest(points);
  if (!best) return [];
  const found = Object.keys(best.config).flatMap((parameter): Sensitivity[] => {
    const groups = byValue(points, parameter);
    if (groups.size < 2) return [];
    const values = [...groups]
      .sort(([a], [b]) => compareValues(a, b))
      .map(([value, group]) => ({
        value,
        factor: fastest(group)!.us / best.us,
        timed: group.length,
      }));
    return [{ parameter, values, most: Math.max(...values.map(({ factor }) => factor)) }];
  });
  return found.sort((a, b) => b.most - a.most || (a.parameter < b.parameter ? -1 : 1));
}

/** The points by their value of a parameter, as text. */
export function byValue(points: readonly Point[], parameter: string): ReadonlyMap<string, readonly Point[]> {
  const groups = new Map<string, Point[]>();
  for (const point of points) {
    const value = String(point.config[parameter]);
    groups.set(value, [...(groups.get(value) ?? []), point]);
  }
  return groups;
}

function compareValues(a: string, b: string): number {
  const [left, right] = [Number(a), Number(b)];
  if (Number.isFinite(left) && Number.isFinite(right)) return left - right;
  return a < b ? -1 : a > b ? 1 : 0;
}
