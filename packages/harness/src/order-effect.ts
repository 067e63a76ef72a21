import type { QuadNs } from "@tunelab/contract";
import { mean, sampleStandardDeviation } from "simple-statistics";
import { QUADS } from "./protocol.ts";
import { tQuantile } from "./student.ts";

/** Whether running A and B in turns favours one of them. */
export interface OrderEffect {
  /** Estimated bias of the ratio B / A that comes from interleaving, as a fraction; NaN while unknown. */
  readonly bias: number;
  readonly low: number;
  readonly high: number;
  /** The interval lies wholly beyond the gate: the quads' ratio is not to be believed. */
  readonly biased: boolean;
}

/** Share of a side's slots that follow the other side: both outer ones of its own quad, one of the inner two of the other's. */
const AFTER_OTHER = 3 / 4;

/**
 * Compares A after A with A after B, and B after B with B after A. In B A A B the second slot is A after B, the third A after A:
 * o_A = ln A2 - ln A3 is what following B costs A (leftover cache, clock, power). In A B B A the same gives o_B.
 * Three of four slots follow the other side, so d is off by 3/4 (o_B - o_A); drift cancels in the
 * difference. Each pair of neighbouring quads gives one value; interval by Student's t at 99%, which needs as few as two
 * pairs (signed ranks would need eight).
 */
export function orderEffect(quads: readonly QuadNs[], gate: number = QUADS.gate): OrderEffect {
  const cost = { A: [] as number[], B: [] as number[] };
  for (const { first, slotsNs } of quads) {
    cost[first === "A" ? "B" : "A"].push(Math.log(slotsNs[1]) - Math.log(slotsNs[2]));
  }
  const pairs = Math.min(cost.A.length, cost.B.length);
  const biases = Array.from({ length: pairs }, (_, pair) => AFTER_OTHER * (cost.B[pair]! - cost.A[pair]!));
  if (pairs < 2) {
    const [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    return { bias: pairs === 1 ? Math.expm1(biases[0]!) : Number.NaN, low, high, biased: false };
  }
  const centre = mean(biases);
  const half =
    (tQuantile(1 - QUADS.orderAlpha / 2, pairs - 1) * sampleStandardDeviation(biases)) / Math.sqrt(pairs);
  const [low, high] = [centre - half, centre + half];
  const limit = Math.log1p(gate);
  return {
    bias: Math.expm1(centre),
    low: Math.expm1(low),
    high: Math.expm1(high),
    biased: low > limit || high < -limit,
  };
}
