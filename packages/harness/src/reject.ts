import { FMA_SLACK, WALL_SLACK } from "./protocol.ts";
import type { RawSample } from "./types.ts";

/** Why a sample is thrown away: counted by reason, never averaged in. */
export type Rejection =
  | "no-timestamps" // the run recorded no pass
  | "begin-zero" // read before it was resolved, or never written
  | "end-before-begin" // zero or negative length
  | "wrapped" // a counter ran over between begin and end
  | "stale" // begins before the sample before it ended: the last sample's values again
  | "not-a-number"
  | "over-wall" // more GPU time than the wall clock saw
  | "over-fma-peak"; // more arithmetic than the device can do

export interface RejectionRules {
  readonly clock: "gpu" | "wall";
  readonly tickNs: number;
  /** FLOPs of one repeat by the variant's cost model, and the measured ceiling; the rule is off without both. */
  readonly flops?: number;
  readonly fmaFlopsPerSecond?: number;
}

export type Judged =
  | { readonly ns: number; readonly rejected?: never }
  | { readonly rejected: Rejection; readonly ns?: never };

/** A difference at or over this many ns (a century) is a counter that ran over and was subtracted unsigned. */
const WRAPPED_NS = 1n << 61n;

/**
 * The length of one sample in integer ns over all its repeats, or why it is thrown away. Lengths of passes add up: what
 * stands between them (restores, readback) is not the kernel's. Single passes may have no length under a coarse clock,
 * their sum may not. Nothing is subtracted, so nothing can turn negative.
 */
export function judgeSample(
  sample: RawSample,
  repeats: number,
  rules: RejectionRules,
  previous?: RawSample,
): Judged {
  if (!Number.isFinite(sample.wallMs)) return { rejected: "not-a-number" };
  const wallNs = Math.round(sample.wallMs * 1e6);
  if (rules.clock === "wall") {
    if (wallNs <= 0) return { rejected: "end-before-begin" };
    return overPeak(wallNs, repeats, rules) ? { rejected: "over-fma-peak" } : { ns: wallNs };
  }
  let total = 0n;
  if (sample.passes.length === 0) return { rejected: "no-timestamps" };
  for (const { begin, end } of sample.passes) {
    if (begin === 0n) return { rejected: "begin-zero" };
    const length = end - begin;
    if (length >= WRAPPED_NS || length <= -WRAPPED_NS) return { rejected: "wrapped" };
    if (length < 0n) return { rejected: "end-before-begin" };
    total += length;
  }
  if (total === 0n) return { rejected: "end-before-begin" };
  const before = previous?.passes.at(-1)?.end;
  if (before !== undefined && sample.passes[0]!.begin < before) return { rejected: "stale" };
  const ns = Number(total);
  if (ns > wallNs * WALL_SLACK + 2 * rules.tickNs) return { rejected: "over-wall" };
  return overPeak(ns, repeats, rules) ? { rejected: "over-fma-peak" } : { ns };
}

function overPeak(ns: number, repeats: number, { flops, fmaFlopsPerSecond }: RejectionRules): boolean {
  if (!flops || !fmaFlopsPerSecond) return false;
  return (flops * repeats * 1e9) / ns > FMA_SLACK * fmaFlopsPerSecond;
}
