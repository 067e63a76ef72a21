import { Fault, stagesOf } from "@tunelab/contract";
import type { Instance, PassTime, Prepared } from "@tunelab/executor";
import { STAGE_SAMPLES } from "./protocol.ts";

/** Sum of pass lengths of each stage in ns; undefined when a pass has no begin or runs backwards. */
export function stageSums(passes: readonly PassTime[]): Readonly<Record<string, number>> | undefined {
  const sums: Record<string, number> = {};
  for (const { stage, begin, end } of passes) {
    if (begin === 0n || end < begin) return undefined;
    sums[stage] = (sums[stage] ?? 0) + Number(end - begin);
  }
  return sums;
}

/**
 * Times each stage in passes of its own, apart from the total which that changes: ns of all `repeats`, one entry a stage
 * and sample. Undefined for plans of one stage, or with more passes than the device has queries.
 */
export async function stageTimes(
  instance: Instance,
  plan: Prepared["plan"],
  repeats: number,
): Promise<Readonly<Record<string, readonly number[]>> | undefined> {
  const stages = stagesOf(plan);
  if (stages.length < 2) return undefined;
  const times: Record<string, number[]> = Object.fromEntries(stages.map((stage) => [stage, []]));
  try {
    for (let sample = 0; sample < STAGE_SAMPLES; sample += 1) {
      const { passes } = await instance.run({ repeats, timing: "stages" });
      const sums = stageSums(passes);
      if (!sums) continue;
      for (const stage of stages) times[stage]!.push(sums[stage] ?? 0);
    }
  } catch (error) {
    if (error instanceof Fault && error.kind === "unsupported") return undefined;
    throw error;
  }
  return times;
}
