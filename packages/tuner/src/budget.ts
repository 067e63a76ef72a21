/** How a session's time is shared out and what the next trial will probably cost. All times in ms. */

/**
 * A certified trial's cost over the screened one of the same variant before any was seen: 12 to 64 samples instead of
 * 3, three inputs verified instead of one, the same compile time.
 */
const CERTIFIED_OVER_SCREENED = 4;

/** Trials whose mean predicts the next: costs differ with compile times, so fewer are too noisy to plan by. */
const RECENT = 8;

/** The finals' part of a problem's share at most: else a space whose finals are dear would never be searched. */
const FINALS_SHARE = 0.6;

/**
 * Part of the time left that a certifying run may go on for past its fewest samples. Those 12 samples, their anchors and three
 * verifications come first and cannot be shortened; on a device that never meets the gate the whole 10 s would be spent on each.
 */
const EXTENSION_SHARE = 0.5;

/** How long in ms a certifying run may go on past its fewest samples when it must end by `end`. */
export function extensionUntil(now: number, end: number): number {
  return Math.max(0, end - now) * EXTENSION_SHARE;
}

/**
 * Largest part of the budget that the noise probe may have taken for the ceilings to be measured too: they take three to six
 * times as long (2.9 s and 14 s on a busy software GPU), and a session of a few seconds is better spent on trials alone. Its table
 * has no fractions of ceilings.
 */
const NOISE_SHARE = 0.125;

/** Whether a session whose noise probe took `noiseMs` has time for the ceilings. */
export function affordsCeilings(noiseMs: number, budgetMs: number): boolean {
  return noiseMs <= budgetMs * NOISE_SHARE;
}

/** Most variants compiled side by side: the cores of the machine, and 16 at most, beyond which compilers share locks. */
export const MOST_AHEAD = 16;

/** Time by which the most important finals may overrun the budget, as a fraction of it. */
export const BUDGET_SLACK = 0.05;

/** Part of a problem's share by which its very first trial may overrun it: without that one the problem has nothing at all. */
const FIRST_OVERRUN = 0.5;

/** What a session gives its very first trial at least, in ms: one number is better than none, however small the budget. */
const FIRST_TRIAL_MS = 10_000;

/** Times the expected cost that a screened trial may always take: compile times differ so much. */
const SCREENED_SLACK = 2;

/** Part of the budget that the noise probe may take, and the ceilings: on a device that is slower still they are given up. */
const PROBE_SHARE = 0.25;

/** How long the noise probe, or the ceilings, may take in ms. */
export const probeLimit = (budgetMs: number): number => budgetMs * PROBE_SHARE;

/** The times that bound a problem's trials, in ms of the clock. */
export interface Bounds {
  readonly shareStart: number;
  readonly shareEnd: number;
  /** When everything must have ended that a table cannot do without. */
  readonly slackEnd: number;
}

/** When the first trial of a problem is given up; `ofAll`: the first of the session. */
export function firstUntil(now: number, { shareStart, shareEnd, slackEnd }: Bounds, ofAll: boolean): number {
  const until = Math.min(slackEnd, shareEnd + FIRST_OVERRUN * Math.max(0, shareEnd - shareStart));
  return ofAll ? Math.max(until, now + FIRST_TRIAL_MS) : until;
}

/** When a later screened trial is given up: the finals that a table cannot do without need `reserveMs` of the share. */
export function screenedUntil(
  now: number,
  { shareEnd, slackEnd }: Bounds,
  { reserveMs, expectedMs }: { readonly reserveMs: number; readonly expectedMs: number },
): number {
  return Math.min(slackEnd, Math.max(shareEnd - reserveMs, now + SCREENED_SLACK * expectedMs));
}

/** End of a problem's share: what is left of the session, split evenly over it and the problems after it. */
export function shareEnd(now: number, sessionEnd: number, problemsLeft: number): number {
  return now + Math.max(0, sessionEnd - now) / problemsLeft;
}

/** Time within a share to keep for the finals. */
export function finalsReserve(expectedMs: number, shareMs: number): number {
  return Math.min(expectedMs, shareMs * FINALS_SHARE);
}

/** What trials cost here, learned as they come. */
export class Pace {
  readonly #recent: { readonly ms: number; readonly waitedMs: number }[] = [];
  #certifiedMs = 0;
  #theirScreenedMs = 0;
  #lastCertifiedMs = 0;

  /**
   * A screened trial's cost, and how long compilers were waited for before it. Waiting is no part of what the next costs: counted in,
   * one wait left time for fewer proposals, which left the compilers less to do, and made the next wait longer.
   */
  screened(ms: number, waitedMs = 0): void {
    this.#recent.push({ ms, waitedMs });
    if (this.#recent.length > RECENT) this.#recent.shift();
  }

  /** A certified trial's cost, and what screening the same variant had cost, 0 when that was never seen. */
  certified(ms: number, screenedMs: number): void {
    this.#lastCertifiedMs = ms;
    if (screenedMs === 0) return;
    this.#certifiedMs += ms;
    this.#theirScreenedMs += screenedMs;
  }

  /** Expected cost of the next screened trial; 0 before the first of a problem, which is always tried. */
  nextScreened(): number {
    return mean(this.#recent.map(({ ms }) => ms));
  }

  /** The same with the wait for it. */
  nextTurn(): number {
    return this.nextScreened() + mean(this.#recent.map(({ waitedMs }) => waitedMs));
  }

  /** Expected cost of certifying a variant whose screening took `screenedMs`, 0 when that was never seen. */
  nextCertified(screenedMs: number): number {
    if (screenedMs === 0) return this.#lastCertifiedMs;
    const ratio =
      this.#theirScreenedMs > 0 ? this.#certifiedMs / this.#theirScreenedMs : CERTIFIED_OVER_SCREENED;
    return screenedMs * ratio;
  }

  /** The same without what certifying runs go on for past their fewest samples, which can be cut short. */
  leastCertified(screenedMs: number): number {
    return Math.min(this.nextCertified(screenedMs), screenedMs * CERTIFIED_OVER_SCREENED);
  }

  /** Another problem, another size: recent costs no longer predict, the ratio of grades still does. */
  forgetCosts(): void {
    this.#recent.length = 0;
    this.#lastCertifiedMs = 0;
  }
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
