import type { Instance, Run } from "@tunelab/executor";
import type { RawSample, Timeable } from "./types.ts";

/** An executor's instance as something to time; remembers its last run for probes and convergence. */
export interface InstanceTimeable extends Timeable {
  readonly last: Run | undefined;
}

export function instanceTimeable(instance: Instance, clock: "gpu" | "wall"): InstanceTimeable {
  let last: Run | undefined;
  return {
    get last() {
      return last;
    },
    sample: async (repeats): Promise<RawSample> => {
      last = await instance.run({ repeats, timing: clock === "gpu" ? "total" : "none" });
      return { passes: last.passes, wallMs: last.wallMs };
    },
  };
}

/** Time of a run in ms by its passes where they say something, else by the wall. */
export function runMs({ passes, wallMs }: RawSample): number {
  let total = 0n;
  for (const { begin, end } of passes) if (begin > 0n && end > begin) total += end - begin;
  return total > 0n ? Number(total) / 1e6 : wallMs;
}
