import type { Fault, Trip } from "@tunelab/contract";
import { Lifeline } from "./lifeline.ts";

/** WebGPU's flag values (W3C WebGPU 5.1, 8.1): the namespaces of these names are no globals in Node. */
const MAP_READ = 0x0001;
const USAGE = { mapRead: 0x0001, copySource: 0x0004, copyTarget: 0x0008 } as const;

/** Bytes of the upload that tells what a byte costs: long enough to stand out of the round trip. */
const UPLOAD_BYTES = 4 * 2 ** 20;
/** Readings of each; the least counts. */
const READINGS = 8;

/** What an error of a call on a device means: `device-lost` where it is gone. */
export const faultOn = (device: GPUDevice, error: unknown): Promise<Fault> =>
  Lifeline.of(device).faultOf(error);

/** Measures what every call pays beside its kernel. Takes a few round trips and 4 MiB of device memory. Rejects with `Fault` device-lost. */
export async function measureTrip(device: GPUDevice, now: () => number): Promise<Trip> {
  const target = device.createBuffer({ size: UPLOAD_BYTES, usage: USAGE.copySource | USAGE.copyTarget });
  const staging = device.createBuffer({ size: 16, usage: USAGE.mapRead | USAGE.copyTarget });
  const upload = new Uint8Array(UPLOAD_BYTES);
  const trip = async (bytes: number): Promise<number> => {
    const start = now();
    device.queue.writeBuffer(target, 0, upload, 0, bytes);
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(target, 0, staging, 0, 16);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ);
    staging.unmap();
    return now() - start;
  };
  const least = async (bytes: number): Promise<number> => {
    let best = Number.POSITIVE_INFINITY;
    for (let reading = 0; reading < READINGS; reading++) best = Math.min(best, await trip(bytes));
    return best;
  };
  try {
    const roundTripMs = await least(16);
    const msPerByte = Math.max(0, (await least(UPLOAD_BYTES)) - roundTripMs) / UPLOAD_BYTES;
    return { roundTripMs, msPerByte };
  } catch (error) {
    throw await faultOn(device, error);
  } finally {
    target.destroy();
    staging.destroy();
  }
}
