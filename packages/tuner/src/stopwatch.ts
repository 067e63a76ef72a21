import type { MeasurePhase } from "@tunelab/contract";

/**
 * Where a session's time went: `calibrate` noise probe and ceilings, `compile` planning and compiling, `waiting` for compilers of
 * their own with nothing to time, `verify`, `measure` with warm-up, `host` starting hosts and the way to them, `idle` the session's
 * own work between requests.
 */
export type Account = "calibrate" | "compile" | "waiting" | "verify" | "measure" | "host" | "idle";

const ACCOUNTS: Readonly<Record<MeasurePhase, Account>> = {
  idle: "host",
  plan: "compile",
  compile: "compile",
  verify: "verify",
  "warm-up": "measure",
  measure: "measure",
};

/** Adds up time by account; every moment since it was made belongs to exactly one. */
export class Stopwatch {
  readonly #now: () => number;
  readonly #spent: Record<Account, number> = {
    calibrate: 0,
    compile: 0,
    waiting: 0,
    verify: 0,
    measure: 0,
    host: 0,
    idle: 0,
  };
  #account: Account = "idle";
  #since: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  enter(account: Account): void {
    const now = this.#now();
    this.#spent[this.#account] += now - this.#since;
    this.#since = now;
    this.#account = account;
  }

  /** The host says what it is doing; only heard while a request runs. */
  phase(phase: MeasurePhase): void {
    if (this.#account !== "idle" && this.#account !== "calibrate" && this.#account !== "waiting")
      this.enter(ACCOUNTS[phase]);
  }

  /** Whole ms by account, up to now. */
  read(): Readonly<Record<Account, number>> {
    this.enter(this.#account);
    const rounded = Object.entries(this.#spent).map(([account, ms]) => [account, Math.round(ms)]);
    return Object.fromEntries(rounded) as Record<Account, number>;
  }
}
