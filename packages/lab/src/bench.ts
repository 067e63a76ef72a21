import type { MachineLoad } from "@tunelab/contract";
import { type Bench, chooseDevice, type DeviceTarget, machineLoad, openBench } from "@tunelab/devices";
import { EXIT, ExitWith, type Io } from "./io.ts";
import { busyLine } from "./load-text.ts";
import { parseProfile } from "./options.ts";
import { hostEntry } from "./places.ts";

/** Options of every command that measures something small on one device. */
export interface DeviceFlags {
  readonly device: string;
  readonly profile: string;
  readonly json?: boolean;
}

/** Where something is measured: the device, and what else the machine was doing before it was opened. */
export interface Place {
  readonly target: DeviceTarget;
  readonly machine: MachineLoad;
}

/**
 * Names a busy machine, opens the device, asks it one thing and closes it, also after Ctrl-C (exit 130) or a failure.
 */
export async function askDevice<T>(
  flags: DeviceFlags,
  io: Io,
  ask: (bench: Bench, place: Place) => Promise<T>,
): Promise<T> {
  const profile = parseProfile(flags.profile);
  const target = await chooseDevice(flags.device);
  io.note(`Device ${target.id} (${target.kind}), profile ${profile}`);
  const machine = await machineLoad();
  io.note(busyLine(machine));
  const bench = await openBench(target, { entry: hostEntry, profile });
  // Closing the bench ends the request in hand, so that Ctrl-C need not wait for it.
  const stop = (): void => void bench.close().catch(() => {});
  io.signal.addEventListener("abort", stop, { once: true });
  try {
    return await ask(bench, { target, machine });
  } catch (error) {
    if (io.signal.aborted) throw new ExitWith(EXIT.interrupted);
    throw error;
  } finally {
    io.signal.removeEventListener("abort", stop);
    await bench.close();
  }
}
