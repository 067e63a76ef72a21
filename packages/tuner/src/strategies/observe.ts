import { bestNs, type Trial } from "@tunelab/contract";
import type { Candidate, Observation } from "./strategy.ts";

/** What a strategy learns of a candidate from its trial; without one it did not fit the device. */
export function observationOf(candidate: Candidate, trial: Trial | undefined): Observation {
  if (!trial) return { candidate, status: "refused" };
  const ns = bestNs(trial);
  if (ns === undefined) return { candidate, status: trial.status };
  const { samplesNs, repeats } = trial.timing!;
  const sorted = [...samplesNs].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]! / repeats;
  return { candidate, status: trial.status, ns, spread: (median - ns) / ns };
}
