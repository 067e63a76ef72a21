import {
  type Algorithm,
  type Alteration,
  type Config,
  Fault,
  type Problem,
  planHash,
  problemKey,
  type Study,
  type StudyKind,
  type StudyPoint,
} from "@tunelab/contract";
import type { Bench } from "@tunelab/devices";
import { formatId } from "@tunelab/variants";
import type { Command } from "commander";
import { askDevice, type DeviceFlags } from "./bench.ts";
import type { Io } from "./io.ts";
import { type NewEvent, type Recorded, type RecordFlags, recordEvents } from "./record.ts";
import { stepsProgress } from "./steps.ts";
import { type Subject, subjectFor, variantOf } from "./subject.ts";

/** Options of every study: a variant on a device. */
export interface StudyFlags extends DeviceFlags, RecordFlags {
  readonly problem?: string;
  readonly variant?: string;
}

/** Declares what all studies take. */
export function studyOptions(command: Command): Command {
  return command
    .option("--problem <dims>", "e.g. n=1024,pairs=32768 (default: the first of the quick workload)")
    .option("--variant <id>", "canonical id; what is left out is as in the default")
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable or native", "portable")
    .option("--out <dir>", "folder for the session and the picture (default .lab, or $TUNELAB_LAB_DIR)")
    .option("--journal <file>", "write a journal instead of a session file")
    .option("--json", "print the study as JSON");
}

/** One measurement of a study. */
export interface Step {
  readonly x: number;
  /** In a word, for the progress. */
  readonly what: string;
  readonly problem?: Problem;
  readonly altered?: Alteration;
}

/** A variant on a device that is open. */
export interface Studied {
  readonly bench: Bench;
  readonly subject: Subject;
  readonly algorithm: Algorithm;
  readonly config: Config;
  readonly variant: string;
}

/** What a study plans: its measurements, what it makes of them, and events beside it. */
export interface StudyPlan {
  readonly steps: readonly Step[];
  readonly events?: readonly NewEvent[];
  conclude(points: readonly StudyPoint[]): Study["findings"];
}

/** Items compared in full with the oracle at each point. */
const ORACLE_SAMPLE = 4;

/**
 * Measures a variant step by step (8 samples each, verified), concludes and keeps the study as a session. Points are no
 * trials: no table takes them. @throws Fault `data` when not one point could be timed.
 */
export async function runStudy(
  kind: StudyKind,
  kernel: string,
  flags: StudyFlags,
  io: Io,
  plan: (studied: Studied) => StudyPlan | Promise<StudyPlan>,
): Promise<{ readonly study: Study; readonly recorded: Recorded }> {
  const subject = await subjectFor(kernel, flags);
  const { algorithm, config } = variantOf(subject, flags.variant);
  const { operation, problem } = subject;
  const variant = formatId(algorithm.name, algorithm.space(problem), config);
  return askDevice(flags, io, async (bench) => {
    io.note(`${kernel} ${problemKey(problem)}: ${variant}`);
    const { steps, events = [], conclude } = await plan({ bench, subject, algorithm, config, variant });
    const progress = stepsProgress(io, steps.length);
    const points: StudyPoint[] = [];
    try {
      for (const step of steps) {
        progress.next(step.what);
        const point = await measureStep(bench, operation.name, algorithm, config, problem, step);
        points.push(point);
        if (!point.timing) io.note(`${step.what}: ${point.status}: ${point.reason ?? "no reason given"}`);
      }
    } finally {
      progress.stop();
    }
    const failed = points.find(({ timing }) => timing === undefined);
    if (failed && points.every(({ timing }) => timing === undefined)) {
      throw new Fault(
        "data",
        `no point could be timed: ${failed.status}, ${failed.reason ?? "no reason given"}`,
      );
    }
    const study: Study = {
      kind,
      operation: operation.name,
      algorithm: algorithm.name,
      problem,
      variant,
      config,
      planHash: await planHash(algorithm.plan(problem, config, subject.capabilities)),
      points,
      findings: conclude(points),
    };
    const command = { operations: [operation.name], workload: kind };
    const all = [...events, { kind: "study", study } as const];
    return { study, recorded: await recordEvents(flags, io, bench.hello, command, all) };
  });
}

async function measureStep(
  bench: Bench,
  operation: string,
  algorithm: Algorithm,
  config: Config,
  problem: Problem,
  step: Step,
): Promise<StudyPoint> {
  const outcome = await bench.measure({
    operation,
    algorithm: algorithm.name,
    problem: step.problem ?? problem,
    config,
    isDefault: false,
    grade: "raced",
    seeds: [1],
    oracleSample: ORACLE_SAMPLE,
    ...(step.altered ? { altered: step.altered } : {}),
  });
  const { status, reason, timing, verdict, work, workgroups = 0 } = outcome;
  return {
    x: step.x,
    items: work.items,
    workgroups,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(timing && (status === "ok" || status === "noisy") ? { timing } : {}),
    ...(verdict ? { verdict } : {}),
  };
}

/** The least time of one repeat in ns; undefined for a point without one. */
export function leastNs({ timing }: StudyPoint): number | undefined {
  return timing && Math.min(...timing.samplesNs) / timing.repeats;
}

/** Points of one x as the one with the least time; an x that was never timed keeps its last point. In ascending order. */
export function leastPoints(points: readonly StudyPoint[]): readonly StudyPoint[] {
  const best = new Map<number, StudyPoint>();
  for (const point of points) {
    const known = best.get(point.x);
    const [ns, before] = [leastNs(point), known && leastNs(known)];
    if (before === undefined || (ns !== undefined && ns < before)) best.set(point.x, point);
  }
  return [...best.values()].sort((a, b) => a.x - b.x);
}

/** `64/64`, or the status of a point that could not be timed. */
export const verifiedText = ({ verdict, status }: StudyPoint): string =>
  verdict ? `${verdict.matched}/${verdict.total}` : status;
