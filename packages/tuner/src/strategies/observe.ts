import { bestNs, type Trial } from "@tunelab/contract";
import { type Objective, TIME } from "../objective.ts";
import type { Candidate, Observation } from "./strategy.ts";

/** What a strategy learns of a candidate from its trial; without one it did not fit the device. */
export function observationOf(
  candidate: Candidate,
  trial: Trial | undefined,
  objective: Objective = TIME,
): Observation {
  if (!trial) return { candidate, status: "refused" };
  const cost = objective.cost(trial);
  if (cost === undefined) return { candidate, status: trial.status };
  // How a metric scatters is its own affair: only times come in samples.
  if (objective !== TIME) return { candidate, status: trial.status, ns: cost };
  const ns = bestNs(trial)!;
  const { samplesNs, repeats } = trial.timing!;
  const sorted = [...samplesNs].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]! / repeats;
  return { candidate, status: trial.status, ns, spread: (median - ns) / ns };
}
