import { expect, it } from "vitest";
import { measureTrip } from "../src/trip.ts";
import { fault, gpu } from "./gpu/null.ts";

it("tells what a round trip costs and what a byte adds, by the least of several", async () => {
  const device = await (await gpu.requestAdapter())!.requestDevice();
  const uploads: number[] = [];
  const { queue } = device;
  const write = queue.writeBuffer.bind(queue);
  queue.writeBuffer = ((...words: Parameters<GPUQueue["writeBuffer"]>) => {
    uploads.push(Number(words[4]));
    write(...words);
  }) as GPUQueue["writeBuffer"];
  let [now, readings] = [0, 0];
  // Every second look ends a trip: 2 ms, 5 on the first of each kind, and a microsecond for each KB that travelled.
  const clock = (): number => {
    if (readings++ % 2 === 1) now += 2 + uploads.at(-1)! / 1024 / 1000 + (uploads.length % 8 === 1 ? 3 : 0);
    return now;
  };
  const { roundTripMs, msPerByte } = await measureTrip(device, clock);
  expect(roundTripMs).toBeCloseTo(2, 3);
  expect(msPerByte * 1024).toBeCloseTo(1e-3, 6);
  expect(new Set(uploads)).toEqual(new Set([16, 4 * 2 ** 20]));
  device.destroy();
});

it("is a device-lost fault where the device goes away meanwhile", async () => {
  const device = await (await gpu.requestAdapter())!.requestDevice();
  const pending = fault(measureTrip(device, () => 0));
  device.destroy();
  expect((await pending).kind).toBe("device-lost");
  expect((await fault(measureTrip(device, () => 0))).kind).toBe("device-lost");
});
