import { bufferBytes, type Plan, type PortData, portOf } from "@tunelab/contract";
import { type BoundPorts, PORT_USAGE } from "@tunelab/executor";

/** Buffers that both sides of a timing run on, by port. */
export interface CommonPorts {
  /** What either side is bound to: the common buffers, and the words of ports that are not common. */
  readonly ports: BoundPorts;
  dispose(): void;
}

/**
 * Puts the in and out ports that both plans have in the same size into one set of buffers. With buffers of their own two instances of
 * one plan differed on an H200 by 2.2% in either of two runs (an fft of 256 points that streams 64 MiB) and by 4 to 7% (a matched filter
 * that spills registers). Whether buffers or code made the difference was not told apart. Ports that are changed in place stay
 * apart, for each side restores its own.
 */
export function commonPorts(
  device: GPUDevice,
  [base, candidate]: readonly [Plan, Plan],
  inputs: PortData,
): CommonPorts {
  const made: Record<string, GPUBuffer> = {};
  const theirs = portsOf(candidate);
  for (const [port, { role, bytes }] of portsOf(base)) {
    const other = theirs.get(port);
    if (other?.role !== role || other.bytes !== bytes) continue;
    const buffer = device.createBuffer({ label: `common ${port}`, size: bytes, usage: PORT_USAGE });
    const words = inputs[port];
    if (words) device.queue.writeBuffer(buffer, 0, words as Float32Array<ArrayBuffer>);
    made[port] = buffer;
  }
  return {
    ports: { ...inputs, ...made },
    dispose: () => {
      for (const buffer of Object.values(made)) buffer.destroy();
    },
  };
}

function portsOf({ buffers, batch }: Plan): ReadonlyMap<string, { role: string; bytes: number }> {
  return new Map(
    buffers
      .filter(({ role }) => role === "in" || role === "out")
      .map((spec) => [portOf(spec)!, { role: spec.role, bytes: bufferBytes(spec, batch.items) }]),
  );
}
