/** Bytes of a timestamp, and the alignment of where queries are resolved to (W3C WebGPU 20.1). */
const STAMP_BYTES = 8;

/** Times what a caller encodes by the device's clock: a timestamp in an empty pass before it and one after. */
export class DeviceStopwatch {
  readonly #device: GPUDevice;
  readonly #queries: GPUQuerySet | undefined;

  /** The device needs the feature `timestamp-query` to be asked for a time. */
  constructor(device: GPUDevice) {
    this.#device = device;
    if (device.features.has("timestamp-query"))
      this.#queries = device.createQuerySet({ type: "timestamp", count: 2 });
  }

  /** Nanoseconds from the first to the last command; may be no positive number where the clock steps coarsely. */
  async time(encode: (encoder: GPUCommandEncoder) => void): Promise<number> {
    const querySet = this.#queries!;
    const encoder = this.#device.createCommandEncoder();
    encoder.beginComputePass({ timestampWrites: { querySet, beginningOfPassWriteIndex: 0 } }).end();
    encode(encoder);
    encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 1 } }).end();
    this.#device.queue.submit([encoder.finish()]);
    // Resolved in the submission that wrote them, some drivers give zeros.
    await this.#device.queue.onSubmittedWorkDone();
    return this.#read();
  }

  async #read(): Promise<number> {
    const size = 2 * STAMP_BYTES;
    const resolved = this.#device.createBuffer({
      size,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
    const staging = this.#device.createBuffer({
      size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = this.#device.createCommandEncoder();
    encoder.resolveQuerySet(this.#queries!, 0, 2, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, size);
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const [begin, end] = new BigUint64Array(staging.getMappedRange());
    staging.unmap();
    for (const buffer of [resolved, staging]) buffer.destroy();
    return Number(end! - begin!);
  }

  dispose(): void {
    this.#queries?.destroy();
  }
}
