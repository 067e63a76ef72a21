import { SETTLE } from "./protocol.ts";
import { timeLimit } from "./time-limit.ts";
import { warmUp } from "./warmup.ts";

/**
 * Brings the device's clock up before something is timed, and notices when it moved. GPUs lower their clock when they idle: an
 * H200 that compiled and verified between short kernels fell from 1980 to 345 MHz within seconds, and every later variant
 * looked up to six times slower; 0.2 to 0.4 s of uninterrupted work brings it back, runs with a pause after each do not.
 */
export class Settler {
  readonly #burst: () => Promise<number>;
  readonly #clock: { now(): number };
  readonly #warmMs: number;
  #best = Number.POSITIVE_INFINITY;
  #state: "cold" | "paced" | "unsteady" = "cold";

  /**
   * `burst` runs uninterrupted work for about SETTLE.burstMs and resolves to the time of one part of it, in any unit. The first call
   * to `settle` goes on for `warmMs` at least.
   */
  constructor(burst: () => Promise<number>, clock: { now(): number }, warmMs: number = SETTLE.warmMs) {
    this.#burst = burst;
    this.#clock = clock;
    this.#warmMs = warmMs;
  }

  /**
   * Runs bursts for `leastMs` and until one is within the tolerance of the fastest of the session; the first call runs until
   * they show no trend. Bounded by time. Where steady bursts scatter by more than the tolerance (a software GPU on a shared machine) pacing
   * cannot work, and later calls return at once.
   */
  async settle(leastMs: number = SETTLE.leastMs): Promise<void> {
    if (this.#state === "cold") return this.#warm();
    if (this.#state === "unsteady") return;
    const look = timeLimit(this.#clock, SETTLE.limitMs);
    for (;;) {
      const value = await this.#take();
      const { ms, over } = look();
      if (over || (ms >= leastMs && value <= this.#best * (1 + SETTLE.tolerance))) return;
    }
  }

  /** Whether the device still runs at its best pace: false says that what was just timed should be timed again. */
  async held(): Promise<boolean> {
    if (this.#state !== "paced") return true;
    return (await this.#take()) <= this.#best * (1 + 2 * SETTLE.tolerance);
  }

  async #warm(): Promise<void> {
    const recent: number[] = [];
    await warmUp(
      async () => {
        const value = await this.#take();
        recent.push(value);
        return value;
      },
      this.#clock,
      { leastMs: this.#warmMs, limitMs: SETTLE.limitMs },
    );
    const last = recent.slice(-SETTLE.window);
    const scatter = Math.max(...last) / Math.min(...last) - 1;
    this.#state = scatter <= SETTLE.tolerance ? "paced" : "unsteady";
  }

  async #take(): Promise<number> {
    const value = await this.#burst();
    if (value > 0) this.#best = Math.min(this.#best, value);
    return value;
  }
}
