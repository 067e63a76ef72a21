import type { TableRow } from "@tunelab/contract";
import { compareText, NOISY_GATE, RESOLVED_ERRORS, RESOLVED_GATE } from "./rules.ts";

/** A row before it has a place; `loose` when the gate could not be met where it was measured. */
export interface Standing extends Omit<TableRow, "rank" | "tie"> {
  readonly loose: boolean;
}

/** Fixed order among ties: fewest workgroup bytes, then smallest workgroup, then the id. Total over distinct plans. */
export function simpler(a: Standing, b: Standing): number {
  return (
    a.workgroupBytes - b.workgroupBytes ||
    a.invocations - b.invocations ||
    compareText(a.variant, b.variant) ||
    compareText(a.planHash, b.planHash)
  );
}

/**
 * Whether `a` is faster than `b` beyond doubt: its minimum is outside the gate and the spread of both samples, and its
 * median agrees. Works on rounded numbers, so that what is written decides.
 */
export function resolved(a: Standing, b: Standing): boolean {
  if (!(a.minUs < b.minUs) || !(a.medianUs < b.medianUs)) return false;
  const gap = b.minUs / a.minUs - 1;
  if (a.loose || b.loose) return gap >= NOISY_GATE;
  const spread = RESOLVED_ERRORS * Math.sqrt(a.cv ** 2 / a.samples + b.cv ** 2 / b.samples);
  return gap > Math.max(RESOLVED_GATE, spread);
}

/** A challenger measured under noise never displaces an incumbent that was certified in quiet. */
function displaces(challenger: Standing, incumbent: Standing): boolean {
  return resolved(challenger, incumbent) && (incumbent.loose || !challenger.loose);
}

/**
 * Total order over one problem's standings. At each place the fastest of those left names a band of ties, of which
 * the simplest is taken. The incumbent (by plan hash) keeps the first place unless one of the first band displaces it.
 */
export function rank(standings: readonly Standing[], incumbent?: string): readonly Standing[] {
  const left = [...standings].sort((a, b) => a.minUs - b.minUs || simpler(a, b));
  const ranked: Standing[] = [];
  while (left.length > 0) {
    const fastest = left[0]!;
    let band = left.filter((standing) => !resolved(fastest, standing));
    const holder = ranked.length === 0 ? left.find(({ planHash }) => planHash === incumbent) : undefined;
    if (holder) {
      const winners = band.filter((standing) => displaces(standing, holder));
      band = winners.length > 0 ? winners : [holder];
    }
    const chosen = band.reduce((best, standing) => (simpler(standing, best) < 0 ? standing : best));
    ranked.push(chosen);
    left.splice(left.indexOf(chosen), 1);
  }
  return ranked;
}
