import { Fault, type FaultKind, firstLine } from "@tunelab/contract";

const KINDS: readonly (readonly [GPUErrorFilter, FaultKind])[] = [
  ["validation", "validation"],
  ["out-of-memory", "out-of-memory"],
  ["internal", "validation"],
];

/**
 * Runs synchronous WebGPU calls and reports what the device found wrong with them; `what` begins the message. The scopes
 * are pushed and popped without an await between, because they are one stack per device and other calls may interleave.
 */
export function scoped<T>(
  device: GPUDevice,
  what: string,
  calls: () => T,
): { readonly value: T; readonly fault: Promise<Fault | undefined> } {
  for (const [filter] of KINDS) device.pushErrorScope(filter);
  let value: T;
  const popped: Promise<GPUError | null>[] = [];
  try {
    value = calls();
  } finally {
    for (const _ of KINDS) popped.push(device.popErrorScope());
    // A lost device rejects these; whoever awaits `fault` hears of it, and an unread one must not end the process.
    for (const pop of popped) pop.catch(() => {});
  }
  const kinds = [...KINDS].reverse();
  const fault = Promise.all(popped).then((errors) => {
    for (const [index, error] of errors.entries()) {
      if (error) {
        return new Fault(kinds[index]![1], `${what}: ${firstLine(error.message)}`, { cause: error.message });
      }
    }
    return undefined;
  });
  fault.catch(() => {});
  return { value, fault };
}
