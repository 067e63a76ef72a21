import { asFault, Fault, firstLine } from "@tunelab/contract";

/**
 * Ties asynchronous calls to the life of a device: when it is lost, every pending call rejects with `device-lost`, and
 * later ones do at once. Handlers hang on the pending calls alone, so a long-lived device collects none.
 */
export class Lifeline {
  readonly lost: Promise<Fault>;
  readonly #queue: GPUQueue;
  #fault: Fault | undefined;
  readonly #pending = new Set<(fault: Fault) => void>();
  static readonly #ofDevice = new WeakMap<GPUDevice, Lifeline>();

  /** The device's own: a handler on `device.lost` can never be taken off, so each device gets one and no more. */
  static of(device: GPUDevice): Lifeline {
    const known = Lifeline.#ofDevice.get(device);
    if (known) return known;
    const made = new Lifeline(device);
    Lifeline.#ofDevice.set(device, made);
    return made;
  }

  constructor(device: GPUDevice) {
    this.#queue = device.queue;
    this.lost = device.lost.then((info) => {
      const fault = new Fault(
        "device-lost",
        `the GPU device was lost (${info.reason || "unknown"}): ${firstLine(info.message) || "no message"}; open a new device`,
        { reason: info.reason },
      );
      this.#fault = fault;
      for (const reject of this.#pending) reject(fault);
      this.#pending.clear();
      return fault;
    });
  }

  /** @throws Fault `device-lost` when the device is gone. */
  check(): void {
    if (this.#fault) throw this.#fault;
  }

  /**
   * What an error of a call means: `device-lost` where the device is gone, which rejects calls in its own words before it says so;
   * else what scopes `heard` meanwhile.
   */
  async faultOf(error: unknown, heard?: Fault): Promise<Fault> {
    if (error instanceof Fault) return error;
    await this.#queue.onSubmittedWorkDone().catch(() => {});
    return this.#fault ?? heard ?? asFault(error, "validation");
  }

  /** The promise's outcome, or `device-lost` if that comes first. */
  guard<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#fault) {
        promise.catch(() => {});
        reject(this.#fault);
        return;
      }
      const settle = <V>(act: (value: V) => void) => {
        return (value: V): void => {
          this.#pending.delete(reject);
          act(value);
        };
      };
      this.#pending.add(reject);
      promise.then(settle(resolve), settle(reject));
    });
  }
}
