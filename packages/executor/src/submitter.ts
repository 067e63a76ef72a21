import type { Fault } from "@tunelab/contract";
import { MAX_IN_FLIGHT } from "./budgets.ts";
import type { Lifeline } from "./lifeline.ts";
import { PassWriter } from "./passes.ts";
import { scoped } from "./scopes.ts";
import type { Timestamps } from "./timestamps.ts";
import type { TimingMode } from "./types.ts";

/** The submissions of one run: gathers commands up to the time budget, submits, and keeps count. */
export class Submitter {
  readonly #device: GPUDevice;
  readonly #lifeline: Lifeline;
  readonly #what: string;
  readonly #now: () => number;
  readonly #timing: TimingMode;
  readonly timestamps: Timestamps | undefined;
  #open: { readonly encoder: GPUCommandEncoder; readonly writer: PassWriter } | undefined;
  #openMs = 0;
  #fault: Fault | undefined;
  #inFlight: Promise<void>[] = [];
  #scopes: Promise<unknown>[] = [];
  submissions = 0;
  /** When the first submission was made, by the clock. */
  startedMs: number | undefined;

  constructor(
    device: GPUDevice,
    lifeline: Lifeline,
    what: string,
    now: () => number,
    timing: TimingMode,
    timestamps: Timestamps | undefined,
  ) {
    this.#device = device;
    this.#lifeline = lifeline;
    this.#what = what;
    this.#now = now;
    this.#timing = timing;
    this.timestamps = timestamps;
  }

  /** Makes room for work of about `ms`: submits what is gathered when both together would exceed `budgetMs`. */
  async reserve(ms: number, budgetMs: number): Promise<void> {
    if (this.#open && (this.#openMs + ms > budgetMs || this.timestamps?.full)) await this.flush();
    this.#openMs += ms;
  }

  get writer(): PassWriter {
    if (!this.#open) {
      const encoder = this.#device.createCommandEncoder({ label: this.#what });
      this.#open = { encoder, writer: new PassWriter(encoder, this.#timing, this.timestamps) };
    }
    return this.#open.writer;
  }

  /** Runs device calls under error scopes; what they did wrong is thrown by `finish`. */
  watched<T>(calls: () => T): T {
    const { value, fault } = scoped(this.#device, this.#what, calls);
    this.#scopes.push(
      fault.then(
        (found) => {
          this.#fault ??= found;
        },
        () => {}, // only a lost device rejects here, and that is heard elsewhere
      ),
    );
    return value;
  }

  /** Submits what is gathered; waits only when too much is in flight. */
  async flush(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    this.#openMs = 0;
    this.#lifeline.check();
    this.watched(() => {
      open.writer.end();
      const commands = open.encoder.finish();
      this.startedMs ??= this.#now();
      this.#device.queue.submit([commands]);
      this.timestamps?.resolve();
    });
    this.submissions++;
    this.#inFlight.push(this.#lifeline.guard(this.#device.queue.onSubmittedWorkDone()));
    if (this.#inFlight.length > MAX_IN_FLIGHT) await this.#inFlight.shift();
  }

  /**
   * Submits and waits until the GPU is idle; returns the time by the clock at that moment.
   * @throws Fault of the first thing that went wrong.
   */
  async finish(): Promise<number> {
    await this.flush();
    await Promise.all(this.#inFlight.splice(0));
    const endMs = this.#now();
    await this.#lifeline.guard(Promise.all(this.#scopes.splice(0)));
    if (this.#fault) throw this.#fault;
    return endMs;
  }
}
