import { deviceSlug, type ProfileName } from "@tunelab/contract";
import type { DeviceTarget } from "@tunelab/devices";
import type { ExperimentRun, NamedExperiment, Standings } from "@tunelab/experiment";
import type { RunPlace } from "./experiment-run.ts";
import { readResult, standings } from "./experiments.ts";
import { commitOf, type History, historyOf, unreachable } from "./history.ts";
import type { Io } from "./io.ts";
import { requireCheckout } from "./places.ts";

/** Who would measure, and how. */
export interface DueOn {
  readonly target: Pick<DeviceTarget, "info">;
  readonly profile: ProfileName;
  readonly rounds: number;
  readonly history: History;
  /** The tree differs from its commit: what it measures now could be told from its commit no better than an earlier such run. */
  readonly dirty: boolean;
}

/** Why an experiment should be measured on a device, in words; undefined where its run there still says what a new one would. */
export function dueOn(runs: readonly ExperimentRun[], standing: Standings, on: DueOn): string | undefined {
  const { identity } = on.target.info;
  const run = runs.find(
    (one) =>
      one.deviceSlug === deviceSlug(identity) &&
      one.compiler === identity.compiler &&
      one.backend === identity.backend &&
      one.profile === on.profile,
  );
  if (!run) return "not measured here yet";
  const { mismatches = [], stale = [] } = standing.get(run.session) ?? {};
  const changed = mismatches[0] ?? stale[0];
  if (changed !== undefined) return changed;
  if (run.rounds < on.rounds) return `its run has ${run.rounds} rounds of ${on.rounds}`;
  if (run.dirty && !on.dirty) return "its run was measured with uncommitted changes";
  return unreachable(on.history, [{ what: "its run", commit: run.commit }])[0];
}

/** Those of the experiments that are due on a device, each with its reason as a note. */
export async function dueExperiments(
  experiments: readonly NamedExperiment[],
  place: RunPlace,
  io: Io,
): Promise<readonly NamedExperiment[]> {
  const root = requireCheckout();
  const { dirty } = await commitOf();
  const on = { ...place, dirty, history: await historyOf(root) };
  const due: NamedExperiment[] = [];
  for (const named of experiments) {
    const result = await readResult(root, named.name);
    const why = dueOn(result?.runs ?? [], await standings(root, named, result), on);
    if (why === undefined) continue;
    io.note(`${named.name} is due: ${why}`);
    due.push(named);
  }
  return due;
}
