import { type ClockReading, type ClockVerdict, judgeClock } from "./tick.ts";
import type { Clock } from "./types.ts";

/** Submissions and passes read to learn the clock: 128 timestamps, spread over time by the pauses. */
const SUBMISSIONS = 8;
const PASSES = 8;

/** A pause of unequal length between submissions in ms, so that a coarse clock is met at different phases. */
const pauseMs = (index: number): number => 2 + (index % 3);

/**
 * Measures the step of the device's timestamps in ns by running empty dispatches, or says why they cannot be used.
 * Takes about 30 ms.
 */
export async function readGpuClock(device: GPUDevice, clock: Clock): Promise<ClockVerdict> {
  if (!device.features.has("timestamp-query")) {
    return { usable: false, reason: "the device has no timestamp-query" };
  }
  const module = device.createShaderModule({ code: "@compute @workgroup_size(1) fn main() {}" });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  const count = 2 * PASSES;
  const querySet = device.createQuerySet({ type: "timestamp", count });
  const resolved = device.createBuffer({ size: 8 * count, usage: 0x0200 | 0x0004 }); // QUERY_RESOLVE | COPY_SRC
  const readback = device.createBuffer({ size: 8 * count, usage: 0x0001 | 0x0008 }); // MAP_READ | COPY_DST
  try {
    const readings: ClockReading[] = [];
    for (let index = 0; index < SUBMISSIONS; index += 1) {
      const encoder = device.createCommandEncoder();
      for (let pass = 0; pass < PASSES; pass += 1) {
        const encoded = encoder.beginComputePass({
          timestampWrites: {
            querySet,
            beginningOfPassWriteIndex: 2 * pass,
            endOfPassWriteIndex: 2 * pass + 1,
          },
        });
        encoded.setPipeline(pipeline);
        encoded.dispatchWorkgroups(1);
        encoded.end();
      }
      encoder.resolveQuerySet(querySet, 0, count, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, readback, 0, 8 * count);
      const submittedMs = clock.now();
      device.queue.submit([encoder.finish()]);
      await readback.mapAsync(0x0001);
      const doneMs = clock.now();
      const raw = new BigUint64Array(readback.getMappedRange().slice(0));
      readback.unmap();
      const passes = Array.from({ length: PASSES }, (_, pass) => ({
        begin: raw[2 * pass]!,
        end: raw[2 * pass + 1]!,
      }));
      readings.push({ submittedMs, doneMs, passes });
      await clock.sleep(pauseMs(index));
    }
    return judgeClock(readings);
  } finally {
    querySet.destroy();
    resolved.destroy();
    readback.destroy();
  }
}
