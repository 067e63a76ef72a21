import { QUADS } from "./protocol.ts";
import { firstSide, judgeQuads, quadStatistic } from "./quads.ts";

/** What a comparison made here and now could tell apart. */
export interface Claimable {
  /** Quads of A against A that the timings gave, and timings a slot. */
  readonly quads: number;
  readonly samplesPerSlot: number;
  /** Minimum detectable effect over so many quads, as a fraction; infinite with fewer than two. */
  readonly mde: number;
}

/** Kept quads from which on slots hold three timings each, as in a comparison: its first look. */
const ENOUGH_QUADS: number = QUADS.looks[0];

/**
 * Reads timings of one kernel as a comparison of it with itself: four slots in a row make a quad, the first quad is
 * dropped, and the spread of d gives the minimum detectable effect. With fewer than 108 timings a slot holds one instead
 * of the least of three, which overstates the effect.
 */
export function claimable(samplesNs: readonly number[]): Claimable {
  const full = 4 * QUADS.samplesPerSlot * (ENOUGH_QUADS + QUADS.dropped);
  const samplesPerSlot = samplesNs.length >= full ? QUADS.samplesPerSlot : 1;
  const slot = (index: number): number =>
    Math.min(...samplesNs.slice(index * samplesPerSlot, (index + 1) * samplesPerSlot));
  const quads = Math.floor(samplesNs.length / (4 * samplesPerSlot));
  const statistics = Array.from({ length: quads }, (_, quad) =>
    quadStatistic({
      first: firstSide(quad),
      slotsNs: [slot(4 * quad), slot(4 * quad + 1), slot(4 * quad + 2), slot(4 * quad + 3)],
    }),
  ).slice(QUADS.dropped);
  return { quads: statistics.length, samplesPerSlot, mde: judgeQuads(statistics).mde };
}
