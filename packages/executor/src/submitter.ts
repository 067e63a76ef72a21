import { MAX_IN_FLIGHT } from "./budgets.ts";
import type { Lifeline } from "./lifeline.ts";
import { PassWriter } from "./passes.ts";
import type { Timestamps } from "./timestamps.ts";
import type { TimingMode } from "./types.ts";
import type { Watch } from "./watch.ts";

/** What a submitter needs of its surroundings. */
export interface SubmitterContext {
  readonly device: GPUDevice;
  readonly lifeline: Lifeline;
  readonly watch: Watch;
  now(): number;
}

/** The submissions of one run: gathers commands up to the time budget, submits, and keeps count. */
export class Submitter {
  readonly #context: SubmitterContext;
  readonly #timing: TimingMode;
  readonly timestamps: Timestamps | undefined;
  #open: { readonly encoder: GPUCommandEncoder; readonly writer: PassWriter } | undefined;
  #openMs = 0;
  #inFlight: Promise<void>[] = [];
  submissions = 0;
  /** When the first submission was made, by the clock. */
  startedMs: number | undefined;

  constructor(context: SubmitterContext, timing: TimingMode, timestamps: Timestamps | undefined) {
    this.#context = context;
    this.#timing = timing;
    this.timestamps = timestamps;
  }

  /** Makes room for work of about `ms`: submits what is gathered when both together would exceed `budgetMs`. */
  async reserve(ms: number, budgetMs: number): Promise<void> {
    if (this.#open && (this.#openMs + ms > budgetMs || this.timestamps?.full)) await this.flush();
    this.#openMs += ms;
  }

  /** Where commands go. What is wrong with them shows when they are submitted. */
  get writer(): PassWriter {
    if (!this.#open) {
      const encoder = this.#context.device.createCommandEncoder();
      this.#open = { encoder, writer: new PassWriter(encoder, this.#timing, this.timestamps) };
    }
    return this.#open.writer;
  }

  /** Submits what is gathered; waits only when too much is in flight. */
  async flush(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    this.#openMs = 0;
    const { device, lifeline, watch } = this.#context;
    lifeline.check();
    watch.calls(() => {
      open.writer.end();
      const commands = open.encoder.finish();
      this.startedMs ??= this.#context.now();
      device.queue.submit([commands]);
      this.timestamps?.resolve();
    });
    this.submissions++;
    this.#inFlight.push(lifeline.guard(device.queue.onSubmittedWorkDone()));
    if (this.#inFlight.length > MAX_IN_FLIGHT) await this.#inFlight.shift();
  }

  /**
   * Submits and waits until the GPU is idle; returns the time by the clock at that moment.
   * @throws Fault of the first thing that went wrong.
   */
  async finish(): Promise<number> {
    await this.flush();
    await Promise.all(this.#inFlight.splice(0));
    const endMs = this.#context.now();
    await this.#context.watch.settle();
    return endMs;
  }
}
