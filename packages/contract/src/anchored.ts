import type { Timing, Trial } from "./trial.ts";

/** A time told by an anchor kernel's own pace at that moment: what survives from session to session. */
export interface Anchored {
  /** The anchor's name. */
  readonly anchor: string;
  /** Work (1e9 FLOPs or bytes) that the anchor does in the time of one repeat. */
  readonly work: number;
}

/** Anchors may drift this far over a session; beyond it the device was not the same device all the while. */
export const ANCHOR_DRIFT = 0.25;

/** The session is looked at in so many quarters of its trials; each needs two trials at least. */
const QUARTERS = 4;

/**
 * Median over rounds of x_i / mean(a_i, a_(i+1)). `anchorNs` holds one sample more than `samplesNs`: the anchor runs before
 * each and after the last. Both of one repeat, or both of any fixed number of repeats.
 */
export function anchoredRatio(samplesNs: readonly number[], anchorNs: readonly number[]): number | undefined {
  if (samplesNs.length === 0 || anchorNs.length !== samplesNs.length + 1) return undefined;
  return median(samplesNs.map((sample, index) => (2 * sample) / (anchorNs[index]! + anchorNs[index + 1]!)));
}

/**
 * median(x_i / mean(a_i, a_(i+1))), scaled from samples to one repeat and to the anchor's work; undefined without an anchor
 * whose work is known (anchors grow with the device anew in each session, so that the bare ratio does not compare).
 */
export function anchored({ anchor, samplesNs, repeats }: Timing): Anchored | undefined {
  const ratio = anchor && anchoredRatio(samplesNs, anchor.samplesNs);
  if (!anchor?.amount || ratio === undefined) return undefined;
  return { anchor: anchor.name, work: (ratio * anchor.amount) / repeats / 1e9 };
}

/** The anchor that drifted most over a session, and how far: 0.3 is 30% between its fastest and slowest quarter. */
export interface Drift {
  readonly anchor: string;
  readonly drift: number;
}

/**
 * How far anchors drifted over a session's trials, in their order: the anchor's median rate (work a ns) in each quarter of the
 * trials that met it, the largest over the smallest. Quarters, because single trials on a shared machine scatter by more.
 * Undefined where no anchor was met by eight trials.
 */
export function anchorDrift(trials: readonly Trial[]): Drift | undefined {
  const rates = new Map<string, number[][]>();
  for (const { timing } of [...trials].sort((a, b) => a.sequence - b.sequence)) {
    const { name, amount, samplesNs } = timing?.anchor ?? {};
    if (!name || !amount || !samplesNs?.length) continue;
    rates.set(name, [...(rates.get(name) ?? []), samplesNs.map((ns) => amount / ns)]);
  }
  const drifts = [...rates]
    .filter(([, all]) => all.length >= 2 * QUARTERS)
    .map(([anchor, all]): Drift => {
      const quarters = Array.from({ length: QUARTERS }, (_, quarter) =>
        median(all.filter((_, index) => Math.floor((QUARTERS * index) / all.length) === quarter).flat()),
      );
      return { anchor, drift: Math.max(...quarters) / Math.min(...quarters) - 1 };
    });
  return drifts.sort((a, b) => b.drift - a.drift)[0];
}

/** Why a session's trials may not be trusted, one line; undefined when nothing speaks against them. */
export function untrustedReason(trials: readonly Trial[]): string | undefined {
  const found = anchorDrift(trials);
  if (!found || found.drift <= ANCHOR_DRIFT) return undefined;
  const percent = (fraction: number): string => `${Math.round(100 * fraction)}%`;
  return `the anchor ${found.anchor} drifted by ${percent(found.drift)} over the session, more than ${percent(ANCHOR_DRIFT)}: the device did not stay the same`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
