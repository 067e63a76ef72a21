import { bestNs, problemKey, type SessionEvidence, type Trial, type Value } from "@tunelab/contract";
import { mean } from "./score.ts";

/** Nanoseconds in a millisecond. */
const NS = 1e6;

/** A measured space of one's own as a replay file. */
export interface ReplayExport {
  /** `matched-filter-fused-data=4,n=64,pairs=64`: operation, algorithm, problem. */
  readonly name: string;
  readonly configurations: number;
  readonly text: string;
}

/**
 * The trials of a session in the format that `parseReplay` reads, a file for each operation, algorithm and problem, in their
 * order. A configuration counts once, by its last trial of the highest grade; one without a rankable time has its status for a
 * time. Times are means over samples, of one repeat, as the format wants them; files without any time are left out.
 */
export function exportReplay({ header, trials }: SessionEvidence): readonly ReplayExport[] {
  const groups = new Map<string, Trial[]>();
  for (const trial of trials) {
    const name = `${trial.operation}-${trial.algorithm}-${problemKey(trial.problem)}`;
    groups.set(name, [...(groups.get(name) ?? []), trial]);
  }
  return [...groups]
    .filter(([, group]) => group.some((trial) => bestNs(trial) !== undefined))
    .map(([name, group]) => {
      const chosen = oneEach(group);
      return {
        name,
        configurations: chosen.length,
        text: textOf(header.device.identity.description, chosen),
      };
    });
}

const GRADE = { screened: 0, raced: 1, certified: 2 } as const;

function oneEach(trials: readonly Trial[]): readonly Trial[] {
  const byVariant = new Map<string, Trial>();
  for (const trial of [...trials].sort((a, b) => a.sequence - b.sequence)) {
    const other = byVariant.get(trial.variant);
    if (!other || GRADE[trial.grade] >= GRADE[other.grade]) byVariant.set(trial.variant, trial);
  }
  return [...byVariant.values()];
}

function textOf(device: string, trials: readonly Trial[]): string {
  const [first] = trials;
  const names = Object.keys(first!.config);
  const values = Object.fromEntries(
    names.map((name) => [name, valuesOf(trials.map(({ config }) => config[name]!))]),
  );
  const cache = Object.fromEntries(
    trials.map((trial) => [names.map((name) => String(trial.config[name])).join(","), entryOf(trial)]),
  );
  return `${JSON.stringify(
    {
      device_name: device,
      kernel_name: `${first!.operation}/${first!.algorithm}`,
      problem: first!.problem,
      tune_params_keys: names,
      tune_params: values,
      objective: "time",
      cache,
    },
    null,
    1,
  )}\n`;
}

function entryOf(trial: Trial): Readonly<Record<string, unknown>> {
  if (bestNs(trial) === undefined) return { ...trial.config, time: trial.status };
  const { samplesNs, repeats } = trial.timing!;
  const times = samplesNs.map((ns) => ns / repeats / NS);
  return { ...trial.config, time: mean(times), times };
}

/** Values that occur: numbers in order, false before true, words as they came. */
function valuesOf(values: readonly Value[]): readonly Value[] {
  const distinct = [...new Set(values)];
  return distinct.every((value) => typeof value === "string")
    ? distinct
    : distinct.sort((a, b) => Number(a) - Number(b));
}
