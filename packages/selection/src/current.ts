import {
  canonicalJson,
  type Operation,
  problemKey,
  type SessionEvidence,
  type SessionHeader,
  type Trial,
} from "@tunelab/contract";
import { replan } from "./stale.ts";

/** Evidence that still stands for what the code would run, and how much does not. */
export interface CurrentEvidence {
  /** The sessions in their order, without trials of changed variants; a session may be left with none. */
  readonly sessions: readonly SessionEvidence[];
  /** Distinct variants (of one problem on one device) left out: their plan or their suite's epoch changed since. */
  readonly changed: number;
}

/**
 * Leaves out the trials whose plan, made again for the capabilities of their session, is another now, or whose suite has another
 * epoch. Trials of operations that are not named stay: nobody can say what became of them. Needs no GPU.
 */
export async function currentEvidence(
  sessions: readonly SessionEvidence[],
  operations: readonly Operation[],
  epochs: Readonly<Record<string, number>>,
): Promise<CurrentEvidence> {
  const plans = new Map<string, Promise<boolean>>();
  const changed = new Set<string>();
  const kept: SessionEvidence[] = [];
  for (const session of sessions) {
    const capabilities = canonicalJson(session.header.device.capabilities);
    const trials: Trial[] = [];
    for (const trial of session.trials) {
      const key = [capabilities, trial.operation, problemKey(trial.problem), trial.variant, trial.planHash];
      const name = canonicalJson([...key, trial.epoch]);
      let stands = plans.get(name);
      if (!stands) {
        stands = isCurrent(trial, session.header, operations, epochs);
        plans.set(name, stands);
      }
      if (await stands) trials.push(trial);
      else changed.add(name);
    }
    kept.push({ ...session, trials });
  }
  return { sessions: kept, changed: changed.size };
}

async function isCurrent(
  trial: Trial,
  header: SessionHeader,
  operations: readonly Operation[],
  epochs: Readonly<Record<string, number>>,
): Promise<boolean> {
  const { operation: name, epoch, problem, planHash } = trial;
  const operation = operations.find((one) => one.name === name);
  if (!operation) return true;
  if ((epochs[name] ?? epoch) !== epoch) return false;
  // Refused before it was planned: nothing was measured that could have changed.
  if (planHash === "") return true;
  return (await replan(operation, header.device.capabilities, problem, trial)) === planHash;
}
