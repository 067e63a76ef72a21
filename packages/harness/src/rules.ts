import { FIXED_SAMPLES } from "./protocol.ts";

/** When to stop sampling. Counts accepted samples; time never lowers `minimum`. */
export interface StoppingRule {
  readonly minimum: number;
  readonly maximum: number;
  /** Longest time in ms that going on past `minimum` may take. */
  readonly extensionMs: number;
  /** What is still wanting in the samples so far, one line; undefined when they will do. */
  unmet(samplesNs: readonly number[]): string | undefined;
}

/** Exactly `count` samples. */
export function fixed(count: number): StoppingRule {
  return { minimum: count, maximum: count, extensionMs: 0, unmet: () => undefined };
}

export const SCREENING: StoppingRule = fixed(FIXED_SAMPLES.screened);
export const RACING: StoppingRule = fixed(FIXED_SAMPLES.raced);
