import {
  bestNs,
  canonicalJson,
  GRADES,
  type Grade,
  problemKey,
  type SessionEvidence,
  type SessionHeader,
  type Trial,
} from "@tunelab/contract";

/**
 * What must be equal before a session's trials stand for those of another: measurement rules, device and profile, and
 * the CPU where the CPU is the GPU.
 */
function conditions({ protocol, contract, profile, toggles, device, host }: SessionHeader): string {
  const machine = device.identity.adapterType === "cpu" ? { cpu: host.cpu, cores: host.cores } : {};
  return canonicalJson({ protocol, contract, profile, toggles: [...toggles].sort(), device, machine });
}

/**
 * Trials that need not be measured again under `header`; a driver update, another profile or protocol reuses nothing.
 * Evidence comes oldest first.
 */
export function reusable(evidence: readonly SessionEvidence[], header: SessionHeader): readonly Trial[] {
  const wanted = conditions(header);
  return evidence.filter((one) => conditions(one.header) === wanted).flatMap(({ trials }) => trials);
}

/** Trials found by what was measured: operation, epoch, problem and plan. */
export class Known {
  readonly #trials = new Map<string, Trial[]>();

  constructor(trials: readonly Trial[]) {
    for (const trial of trials) this.add(trial);
  }

  add(trial: Trial): void {
    if (!trial.planHash) return;
    const key = keyOf(trial.operation, trial.epoch, problemKey(trial.problem), trial.planHash);
    this.#trials.set(key, [...(this.#trials.get(key) ?? []), trial]);
  }

  /**
   * The newest trial of that grade, so that minima over as many samples are compared as in the session that is
   * resumed; without one, the newest of a higher grade, or one that failed, which stands for every grade.
   */
  find(operation: string, epoch: number, problem: string, planHash: string, grade: Grade): Trial | undefined {
    const least = GRADES.indexOf(grade);
    const trials = this.#trials.get(keyOf(operation, epoch, problem, planHash)) ?? [];
    return (
      trials.findLast((trial) => trial.grade === grade) ??
      trials.findLast((trial) => bestNs(trial) === undefined || GRADES.indexOf(trial.grade) > least)
    );
  }
}

function keyOf(operation: string, epoch: number, problem: string, planHash: string): string {
  return `${operation}\n${epoch}\n${problem}\n${planHash}`;
}
