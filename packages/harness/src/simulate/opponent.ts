import type { QuadSide } from "../quads.ts";
import type { Uniform } from "./variates.ts";

/** What a rule says of B against A. */
export interface Said {
  readonly verdict: "changed" | "same" | "unresolved";
  /** B's time over A's by the rule's own estimate. */
  readonly ratio: number;
  /** Interval of the ratio, where the rule gives one. */
  readonly low?: number;
  readonly high?: number;
  /** Samples run. */
  readonly samples: number;
}

/** A harness's way of deciding whether B differs from A, with its own schedule of samples. */
export interface Opponent {
  readonly name: string;
  /** Schedule and rule in one line, for the report. */
  readonly rule: string;
  /** Most samples that it runs: the length of the run over which drifts and ramps stretch. */
  readonly samples: number;
  /**
   * `open` starts a fresh process on the device, or places code and buffers anew in one, which is all that makes its sides differ by
   * an offset of its own; most rules need one. `uniform` serves rules
   * that resample; it is none of the noise's.
   */
  compare(open: () => Sample, uniform: Uniform): Said;
}

/** Runs one sample of a side: ns of one repeat. */
export type Sample = (side: QuadSide) => number;

/** Everything of A, then everything of B, as harnesses that time one program after the other do. */
export function oneAfterTheOther(
  sample: Sample,
  count: number,
): { readonly a: readonly number[]; readonly b: readonly number[] } {
  const take = (side: QuadSide): number[] => Array.from({ length: count }, () => sample(side));
  return { a: take("A"), b: take("B") };
}

/** Means of `size` neighbouring values: a repetition that times so many iterations together. */
export function grouped(values: readonly number[], size: number): readonly number[] {
  const groups: number[] = [];
  for (let at = 0; at + size <= values.length; at += size) {
    let sum = 0;
    for (let k = 0; k < size; k += 1) sum += values[at + k]!;
    groups.push(sum / size);
  }
  return groups;
}
