import { Fault, type Probe } from "@tunelab/contract";
import type { Executor, Instance } from "@tunelab/executor";
import { type InstanceTimeable, instanceTimeable, runMs } from "./instance-timeable.ts";
import { SCALE_STEP } from "./protocol.ts";

/** A probe at the scale that was settled on, ready to be timed. */
export interface ProbeRun {
  readonly probe: Probe;
  readonly scale: number;
  /** FLOPs, bytes or dispatches of one run. */
  readonly amount: number;
  readonly timeable: InstanceTimeable;
  /** Whether the outputs of the last run are what the arithmetic must give. */
  verified(): Promise<boolean>;
  dispose(): void;
}

interface Opened {
  readonly scale: number;
  readonly amount: number;
  readonly instance: Instance;
  readonly ms: number;
}

/** Opens a probe at one scale and times a warm run in ms. @throws Fault when the device or the probe refuses. */
async function open(executor: Executor, probe: Probe, scale: number): Promise<Opened> {
  const { capabilities } = executor;
  const prepared = await executor.prepare(probe.plan(capabilities, scale));
  const instance = await prepared.bind(probe.inputs(capabilities, scale));
  try {
    instance.poison();
    await instance.run({ timing: "total" });
    const ms = runMs(await instance.run({ timing: "total" }));
    return { scale, amount: probe.amount(capabilities, scale), instance, ms };
  } catch (error) {
    instance.dispose();
    throw error;
  }
}

/**
 * Grows a probe's scale until one run lasts `atLeastMs`, the probe gives no more work, or the device refuses a larger
 * one. @throws Fault when even scale 1 is refused, or when the device is lost.
 */
export async function openProbe(
  executor: Executor,
  probe: Probe,
  clock: "gpu" | "wall",
  atLeastMs: number,
): Promise<ProbeRun> {
  let current = await open(executor, probe, 1);
  while (current.ms < atLeastMs) {
    const factor = Math.min(SCALE_STEP, Math.max(2, Math.ceil(atLeastMs / current.ms)));
    const scale = current.scale * factor;
    if (!(amountAt(executor, probe, scale) > current.amount)) break;
    // Freed first: a copy probe's largest buffers may not fit twice.
    current.instance.dispose();
    try {
      current = await open(executor, probe, scale);
    } catch (error) {
      if (error instanceof Fault && error.kind === "device-lost") throw error;
      current = await open(executor, probe, current.scale);
      break;
    }
  }
  const { instance, scale, amount } = current;
  return {
    probe,
    scale,
    amount,
    timeable: instanceTimeable(instance, clock),
    verified: async () => probe.verify(await instance.read(), executor.capabilities, scale),
    dispose: () => instance.dispose(),
  };
}

/** Work at a scale; none where the probe refuses to say. */
function amountAt(executor: Executor, probe: Probe, scale: number): number {
  try {
    return probe.amount(executor.capabilities, scale);
  } catch {
    return 0;
  }
}
