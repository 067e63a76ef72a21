import type { Text } from "@tunelab/variants";
import type { ExchangeOptions } from "./exchange.ts";
import type { FactorOptions } from "./twiddles.ts";

export interface TransformOptions extends FactorOptions {
  readonly exchange: ExchangeOptions;
  /** Give the factors apart from the text, so that a loop computes them once and keeps them in registers. */
  readonly hoist: boolean;
  /** False: passes of one radix after the first such pass are a loop. Unrolled unless given. */
  readonly unroll?: boolean;
}

/** Name of the workgroup array that exchanges go through. */
export const STAGE = "stage";

/** What a kernel adds to the transform's text. */
export interface TransformHooks {
  /** Statements that run where every thread has passed one barrier of this transform. */
  readonly afterFirstBarrier?: readonly Text[];
  /** Register r starts as a conj(h) of these values, by register; else the caller loads the registers. */
  readonly products?: { readonly a: readonly string[]; readonly h: readonly string[] };
  /** Index of this transform's slot in the exchange array, as text; the slot itself where the array is all its own. */
  readonly stageIndex?: (slot: string) => string;
  /** Name of the exchange array; STAGE unless given. */
  readonly stage?: string;
}
