import { type Bench, type BenchOptions, type DeviceTarget, openBench } from "@tunelab/devices";
import type { Compiler } from "@tunelab/tuner";
import type { Io } from "./io.ts";

/** Compilers at most: each holds a context on the device, some 400 MB on an H200. */
export const MOST_COMPILERS = 16;

/** The compilers of one session: opened when first asked for, closed with it. */
export class Compilers {
  readonly #target: DeviceTarget;
  readonly #count: number;
  readonly #options: BenchOptions;
  readonly #io: Io;
  #opening: Promise<readonly Bench[]> | undefined;

  constructor(target: DeviceTarget, count: number, options: BenchOptions, io: Io) {
    this.#target = target;
    this.#count = count;
    this.#options = options;
    this.#io = io;
  }

  /** Those that could be opened; what kept the others is told once. */
  open(): Promise<readonly Compiler[]> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<readonly Bench[]> {
    const count = this.#count;
    const opened = await Promise.allSettled(
      Array.from({ length: count }, () => openBench(this.#target, this.#options)),
    );
    const failed = opened.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected")
      this.#io.note(`Fewer compilers than ${count}: ${String(failed.reason)}`);
    return opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  }

  async close(): Promise<void> {
    const opened = (await this.#opening) ?? [];
    await Promise.all(opened.map((bench) => bench.close()));
  }
}
