import type { Ceilings } from "@tunelab/contract";
import { type Bench, type BenchOptions, type DeviceTarget, openBench } from "@tunelab/devices";
import type { Compiler } from "@tunelab/tuner";
import type { Io } from "./io.ts";

/** Compilers at most. */
export const MOST_COMPILERS = 16;

/** Each holds a context on the device: some 400 MB on an H200, inputs not counted. */
const CONTEXT_BYTES = 400e6;

/** Free memory of a device whose driver does not tell: that of a small discrete card. */
const UNTOLD_BYTES = 8e9;

/** What contexts may take of it: variants need the rest, or they would be recorded as not fitting. */
const CONTEXTS_SHARE = 0.5;

/** Fewer cores are better used by the host that times, in batches. */
const LEAST_CORES = 8;

/** Cores left to the host that times and to the session. */
const OTHER_CORES = 2;

/**
 * Compilers that work beside a timing unless somebody says how many: all cores but two on a discrete GPU, whose time they do not touch,
 * beside a processor of eight cores or more, as far as its free memory goes; none on a GPU that shares its memory and heat with them. In
 * simulation (16 cores, an H200's compile times, ten minutes) the device is measuring 21% of the time without, 53% with 8 and 72% with 14;
 * an H200 was, with 14, 64% of 148 s.
 */
export function compilersFor(adapterType: string, cores: number, freeBytes: number = UNTOLD_BYTES): number {
  if (adapterType !== "discrete" || cores < LEAST_CORES) return 0;
  return Math.min(
    MOST_COMPILERS,
    cores - OTHER_CORES,
    Math.floor((CONTEXTS_SHARE * freeBytes) / CONTEXT_BYTES),
  );
}

/** The compilers of one session: opened when first asked for, closed with it. */
export class Compilers {
  readonly #target: DeviceTarget;
  readonly #count: number;
  readonly #options: BenchOptions;
  readonly #io: Io;
  readonly #stop = new AbortController();
  #opening: Promise<readonly Bench[]> | undefined;

  constructor(target: DeviceTarget, count: number, options: BenchOptions, io: Io) {
    this.#target = target;
    this.#count = count;
    this.#options = options;
    this.#io = io;
  }

  /** Those that could be opened, on a device of these ceilings; what kept the others is told once. */
  open(ceilings: Ceilings): Promise<readonly Compiler[]> {
    this.#opening ??= this.#open(ceilings);
    return this.#opening;
  }

  async #open(beside: Ceilings): Promise<readonly Bench[]> {
    const count = this.#count;
    const opened = await Promise.allSettled(
      Array.from({ length: count }, () =>
        openBench(this.#target, { ...this.#options, beside, signal: this.#stop.signal }),
      ),
    );
    const failed = opened.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected" && !this.#stop.signal.aborted)
      this.#io.note(`Fewer compilers than ${count}: ${String(failed.reason)}`);
    return opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  }

  /** Those that still open are ended: each would have three times its 30 s. */
  async close(): Promise<void> {
    this.#stop.abort();
    const opened = (await this.#opening) ?? [];
    await Promise.all(opened.map((bench) => bench.close()));
  }
}
