import { Fault } from "@tunelab/contract";
import { MAP_READ, USAGE } from "./flags.ts";
import type { Lifeline } from "./lifeline.ts";
import type { PassTime } from "./types.ts";

/** Most queries of one set (W3C WebGPU 3.6.2: 4096 is every implementation's cap). */
const QUERIES = 4096;
const BYTES = 8;

/** The query set of a device, shared by all runs: a run resolves its queries in the same turn in which it submits them. */
export class TimestampSet {
  readonly set: GPUQuerySet;
  readonly resolved: GPUBuffer;

  constructor(device: GPUDevice) {
    this.set = device.createQuerySet({ label: "pass times", type: "timestamp", count: QUERIES });
    this.resolved = device.createBuffer({
      label: "resolved pass times",
      size: QUERIES * BYTES,
      usage: USAGE.queryResolve | USAGE.copySource,
    });
  }

  dispose(): void {
    this.set.destroy();
    this.resolved.destroy();
  }
}

interface Named {
  readonly stage: string;
  readonly repeat: number;
}

/** Collects the pass times of one run, over any number of submissions. */
export class Timestamps {
  readonly #device: GPUDevice;
  readonly #shared: TimestampSet;
  #open: Named[] = [];
  readonly #pending: { readonly named: readonly Named[]; readonly buffer: GPUBuffer }[] = [];

  constructor(device: GPUDevice, shared: TimestampSet) {
    this.#device = device;
    this.#shared = shared;
  }

  /** Whether the next piece had better wait for another submission: half of the queries are taken. */
  get full(): boolean {
    return this.#open.length >= QUERIES / 4;
  }

  /** The timestamp writes of the next pass. @throws Fault `unsupported` when one submission has no query left. */
  next(stage: string, repeat: number): GPUComputePassTimestampWrites {
    if (this.#open.length >= QUERIES / 2) {
      throw new Fault(
        "unsupported",
        `one piece has more than ${QUERIES / 2} timed passes: check its loop more often or give it fewer stages`,
      );
    }
    const index = this.#open.length * 2;
    this.#open.push({ stage, repeat });
    return { querySet: this.#shared.set, beginningOfPassWriteIndex: index, endOfPassWriteIndex: index + 1 };
  }

  /**
   * Resolves what was just submitted, in a submission of its own: resolving within the same one has given zeros on some
   * drivers.
   */
  resolve(): void {
    const named = this.#open;
    if (!named.length) return;
    this.#open = [];
    const size = named.length * 2 * BYTES;
    const buffer = this.#device.createBuffer({
      label: "pass times read back",
      size,
      usage: USAGE.mapRead | USAGE.copyTarget,
    });
    const encoder = this.#device.createCommandEncoder();
    encoder.resolveQuerySet(this.#shared.set, 0, named.length * 2, this.#shared.resolved, 0);
    encoder.copyBufferToBuffer(this.#shared.resolved, 0, buffer, 0, size);
    this.#device.queue.submit([encoder.finish()]);
    this.#pending.push({ named, buffer });
  }

  /** Every pass resolved since the last call, in order; waits until the values are there. */
  async collect(lifeline: Lifeline): Promise<readonly PassTime[]> {
    const times: PassTime[] = [];
    for (const { named, buffer } of this.#pending.splice(0)) {
      try {
        await lifeline.guard(buffer.mapAsync(MAP_READ));
        const words = new BigUint64Array(buffer.getMappedRange());
        for (const [index, { stage, repeat }] of named.entries()) {
          times.push({ stage, repeat, begin: words[index * 2]!, end: words[index * 2 + 1]! });
        }
      } finally {
        buffer.destroy();
      }
    }
    return times;
  }

  /** Frees what a failed run left. */
  dispose(): void {
    for (const { buffer } of this.#pending.splice(0)) buffer.destroy();
  }
}
