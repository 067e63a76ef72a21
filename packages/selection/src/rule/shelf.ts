import {
  type CostModel,
  type Problem,
  type Regret,
  type Rule,
  type StudyResult,
  type TuningTable,
  tableFolder,
} from "@tunelab/contract";
import type { DeviceCosts } from "../cost/evidence.ts";
import { compareText } from "../rules.ts";
import { studyPath } from "../study-fold.ts";

/** A rule as it ships, with what it was made from. */
export interface ShippedRule {
  /** Path of the study below `tables/`. */
  readonly study: string;
  readonly rule: Rule;
  /** Problems that were measured for it. */
  readonly problems: readonly Problem[];
  readonly regret: Regret;
}

/** The rules of one operation on one device, in the order of their studies' paths. */
export interface RuleSet extends Pick<TuningTable, "operation" | "profile" | "device"> {
  readonly rules: readonly ShippedRule[];
  /** What its algorithms cost on the device, by their names, and the device's compute units, as far as anybody knows. */
  readonly costs?: Readonly<Record<string, CostModel>>;
  readonly computeUnits?: number;
}

/** The rule sets that published studies and cost models give for an operation, one a device, compiler, backend and profile, in the order of their paths. */
export function ruleSets(
  studies: readonly StudyResult[],
  operation: string,
  costs: ReadonlyMap<string, DeviceCosts> = new Map(),
): readonly RuleSet[] {
  const sets = new Map<string, RuleSet & { readonly rules: ShippedRule[] }>();
  for (const [folder, one] of costs) sets.set(folder, { operation, ...one, rules: [] });
  for (const study of studies) {
    if (study.operation !== operation || !study.auto) continue;
    const { profile, device, auto } = study;
    // Costs come by the same key: a device in two sets would have its rules passed over for the set that has none.
    const folder = tableFolder(device.identity, profile);
    const set = sets.get(folder) ?? { operation, profile, device, rules: [] };
    sets.set(folder, set);
    const problems = study.rows.filter(({ cells }) => cells.some(({ us }) => us !== undefined));
    set.rules.push({
      study: studyPath(study),
      rule: auto.rule,
      problems: problems.map(({ problem }) => problem),
      regret: auto.regret,
    });
  }
  return [...sets].sort(([a], [b]) => compareText(a, b)).map(([, set]) => set);
}
