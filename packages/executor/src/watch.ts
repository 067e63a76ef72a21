import type { Fault } from "@tunelab/contract";
import type { Lifeline } from "./lifeline.ts";
import { scoped } from "./scopes.ts";

/** Error scopes around synchronous calls whose faults are thrown later, by the next call that waits for the device. */
export class Watch {
  readonly #device: GPUDevice;
  readonly #lifeline: Lifeline;
  readonly #what: string;
  #faults: Promise<Fault | undefined>[] = [];

  /** `what` begins every message. */
  constructor(device: GPUDevice, lifeline: Lifeline, what: string) {
    this.#device = device;
    this.#lifeline = lifeline;
    this.#what = what;
  }

  calls<T>(calls: () => T): T {
    const { value, fault } = scoped(this.#device, this.#what, calls);
    this.#faults.push(fault);
    return value;
  }

  /** @throws Fault of the first call that went wrong since the last time. */
  async settle(): Promise<void> {
    const faults = await this.#lifeline.guard(Promise.all(this.#faults.splice(0)));
    const found = faults.find((fault) => fault !== undefined);
    if (found) throw found;
  }
}
