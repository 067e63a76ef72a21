import {
  bestNs,
  type Ceilings,
  canonicalJson,
  Fault,
  type SessionEvidence,
  type Trial,
} from "@tunelab/contract";
import {
  CORE_CEILING,
  type NamedExperiment,
  needsCeilings,
  type ResolvedArm,
  type Scale,
} from "./definition.ts";
import { type ArmResult, type ExperimentRun, runHeader } from "./result.ts";
import { type Slot, schedule } from "./schedule.ts";

/** Marks a session's command as a run of experiments. */
export const EXPERIMENT_WORKLOAD = "experiment";

/** What a session's command says of the experiments it runs: names, scale and rounds, in its `strategy`. */
export function commandWords(names: readonly string[], scale: Scale, rounds: number): string {
  return `${names.join("+")} ${scale} ${rounds}`;
}

/** Reads `commandWords` back; undefined when the session ran no experiments. */
export function commandOf(
  evidence: SessionEvidence,
): { readonly names: readonly string[]; readonly scale: Scale; readonly rounds: number } | undefined {
  const { workload, strategy } = evidence.header.command;
  const [names = "", scale, rounds] = strategy.split(" ");
  if (workload !== EXPERIMENT_WORKLOAD || (scale !== "software" && scale !== "hardware")) return undefined;
  return { names: names.split("+"), scale, rounds: Number(rounds) };
}

/**
 * Each experiment's run out of a session's trials. Rounds that an interruption cut short are left out; an experiment without a
 * whole round has no run. Throws a data Fault when a trial is not what the definition has at its place: it changed since.
 */
export function runsOf(
  evidence: SessionEvidence,
  experiments: readonly NamedExperiment[],
): ReadonlyMap<string, ExperimentRun> {
  const command = commandOf(evidence);
  if (!command) throw new Fault("data", `session ${evidence.header.id} ran no experiments`);
  const named = command.names.map((name) => {
    const found = experiments.find((one) => one.name === name);
    if (!found)
      throw new Fault("data", `session ${evidence.header.id} ran an experiment ${name}, which is not here`);
    return found;
  });
  const slots = schedule(named, command.scale, command.rounds);
  const bySequence = new Map(evidence.trials.map((trial) => [trial.sequence, trial]));
  const measured = slots.flatMap((slot, sequence) => {
    const trial = bySequence.get(sequence);
    if (trial) agree(slot, trial);
    return trial ? [{ slot, trial }] : [];
  });
  const noise = evidence.events.flatMap((event) => (event.kind === "noise" ? [event.noise] : [])).at(-1);
  const ceilings = evidence.events
    .flatMap((event) => (event.kind === "ceilings" ? [event.ceilings] : []))
    .at(-1);
  const runs = new Map<string, ExperimentRun>();
  for (const { name, experiment } of named) {
    const shares = needsCeilings(experiment);
    const own = measured.filter(({ slot }) => slot.experiment === name);
    const width = new Set(slots.filter((slot) => slot.experiment === name).map(({ arm }) => arm.name)).size;
    const rounds = [...new Set(own.map(({ slot }) => slot.round))].filter(
      (round) => own.filter(({ slot }) => slot.round === round).length === width,
    );
    if (rounds.length === 0) continue;
    const whole = own.filter(({ slot }) => rounds.includes(slot.round));
    const arms = new Map(whole.map(({ slot }) => [slot.arm.name, slot.arm]));
    // The first round goes forwards: its order is the definition's.
    runs.set(name, {
      ...runHeader(evidence.header),
      scale: command.scale,
      ...(noise ? { gateReachable: noise.gateReachable } : {}),
      ...([...arms.values()].some(({ peer }) => peer) ? { cpu: evidence.header.host.cpu } : {}),
      rounds: rounds.length,
      epoch: whole[0]!.trial.epoch,
      arms: [...arms.values()].map((arm) =>
        armResult(
          arm,
          whole.filter(({ slot }) => slot.arm.name === arm.name).map(({ trial }) => trial),
          shares ? ceilings : undefined,
        ),
      ),
    });
  }
  return runs;
}

function agree({ experiment, arm }: Slot, trial: Trial): void {
  const asked = canonicalJson([arm.algorithm, arm.config, arm.problem]);
  const found = canonicalJson([trial.algorithm, { ...arm.implied, ...trial.config }, trial.problem]);
  if (asked === found) return;
  throw new Fault(
    "data",
    `trial ${trial.id} measured ${trial.variant}, and experiment ${experiment} has another arm (${arm.name}) there: its definition changed since; run it again`,
  );
}

/** Digits of a time in a result: finer than any gate, and the same in every engine. */
const TIME_DIGITS = 5;
const ERROR_DIGITS = 3;

/** `ceilings` are the device's, where shares of them are asked for. */
function armResult(arm: ResolvedArm, trials: readonly Trial[], ceilings: Ceilings | undefined): ArmResult {
  const first = trials[0]!;
  const failed = trials.find(({ status }) => status !== "ok" && status !== "noisy");
  const { status, reason } = failed ?? first;
  const error = first.verdict?.maxError;
  return {
    name: arm.name,
    variant: first.variant,
    problem: arm.problem,
    planHash: first.planHash,
    status,
    ...(reason === undefined ? {} : { reason }),
    items: first.work.items,
    ...shareOf(arm, trials, ceilings),
    matched: first.verdict?.matched ?? 0,
    total: first.verdict?.total ?? 0,
    ...(error !== undefined && Number.isFinite(error)
      ? { error: Number(error.toPrecision(ERROR_DIGITS)) }
      : {}),
    timesUs: trials.map((trial) => {
      const ns = bestNs(trial);
      return ns === undefined ? null : Number((ns / 1000).toPrecision(TIME_DIGITS));
    }),
  };
}

/** Work of a run and the ceiling it is a share of: the device's, or the best that a peer's core was seen at. */
function shareOf(
  { peer }: ResolvedArm,
  trials: readonly Trial[],
  ceilings: Ceilings | undefined,
): Pick<ArmResult, "flops" | "ceilingFlopsPerSecond"> {
  if (!ceilings) return {};
  const ceiling = peer
    ? Math.max(...trials.map(({ metrics }) => metrics?.[CORE_CEILING] ?? 0))
    : (ceilings.fmaFlopsPerSecond ?? 0);
  const { flops } = trials[0]!.work;
  return ceiling > 0 ? { flops, ceilingFlopsPerSecond: Number(ceiling.toPrecision(TIME_DIGITS)) } : { flops };
}
