import type { Random } from "@tunelab/variants";
import type { Prospect } from "./pool.ts";

/** Prospects drawn, of which the one farthest from all points so far is taken: nearly as spread out as the best of all. */
const DRAWS = 100;

/**
 * Place of an open prospect far from every point so far (greedy maximin design over random draws) and likely to give a time;
 * the first one is plainly random. Undefined when the draws met no open one.
 */
export function farProspect(
  prospects: readonly Prospect[],
  points: readonly Float64Array[],
  random: Random,
  chanceOf: (place: number) => number,
): number | undefined {
  let best: number | undefined;
  let farthest = -1;
  for (let draw = 0; draw < DRAWS && prospects.length > 0; draw++) {
    const place = random.integer(prospects.length);
    const { x, open } = prospects[place]!;
    if (!open) continue;
    let nearest = Number.POSITIVE_INFINITY;
    for (const point of points) {
      let squared = 0;
      for (let k = 0; k < x.length; k++) squared += (x[k]! - point[k]!) ** 2;
      nearest = Math.min(nearest, squared);
    }
    const merit = points.length === 0 ? 1 : nearest * chanceOf(place);
    if (merit > farthest) {
      farthest = merit;
      best = place;
    }
  }
  return best;
}
