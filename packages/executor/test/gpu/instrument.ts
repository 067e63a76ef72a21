/** What was done on a device since it was instrumented. */
export interface Log {
  /** Buffers created, and those not destroyed yet. */
  created: number;
  live: number;
  /** Workgroup counts of every dispatch, in order. */
  readonly dispatches: (readonly [number, number, number])[];
  /** Bytes of every buffer that was cleared. */
  readonly clears: number[];
  submissions: number;
}

export interface Watch {
  /** Called at each submit with the dispatches made since the one before. */
  onSubmit?(dispatches: Log["dispatches"]): void;
  /** What reading buffers back gives, by their label, on a backend that computes nothing. */
  readonly mapped?: Readonly<Record<string, Uint32Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>>>;
}

/** Notes what is created, dispatched and submitted on a device by standing before its own methods. */
export function instrument(device: GPUDevice, { onSubmit, mapped = {} }: Watch = {}): Log {
  const log: Log = { created: 0, live: 0, dispatches: [], clears: [], submissions: 0 };
  let seen = 0;
  const before = <T extends object, K extends keyof T>(
    target: T,
    name: K,
    wrap: (original: T[K]) => T[K],
  ): void => {
    const original = target[name] as (...args: unknown[]) => unknown;
    Object.defineProperty(target, name, { value: wrap(original.bind(target) as T[K]), configurable: true });
  };
  before(device, "createBuffer", (create) => (descriptor) => {
    const buffer = create(descriptor);
    log.created++;
    log.live++;
    before(buffer, "destroy", (destroy) => () => {
      log.live--;
      return destroy();
    });
    const words = mapped[buffer.label];
    if (words) before(buffer, "getMappedRange", () => () => words.buffer);
    return buffer;
  });
  before(device, "createCommandEncoder", (create) => (descriptor) => {
    const encoder = create(descriptor);
    before(encoder, "beginComputePass", (begin) => (passDescriptor) => {
      const pass = begin(passDescriptor);
      before(pass, "dispatchWorkgroups", (dispatch) => (x, y = 1, z = 1) => {
        log.dispatches.push([x, y, z]);
        return dispatch(x, y, z);
      });
      return pass;
    });
    before(encoder, "clearBuffer", (clear) => (buffer, offset, size) => {
      log.clears.push(size ?? buffer.size);
      return clear(buffer, offset, size);
    });
    return encoder;
  });
  const { queue } = device;
  before(queue, "submit", (submit) => (commands) => {
    log.submissions++;
    onSubmit?.(log.dispatches.slice(seen));
    seen = log.dispatches.length;
    return submit(commands);
  });
  Object.defineProperty(device, "queue", { value: queue }); // the wrapped one, whatever the getter makes
  return log;
}
