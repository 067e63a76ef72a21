import { GROWTH, passesOf, repeatingOf } from "./budgets.ts";
import type { BatchCut, Piece } from "./cut.ts";
import type { Bound } from "./runner.ts";
import type { Submitter } from "./submitter.ts";
import type { PassTime } from "./types.ts";

/** The shortest time that a first reading may claim for a piece; coarser than any clock's noise. */
const MEASURABLE_MS = 0.01;

/** What learning needs of a runner. */
export interface Learner {
  readonly bound: Bound;
  readonly cut: BatchCut;
  readonly cuttable: boolean;
  /** Items that a piece takes the time of. */
  weight(items: number): number;
  /** Encodes and submits a piece; whether its loops converged. */
  run(piece: Piece): Promise<boolean>;
  /** Cost of an item in the longest part that must be submitted together, once loops or repeated steps showed it. */
  togetherMs(): number | undefined;
}

/**
 * One repeat of a kernel of unknown cost: pieces as small as keep the device busy first, or as large as a model allows, each measured
 * before the next. Gives the least cost of an item; times of passes that it waits for go to `passes`.
 */
export async function learn(
  submitter: Submitter,
  passes: PassTime[],
  runner: Learner,
): Promise<{ readonly cheapest: number; readonly converged: boolean }> {
  const { bound, cut, cuttable } = runner;
  const { host, plan, budgets, known, expectedMsPerItem } = bound;
  // Of an item, or of the costliest pass of what it repeats: that much must be submitted together.
  const repeated = repeatingOf(plan);
  const fewestPasses = repeated.length > 0 ? Math.min(...repeated.map(passesOf)) : 1;
  const expected = expectedMsPerItem && expectedMsPerItem / fewestPasses;
  const { items } = plan.batch;
  const { unit, most, fewest } = cut;
  const least = known ? fewest : unit;
  const affordable = (ms: number): number => Math.floor(budgets.submitMs / ms / unit) * unit;
  let converged = true;
  let cheapest = Number.POSITIVE_INFINITY;
  const first = Math.min(most, Math.max(least, expected ? affordable(expected) : least));
  let size = cuttable ? first : items;
  for (let at = 0; at < items; ) {
    const left = items - at;
    const piece = { first: at, items: Math.min(size, left) };
    // What would be left over would not keep the device busy: it gets enough of this piece, or joins it.
    const rest = left - piece.items;
    if (known && rest > 0 && rest < least) {
      const shorter = Math.floor((left - least) / unit) * unit;
      piece.items = shorter >= least || left > most ? Math.max(shorter, unit) : left;
    }
    const startMs = host.now();
    const done = await runner.run(piece);
    converged &&= done;
    const endMs = await submitter.finish();
    const times = (await submitter.timestamps?.collect(host.lifeline)) ?? [];
    passes.push(...times);
    const wallMs = endMs - startMs;
    const ms = gpuMs(times, wallMs) ?? Math.max(wallMs - (await host.roundTripMs()), 0);
    // A reading of zero says "under a tick", not "free": growth stays bounded by its factor.
    const each = Math.max(ms, MEASURABLE_MS) / runner.weight(piece.items);
    cheapest = Math.min(cheapest, each);
    at += piece.items;
    size = Math.min(most, Math.max(least, Math.min(size * GROWTH, affordable(runner.togetherMs() ?? each))));
  }
  return { cheapest, converged };
}

/** Sum of pass times in ms; undefined when there is none or they make no sense, as GPU time over wall time does not. */
function gpuMs(passes: readonly PassTime[], wallMs: number): number | undefined {
  if (!passes.length || passes.some(({ begin, end }) => begin === 0n || end < begin)) return undefined;
  const sum = passes.reduce((ms, { begin, end }) => ms + Number(end - begin) / 1e6, 0);
  return sum <= wallMs ? sum : undefined;
}
