import { problemKey, type TableEntry } from "@tunelab/contract";
import { apart } from "@tunelab/selection";
import { fastest, type Point } from "./points.ts";
import { byValue } from "./sensitivity.ts";
import { bestRow } from "./summary.ts";

/** A value that was not chosen: what its fastest variant costs, and whether that is certain. */
export interface OtherValue {
  readonly value: string;
  /** Its fastest variant's time over the chosen one's; under 1 where only a few samples said so. */
  readonly factor: number;
  /** Variants with it that were timed. */
  readonly timed: number;
  /** `slower` beyond the noise of both; `tied`; or `screened`: too few samples to say so, and too close to do without. */
  readonly standing: "slower" | "tied" | "screened";
}

/** What a problem should use for one parameter, and how sure that is. */
export interface Choice {
  readonly parameter: string;
  /** The value of the variant that ranks first (of the algorithm's fastest, where another algorithm ranks first). */
  readonly value: string;
  /** In the order of their cost. */
  readonly others: readonly OtherValue[];
}

/**
 * A few screening samples lie this much above the least of many: races drop nothing within it after three rounds. A value of which
 * only such variants are known is told from the best beyond it.
 */
export const SCREENED_GATE = 0.15;

/**
 * For each parameter of an algorithm on one problem: the value to use, and for every other value its fastest variant over the chosen
 * one, other parameters free. The most telling parameter first; parameters with one value are left out. `points` are of the
 * table's problem and algorithm; `noisy` as the table says.
 */
export function choices(entry: TableEntry, points: readonly Point[], noisy: boolean): readonly Choice[] {
  const best = baseline(entry, points);
  if (!best) return [];
  const found = Object.keys(best.config).flatMap((parameter): Choice[] => {
    const value = String(best.config[parameter]);
    const others = [...byValue(points, parameter)]
      .filter(([other]) => other !== value)
      .map(([other, group]): OtherValue => {
        const rival = fastest(group)!;
        return {
          value: other,
          factor: rival.us / best.us,
          timed: group.length,
          standing: standingOf(best, rival, noisy),
        };
      })
      .sort((a, b) => a.factor - b.factor || (a.value < b.value ? -1 : 1));
    return others.length > 0 ? [{ parameter, value, others }] : [];
  });
  // What getting it wrong costs at least: a parameter whose second value costs most is chosen with most care.
  const cost = ({ others }: Choice): number => others[0]!.factor;
  return found.sort((a, b) => cost(b) - cost(a) || (a.parameter < b.parameter ? -1 : 1));
}

/** The point of the variant that ranks first, if it is of these; else the fastest. */
function baseline({ problem, ...entry }: TableEntry, points: readonly Point[]): Point | undefined {
  const first = bestRow({ problem, ...entry });
  const key = problemKey(problem);
  const own = points.find((point) => point.key === key && point.variant === first?.variant);
  return own ?? fastest(points.filter((point) => point.key === key));
}

function standingOf(best: Point, rival: Point, noisy: boolean): OtherValue["standing"] {
  if (!best.spread || !rival.spread) return "screened";
  // A noisy device certifies nothing: what it tells apart, it tells by a third and more.
  const few = !noisy && !(best.certified && rival.certified);
  if (!apart(best.spread, rival.spread, noisy)) return few ? "screened" : "tied";
  return few && rival.us / best.us <= 1 + SCREENED_GATE ? "screened" : "slower";
}
