import { availableParallelism } from "node:os";
import { type Bench, type BenchOptions, type DeviceTarget, openBench } from "@tunelab/devices";
import type { Compiler } from "@tunelab/tuner";
import type { Io } from "./io.ts";

/** Cores a machine has at least before some of them compile while the device is timed: the timing host itself needs few. */
const LEAST_CORES = 8;

/** Compilers at most: each holds a context on the device (some 400 MB on an H200), and eight keep up with the timing. */
const MOST_COMPILERS = 8;

/**
 * Hosts that compile while another times: half of the cores of a machine with a discrete GPU, none elsewhere. A software GPU times on
 * the very cores that compile, an integrated one shares their power.
 */
export function compilerCount(
  { kind, info }: Pick<DeviceTarget, "kind" | "info">,
  cores: number = availableParallelism(),
): number {
  if (kind !== "hardware" || info.identity.adapterType !== "discrete" || cores < LEAST_CORES) return 0;
  return Math.min(MOST_COMPILERS, Math.floor(cores / 2));
}

/** The compilers of one session: opened when first asked for, closed with it. */
export class Compilers {
  readonly #target: DeviceTarget;
  readonly #options: BenchOptions;
  readonly #io: Io;
  #opening: Promise<readonly Bench[]> | undefined;

  constructor(target: DeviceTarget, options: BenchOptions, io: Io) {
    this.#target = target;
    this.#options = options;
    this.#io = io;
  }

  /** Those that could be opened; what kept the others is told once. */
  open(): Promise<readonly Compiler[]> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<readonly Bench[]> {
    const count = compilerCount(this.#target);
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
