import { Fault, type PortData } from "@tunelab/contract";
import type { BoundPorts, Instance, Prepared } from "@tunelab/executor";
import { type Clock, findRepeats, judgeSample, readGpuClock, wallTickNs } from "@tunelab/harness/timing";
import type { Lane } from "./race.ts";

/** Samples thrown away in a row before a lane gives up: a clock that is wrong four times stays wrong. */
const MOST_REJECTED = 4;

/** How a device's time is read. */
export interface Stopwatch {
  readonly clock: "gpu" | "wall";
  readonly tickNs: number;
}

/** The device's own timestamps where they make sense, else the wall. Takes about 30 ms. */
export async function stopwatchFor(device: GPUDevice, time: Clock): Promise<Stopwatch> {
  const verdict = await readGpuClock(device, time);
  return verdict.usable
    ? { clock: "gpu", tickNs: verdict.tickNs }
    : { clock: "wall", tickNs: wallTickNs(time) };
}

/** Binds a compiled variant, runs it, verifies its outputs and finds how many repeats a sample needs. */
export async function laneOf(
  prepared: Prepared,
  ports: BoundPorts,
  readable: readonly string[],
  verify: (outputs: PortData) => string | undefined | Promise<string | undefined>,
  { clock, tickNs }: Stopwatch,
): Promise<Lane> {
  const instance = await prepared.bind(ports);
  try {
    instance.poison();
    await instance.run();
    const wrong = await verify(await instance.read(readable));
    if (wrong) throw new Fault("validation", `its answer is wrong: ${wrong}`);
    const take = (repeats: number) => instance.run({ repeats, timing: clock === "gpu" ? "total" : "none" });
    const { repeats, resolved } = await findRepeats({ sample: take }, clock, tickNs);
    if (!resolved) throw new Fault("validation", `${repeats} runs last less than a tick of ${tickNs} ns`);
    return {
      sample: () => sampleOf(instance, repeats, { clock, tickNs }),
      dispose: () => instance.dispose(),
    };
  } catch (error) {
    instance.dispose();
    throw error;
  }
}

async function sampleOf(instance: Instance, repeats: number, { clock, tickNs }: Stopwatch): Promise<number> {
  const timing = clock === "gpu" ? "total" : "none";
  for (let rejected = 0; rejected < MOST_REJECTED; rejected++) {
    const run = await instance.run({ repeats, timing });
    const { ns } = judgeSample(run, repeats, { clock, tickNs });
    if (ns !== undefined) return ns / repeats;
  }
  throw new Fault("validation", `the clock gave ${MOST_REJECTED} impossible times in a row`);
}
