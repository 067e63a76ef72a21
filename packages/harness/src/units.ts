import { type ComputeUnits, Fault, type Probe } from "@tunelab/contract";
import { instanceTimeable, runMs } from "./instance-timeable.ts";
import { UNITS } from "./protocol.ts";
import type { Workbench } from "./workbench.ts";

/**
 * Compute units from the time of g equal workgroups, each of which keeps one unit busy: T(g) = T(1) ceil(g / U). U is the
 * largest g that takes less than 1.5 T(1), found by doubling and halving. Undefined where times do not follow that law: at
 * 8 U workgroups the rate must come to U within 30% (no staircase on a machine that others use).
 */
export async function estimateUnits(
  timeNs: (workgroups: number) => Promise<number>,
): Promise<ComputeUnits | undefined> {
  const one = await timeNs(1);
  if (!(one > 0)) return undefined;
  const flat = async (workgroups: number): Promise<boolean> => (await timeNs(workgroups)) < UNITS.step * one;
  let low = 1;
  let high = 2;
  while (await flat(high)) {
    low = high;
    high *= 2;
    if (high > UNITS.most) return undefined;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await flat(middle)) low = middle;
    else high = middle;
  }
  const byRate = (UNITS.waves * low * one) / (await timeNs(UNITS.waves * low));
  if (!(Math.abs(byRate / low - 1) <= UNITS.tolerance)) return undefined;
  return { value: low, source: "estimated" };
}

/** Estimates the device's compute units with a probe of kind `units`; undefined where it does not run or show them. */
export async function measureUnits(bench: Workbench, probe: Probe): Promise<ComputeUnits | undefined> {
  const { executor } = bench;
  const { clock } = await bench.ticks();
  const timeNs = async (workgroups: number): Promise<number> => {
    const prepared = await executor.prepare(probe.plan(executor.capabilities, workgroups));
    const instance = await prepared.bind(probe.inputs(executor.capabilities, workgroups));
    try {
      instance.poison();
      const timeable = instanceTimeable(instance, clock);
      let least = Number.POSITIVE_INFINITY;
      // The first may compile lazily.
      for (let sample = 0; sample <= UNITS.samples; sample += 1) {
        const ms = runMs(await timeable.sample(1));
        if (sample > 0) least = Math.min(least, ms);
      }
      const right = probe.verify(await instance.read(), executor.capabilities, workgroups);
      return right ? least * 1e6 : 0;
    } finally {
      instance.dispose();
    }
  };
  try {
    await bench.settle();
    return await estimateUnits(timeNs);
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === "device-lost") throw error;
    return undefined;
  }
}
