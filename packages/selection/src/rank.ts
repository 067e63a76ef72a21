import { simplerFirst, type TableRow } from "@tunelab/contract";
import { compareText, NOISY_GATE, RESOLVED_ERRORS, RESOLVED_GATE } from "./rules.ts";

/** A row before it has a place; `loose` when the gate could not be met where it was measured. */
export interface Standing extends Omit<TableRow, "rank" | "tie"> {
  readonly loose: boolean;
  /** The samples' spread where a few of them stand apart: see `scatterOf`. */
  readonly scatter: number;
}

/** A time with what its samples scatter by; a published row has no `scatter` of its own, its `cv` stands for it. */
export type Spread = Pick<TableRow, "minUs" | "medianUs" | "cv" | "samples"> &
  Partial<Pick<Standing, "scatter">>;

/** Fixed order among ties: the simpler first, then by plan. Total over distinct plans. */
export function simpler(a: Standing, b: Standing): number {
  return simplerFirst(a, b) || compareText(a.planHash, b.planHash);
}

/** What paired quads said of two plans, by `pairKey`: the faster plan's hash, or undefined for no difference that was shown. */
export type Duels = ReadonlyMap<string, string | undefined>;

const NO_DUELS: Duels = new Map();

/** One key for a pair of plans, whichever is named first. */
export function pairKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

/**
 * Whether `a` is faster than `b` beyond doubt. Paired quads decide where the two met in them; else its minimum must be outside the
 * gate and the spread of both samples, and its median must agree. Works on rounded numbers, so that what is written decides.
 */
export function resolved(a: Standing, b: Standing, duels: Duels = NO_DUELS): boolean {
  const pair = pairKey(a.planHash, b.planHash);
  if (duels.has(pair)) return duels.get(pair) === a.planHash;
  return apart(a, b, a.loose || b.loose);
}

/** The same from times alone: `loose` where either was measured under noise. */
export function apart(a: Spread, b: Spread, loose: boolean): boolean {
  if (!(a.minUs < b.minUs) || !(a.medianUs < b.medianUs)) return false;
  const gap = b.minUs / a.minUs - 1;
  if (loose) return gap >= NOISY_GATE;
  const variance = ({ scatter, cv, samples }: Spread): number => (scatter ?? cv) ** 2 / samples;
  const spread = RESOLVED_ERRORS * Math.sqrt(variance(a) + variance(b));
  return gap > Math.max(RESOLVED_GATE, spread);
}

/** A challenger measured under noise displaces an incumbent that was certified in quiet only where paired quads say so. */
function displaces(challenger: Standing, incumbent: Standing, duels: Duels): boolean {
  if (!resolved(challenger, incumbent, duels)) return false;
  return incumbent.loose || !challenger.loose || duels.has(pairKey(challenger.planHash, incumbent.planHash));
}

/**
 * Total order over one problem's standings. At each place the fastest of those left names a band of ties, of which
 * the simplest is taken that lost no duel to another of them. The incumbent (by plan hash) keeps the first place unless one of the
 * first band displaces it.
 */
export function rank(
  standings: readonly Standing[],
  incumbent?: string,
  duels: Duels = NO_DUELS,
): readonly Standing[] {
  const left = [...standings].sort((a, b) => a.minUs - b.minUs || simpler(a, b));
  const ranked: Standing[] = [];
  while (left.length > 0) {
    const fastest = left[0]!;
    let band = left.filter((standing) => !resolved(fastest, standing, duels));
    const holder = ranked.length === 0 ? left.find(({ planHash }) => planHash === incumbent) : undefined;
    if (holder) {
      const winners = band.filter((standing) => displaces(standing, holder, duels));
      band = winners.length > 0 ? winners : [holder];
    }
    const beaten = (one: Standing): boolean =>
      band.some(
        ({ planHash }) =>
          duels.get(pairKey(planHash, one.planHash)) === planHash && planHash !== one.planHash,
      );
    const unbeaten = band.filter((one) => !beaten(one));
    // Duels of different days may go round in a circle: then they decide nothing.
    const chosen = (unbeaten.length > 0 ? unbeaten : band).reduce((best, standing) =>
      simpler(standing, best) < 0 ? standing : best,
    );
    ranked.push(chosen);
    left.splice(left.indexOf(chosen), 1);
  }
  return ranked;
}
