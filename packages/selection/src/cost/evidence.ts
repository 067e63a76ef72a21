import {
  bestNs,
  type CostModel,
  type DeviceInfo,
  type Operation,
  type ProfileName,
  type SessionEvidence,
  type Trial,
  tableFolder,
  wholeConfig,
} from "@tunelab/contract";
import { ceilingsOf, originIds, type Retraction, withoutRetracted } from "../evidence.ts";
import { compareText } from "../rules.ts";
import { outsideSpace } from "../space.ts";
import { fitCost, type TimedLoad } from "./model.ts";

/** What an operation's algorithms cost on one device, as everything published says that was measured there. */
export interface DeviceCosts {
  readonly device: DeviceInfo;
  readonly profile: ProfileName;
  /** By algorithm; those of which too little was measured are absent. */
  readonly costs: Readonly<Record<string, CostModel>>;
  /** Declared or estimated in the newest session that tells. */
  readonly computeUnits?: number;
}

/**
 * The cost models of an operation from published sessions, tunings and studies alike, by folder of the device. Runs of variants that the
 * code no longer has are left out, and a run that later sessions of a study took over counts once.
 */
export async function fitCosts(
  sessions: readonly SessionEvidence[],
  retracted: readonly Retraction[],
  operation: Operation,
): Promise<ReadonlyMap<string, DeviceCosts>> {
  const shape = operation.dimensions.find(({ role }) => role === "shape")?.name;
  const places = new Map<string, { session: SessionEvidence; units: number | undefined; trials: Trial[] }>();
  const seen = new Set<string>();
  for (const session of withoutRetracted(sessions, retracted)) {
    const folder = tableFolder(session.header.device.identity, session.header.profile);
    const known = places.get(folder);
    const origin = originIds(session);
    const trials = session.trials.filter((trial) => {
      const id = origin.get(trial.sequence) ?? trial.id;
      if (trial.operation !== operation.name || seen.has(id)) return false;
      seen.add(id);
      return true;
    });
    const units = ceilingsOf(session).computeUnits?.value ?? known?.units;
    places.set(folder, { session, units, trials: [...(known?.trials ?? []), ...trials] });
  }
  const found = new Map<string, DeviceCosts>();
  for (const [folder, { session, units, trials }] of [...places].sort(([a], [b]) => compareText(a, b))) {
    const costs: Record<string, CostModel> = {};
    for (const [name, load] of Object.entries(operation.algorithms)) {
      const algorithm = await load();
      const runs = trials
        .filter((trial) => trial.algorithm === name && !operation.refuse(trial.problem))
        .flatMap((trial): TimedLoad[] => {
          const ns = bestNs(trial);
          const { problem, workgroups, resources } = trial;
          const config = wholeConfig(algorithm.space(problem), trial.config);
          if (ns === undefined || !(ns > 0) || !workgroups || !resources) return [];
          if (outsideSpace(algorithm.space(problem), config)) return [];
          const { flops, requestedBytes } = algorithm.cost(problem, config);
          const invocations = workgroups * resources.invocations;
          return [{ flops, requestedBytes, invocations, us: ns / 1000, group: problem[shape ?? ""] ?? "" }];
        });
      const model = fitCost(runs);
      if (model) costs[name] = model;
    }
    if (Object.keys(costs).length === 0) continue;
    const { device, profile } = session.header;
    found.set(folder, { device, profile, costs, ...(units === undefined ? {} : { computeUnits: units }) });
  }
  return found;
}
