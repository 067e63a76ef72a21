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
import { machineOf } from "@tunelab/selection";

const list = (values: readonly string[]): string => [...values].sort().join(", ") || "none";

/**
 * What must be equal before a session's trials stand for those of another, each with its value in words: measurement rules,
 * device and profile, and the machine as tables tell machines apart (the driver; the CPU where the CPU is the GPU).
 */
function conditions(header: SessionHeader): readonly (readonly [name: string, value: string])[] {
  const { protocol, contract, profile, toggles, device, host } = header;
  const { identity, capabilities } = device;
  const machine = JSON.parse(machineOf({ header })) as Readonly<Record<string, unknown>>;
  const cpu = "cpu" in machine ? `${host.cpu} x ${host.cores}` : "any";
  const { driver, implementation, implementationVersion, ...named } = identity;
  return [
    ["protocol", String(protocol)],
    ["contract", String(contract)],
    ["device", list(Object.values(named).filter(Boolean))],
    ["driver", driver],
    ["implementation", `${implementation} ${implementationVersion}`],
    ["features and limits", canonicalJson(capabilities)],
    ["profile", profile],
    ["toggles", list(toggles)],
    ["CPU", cpu],
  ];
}

/** Longest value of a condition that a message shows. */
const SHOWN = 60;

/** What differs between the conditions of two sessions, in words (`driver 570.1, now 580.2`); empty when trials may be shared. */
export function changedConditions(earlier: SessionHeader, now: SessionHeader): readonly string[] {
  const wanted = conditions(now);
  return conditions(earlier).flatMap(([name, value], index) => {
    const [, current] = wanted[index]!;
    if (value === current) return [];
    return [value.length > SHOWN || current.length > SHOWN ? name : `${name} ${value}, now ${current}`];
  });
}

/**
 * Trials that need not be measured again under `header`; a driver update, another profile or protocol reuses nothing.
 * Evidence comes oldest first.
 */
export function reusable(evidence: readonly SessionEvidence[], header: SessionHeader): readonly Trial[] {
  return evidence
    .filter((one) => changedConditions(one.header, header).length === 0)
    .flatMap(({ trials }) => trials);
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
