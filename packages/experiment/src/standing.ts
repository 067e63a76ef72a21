import { type Capabilities, canonicalJson, type Operation } from "@tunelab/contract";
import { replan } from "@tunelab/selection";
import { formatId, type ParsedId, parseId } from "@tunelab/variants";
import { armsAt, type NamedExperiment, type ResolvedArm } from "./definition.ts";
import type { ArmResult, ExperimentRun } from "./result.ts";
import { hostLabel } from "./study/host.ts";

/** What a run still says of the code and of its definition. */
export interface RunStanding {
  /** Where the run is not what the definition asks for, one line each: its result answers another question. */
  readonly mismatches: readonly string[];
  /** Why it no longer stands for what the code would run, one line each. */
  readonly stale: readonly string[];
}

/** Of the code as it is, what a run is held against. */
export interface StandingContext {
  readonly operation: Operation;
  /** The suite's epoch. */
  readonly epoch: number;
  /** Of the device that measured; without them plans cannot be made again, and no kernel is called changed. */
  readonly capabilities?: Capabilities;
}

/** Holds a run against its definition (completed, see `completed`) and its kernels. Needs no GPU. */
export async function standingOf(
  { experiment }: NamedExperiment,
  run: ExperimentRun,
  { operation, epoch, capabilities }: StandingContext,
): Promise<RunStanding> {
  const mismatches: string[] = [];
  const stale: string[] = [];
  const asked = armsAt(experiment, run.scale);
  const names = (arms: readonly { readonly name: string }[]): string =>
    arms.map(({ name }) => name).join(", ");
  if (names(asked) !== names(run.arms))
    mismatches.push(`it has the arms ${names(run.arms)}, and the definition ${names(asked)}`);
  if (run.epoch !== undefined && run.epoch !== epoch)
    stale.push(`measured at epoch ${run.epoch}, and the suite is at ${epoch}`);
  const changed: string[] = [];
  for (const arm of asked) {
    const found = run.arms.find(({ name }) => name === arm.name);
    if (!found) continue;
    const other = await otherThan(arm, found, operation);
    if (other) mismatches.push(other);
    else if (capabilities && !arm.peer && found.planHash !== "") {
      const now = await replan(operation, capabilities, arm.problem, arm);
      if (now !== found.planHash) changed.push(arm.name);
    }
  }
  if (changed.length > 0) stale.push(`the kernels of ${changed.join(", ")} have changed since`);
  return { mismatches, stale };
}

/** How an arm's result is another variant or problem than the definition asks for; undefined when it is the same. */
async function otherThan(
  arm: ResolvedArm,
  found: ArmResult,
  operation: Operation,
): Promise<string | undefined> {
  if (canonicalJson(arm.problem) !== canonicalJson(found.problem))
    return `arm ${arm.name} measured ${canonicalJson(found.problem)}, and the definition has ${canonicalJson(arm.problem)}`;
  if (arm.peer)
    return found.variant === hostLabel(arm.peer)
      ? undefined
      : `arm ${arm.name} measured ${found.variant || "nothing"}, and the definition has ${hostLabel(arm.peer)}`;
  const algorithm = await operation.algorithms[arm.algorithm]?.();
  if (!algorithm) return `arm ${arm.name}: the algorithm ${arm.algorithm} is gone`;
  if (sameAsFar(arm, found.variant)) return undefined;
  const asked = formatId(arm.algorithm, algorithm.space(arm.problem), arm.config);
  return `arm ${arm.name} measured ${found.variant || "nothing"}, and the definition has ${asked}`;
}

/**
 * Whether a measured id says what the arm asks for, as far as it goes: an id may be older than a parameter, which then has its
 * default in the arm; whether the kernel is still the same the plan tells.
 */
function sameAsFar({ algorithm, config }: ResolvedArm, variant: string): boolean {
  let measured: ParsedId;
  try {
    measured = parseId(variant);
  } catch {
    return false; // nothing was planned, or somebody wrote over it
  }
  return (
    measured.algorithm === algorithm &&
    Object.entries(measured.settings).every(
      ([name, value]) => Object.hasOwn(config, name) && String(config[name]) === value,
    )
  );
}
