import { MAXIMUM_REPEATS, SUBMISSION_CAP_MS, TICKS_PER_SAMPLE } from "./protocol.ts";
import type { RawSample, Timeable } from "./types.ts";

/** How many repeats a sample holds, and what one lasts. */
export interface Repeats {
  readonly repeats: number;
  /** Expected length of a sample, all its repeats, in ns; 0 when the clock saw nothing. */
  readonly ns: number;
  /** Whether the clock saw at least one tick. */
  readonly resolved: boolean;
  /**
   * Error of rounding as a fraction of the sample: half a tick at either end of a pass; over several passes these are
   * independent and grow with the square root of their number.
   */
  readonly rounding: number;
}

/** Sum of pass lengths in ns, or the wall clock; 0 where begin and end are not an interval. */
function lengthNs(sample: RawSample, clock: "gpu" | "wall"): number {
  if (clock === "wall") return Math.max(0, sample.wallMs * 1e6);
  let total = 0n;
  for (const { begin, end } of sample.passes) if (begin > 0n && end > begin) total += end - begin;
  return Number(total);
}

/** A cold run may take this much longer than a warm one and still show that one repeat fills a sample. */
const COLD_FACTOR = 4;

/**
 * R = ceil(200 * tick / t), found by doubling from 1, so that a clock that shows nothing at first is asked again with
 * more work. Doubling stops at 200 ticks, at `MAXIMUM_REPEATS`, or where the next sample would pass the submission cap
 * by either clock (the wall's constant part, seen with one repeat, does not count: Firefox polls every 100 ms). An untimed
 * run of one repeat that lasted far longer than needed settles it at once, so that slow kernels run no more than they must.
 */
export async function findRepeats(
  timeable: Timeable,
  clock: "gpu" | "wall",
  tickNs: number,
  untimed?: RawSample,
): Promise<Repeats> {
  const target = TICKS_PER_SAMPLE * tickNs;
  const capNs = SUBMISSION_CAP_MS * 1e6;
  let repeats = 1;
  let firstWallMs = 0;
  const enough = untimed && lengthNs(untimed, clock) >= COLD_FACTOR * target;
  for (;;) {
    const sample = enough ? untimed : await timeable.sample(repeats);
    // Whoever judges the samples will say what is wrong with them; more work would not mend it.
    if (!Number.isFinite(sample.wallMs)) return { repeats, ns: 0, resolved: true, rounding: 1 };
    const ns = lengthNs(sample, clock);
    if (repeats === 1) firstWallMs = sample.wallMs;
    const settle = (chosen: number): Repeats => {
      const share = chosen / repeats;
      const edges = clock === "gpu" ? Math.sqrt(Math.max(1, sample.passes.length * share)) : 1;
      const rounding = ns > 0 ? (tickNs * edges) / (ns * share) : 1;
      return { repeats: chosen, ns: ns * share, resolved: ns > 0 && ns >= tickNs, rounding };
    };
    if (ns >= target && ns > 0) return settle(Math.min(Math.ceil(target / (ns / repeats)) || 1, repeats));
    const growthNs = clock === "gpu" ? Math.max(ns, (sample.wallMs - firstWallMs) * 1e6) : ns;
    if (repeats * 2 > MAXIMUM_REPEATS || growthNs * 2 > capNs) return settle(repeats);
    repeats *= 2;
  }
}

/** Nobody runs more than so many times the repeats that it needs: whoever would is so much slower that it is told apart anyway. */
const MOST_BEYOND_NEED = 2;

/**
 * Repeats at which several are compared: the most that any of them needs, within twice the own and the submission cap. What a pass
 * costs beside its kernel (1.4 us on an H200) is shared out among its repeats, so that with one repeat on one side and two on the
 * other, which takes no more than 1% where a sample lasts just 200 ticks, a kernel of 5 us differed from itself by a tenth.
 */
export function equalRepeats(found: readonly Pick<Repeats, "repeats" | "ns">[]): readonly number[] {
  const most = Math.max(...found.map(({ repeats }) => repeats));
  return found.map(({ repeats, ns }) => {
    const fits = ns > 0 ? Math.floor((SUBMISSION_CAP_MS * 1e6 * repeats) / ns) : repeats;
    return Math.max(repeats, Math.min(most, MOST_BEYOND_NEED * repeats, fits));
  });
}
