import type { FakeClock } from "../fake.ts";
import { TICKS_PER_SAMPLE } from "../protocol.ts";
import type { RawSample, Timeable } from "../types.ts";
import type { NoiseSource } from "./noise.ts";

/** Chrome's timestamps by default. */
export const COARSE_TICK_NS = 65_536;

/** A device whose every sample is known but for its noise; moves its clock as it runs. */
export interface SimulatedDevice {
  /** Runs kernels of `ns` each, `repeats` in a row, and reads begin and end off the clock in ns. */
  run(ns: number, repeats: number): { readonly begin: number; readonly end: number };
}

export interface DeviceOptions {
  readonly clock: FakeClock;
  readonly noise: NoiseSource;
  /** Step of the timestamps in ns. */
  readonly tickNs?: number;
  /** Wall time around a sample in ms; what scatters the phase of a coarse clock. */
  readonly overheadMs?: () => number;
}

export function simulatedDevice(options: DeviceOptions): SimulatedDevice {
  const { clock, noise, tickNs = 1, overheadMs = () => 0.05 } = options;
  const read = (): number => Math.floor((clock.now() * 1e6) / tickNs) * tickNs;
  return {
    run: (ns, repeats) => {
      clock.advance(overheadMs());
      const begin = read();
      clock.advance((ns * noise() * repeats) / 1e6);
      return { begin, end: read() };
    },
  };
}

/** Repeats that fill 200 ticks: what doubling finds. */
export const repeatsFor = (ns: number, tickNs: number): number => Math.ceil((TICKS_PER_SAMPLE * tickNs) / ns);

/** A kernel of known length on a simulated device, as something that the live sampler times. */
export function simulatedTimeable(device: SimulatedDevice, clock: FakeClock, ns: number): Timeable {
  return {
    sample: async (repeats): Promise<RawSample> => {
      const before = clock.now();
      const { begin, end } = device.run(ns, repeats);
      // Off zero: a begin of 0 means that nothing was written.
      const passes = [{ begin: BigInt(begin) + 1_000_000_000n, end: BigInt(end) + 1_000_000_000n }];
      return { passes, wallMs: clock.now() - before };
    },
  };
}
