import type { DeviceInfo, ProfileName } from "./device.ts";
import type { MachineLoad } from "./machine.ts";
import type { Duel, Trip } from "./measure.ts";
import type { Config, Problem, Verdict } from "./operation.ts";
import type { CeilingKind } from "./probe.ts";
import type { Study } from "./study.ts";
import type { StudyPlan } from "./study-table.ts";

/** Version of the measurement rules; trials of different protocols are never compared. */
export const PROTOCOL_VERSION = 1;

/** `screened`: a few samples; `raced`: met others in rounds; `certified`: passed every gate. */
export const GRADES = ["screened", "raced", "certified"] as const;
export type Grade = (typeof GRADES)[number];

/**
 * What became of a trial. Only `ok` and `noisy` carry a time that may be ranked.
 * - `ok`: verified and timed at its grade. `noisy`: verified, but the certification gate was not met at the cap.
 * - `unresolved`: under one clock tick even at the repeat cap. `invalid`: no sample survived the rejection rules.
 * - `wrong`: the verdict failed. `inaccurate`: every answer right, error above the operation's bound.
 * - `refused`: does not fit the device (reason names the limit). `compile-failed`, `compile-timeout`, `validation`,
 *   `out-of-memory`, `hung`, `crashed`, `device-lost`: how it failed.
 */
export const STATUSES = [
  "ok",
  "noisy",
  "unresolved",
  "invalid",
  "wrong",
  "inaccurate",
  "refused",
  "compile-failed",
  "compile-timeout",
  "validation",
  "out-of-memory",
  "hung",
  "crashed",
  "device-lost",
] as const;
export type Status = (typeof STATUSES)[number];

/** Everything that decides whether two trials measured the same thing. */
export interface TrialKey {
  readonly operation: string;
  readonly algorithm: string;
  readonly problem: Problem;
  /** Canonical id, a label: `fused/radix=16,workgroup=256`. */
  readonly variant: string;
  readonly config: Config;
  /** Identity of the plan that ran; empty when planning itself was refused. */
  readonly planHash: string;
  readonly epoch: number;
}

export interface Timing {
  /** `gpu`: timestamps at pass boundaries; `wall`: submit to completion. */
  readonly clock: "gpu" | "wall";
  /** Smallest reproducible step of the clock in ns. */
  readonly tickNs: number;
  /** Inner repeats R in every sample; one repeat's time is sample / R. */
  readonly repeats: number;
  /** Integer nanoseconds of each accepted sample, for all R repeats, in order of measurement. */
  readonly samplesNs: readonly number[];
  /**
   * Anchor samples beside them, with the anchor's name, when one was interleaved: one more than `samplesNs`, before each
   * and after the last, so that each sample compares with the mean of its two neighbours. `amount` is the work of one
   * anchor sample (FLOPs or bytes): anchors are scaled to the device anew in each session, and only time per work compares.
   */
  readonly anchor?: {
    readonly name: string;
    readonly samplesNs: readonly number[];
    readonly amount?: number;
  };
  /** Samples rejected, by reason; never averaged in. */
  readonly rejected: Readonly<Record<string, number>>;
  /** Nanoseconds of each stage in passes of its own, one entry a stage and sample; apart from the total, which passes change. */
  readonly stagesNs?: Readonly<Record<string, readonly number[]>>;
}

/** How the batch was cut: stored because it is part of what was measured. */
export interface Cut {
  readonly pieces: number;
  readonly itemsPerPiece: number;
  /** Which budget decided: `whole` when nothing had to be cut. */
  readonly boundBy: "whole" | "time" | "memory" | "binding";
}

export interface Trial extends TrialKey {
  /** Unique within everything ever imported: `<session>.<sequence>`. */
  readonly id: string;
  readonly session: string;
  readonly sequence: number;
  /** ISO 8601, UTC. */
  readonly measuredAt: string;
  readonly status: Status;
  /** Why, for every status but `ok`. */
  readonly reason?: string;
  readonly grade: Grade;
  readonly isDefault: boolean;
  readonly timing?: Timing;
  readonly verdict?: Verdict;
  /** Input seeds that were verified. */
  readonly seeds: readonly number[];
  readonly cut?: Cut;
  readonly probes?: Readonly<Record<string, number>>;
  readonly compileMs?: number;
  /** Work of one run, by the suite's formula, and of the variant by its cost model. */
  readonly work: { readonly flops: number; readonly bytes: number; readonly items: number };
  readonly requestedBytes?: number;
  readonly workgroupBytes?: number;
  /** Workgroups of the plan's largest dispatch: fewer than the device's compute units leave some of them idle. */
  readonly workgroups?: number;
  /** Values of the suite's metrics, by name. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** Declared workgroup memory and invocations, for the tie order. */
  readonly resources?: { readonly workgroupBytes: number; readonly invocations: number };
}

/** How many compute units (cores, multiprocessors) a device has: WebGPU does not say. */
export interface ComputeUnits {
  readonly value: number;
  /** `declared` by the user, or `estimated` from time against workgroup count. */
  readonly source: "declared" | "estimated";
}

/** What one probe gave: its best rate in units of `Probe.amount` per second, or why there is none. */
export interface ProbeReading {
  readonly name: string;
  readonly ceiling: CeilingKind;
  readonly perSecond?: number;
  /** Samples behind the rate and their coefficient of variation. */
  readonly samples: number;
  readonly cv: number;
  readonly reason?: string;
}

/** Measured ceilings of a device in one session; each is absent when its probe failed or was not run. */
export interface Ceilings {
  readonly fmaFlopsPerSecond?: number;
  readonly copyBytesPerSecond?: number;
  readonly workgroupBytesPerSecond?: number;
  /** One more dispatch in a pass of 32; one alone in its pass; one more whose group counts come from a buffer. */
  readonly dispatchOverheadNs?: number;
  readonly dispatchAloneNs?: number;
  readonly indirectDispatchNs?: number;
  readonly readBytesPerSecond?: number;
  /** Values reduced by subgroup additions, one an invocation and operation. */
  readonly subgroupOpsPerSecond?: number;
  /** Step of the clock that timed all this. */
  readonly tickNs?: number;
  readonly computeUnits?: ComputeUnits;
  /** Every probe behind the rates above. */
  readonly readings?: readonly ProbeReading[];
}

/** The short noise probe a session begins with: repeated timings of one kernel. */
export interface Noise {
  readonly kernel: string;
  readonly samplesNs: readonly number[];
  readonly cv: number;
  /** Whether the certification gate can be met at all on this device now. */
  readonly gateReachable: boolean;
}

/** The machine and the runtime that measured. */
export interface HostFacts {
  readonly platform: string;
  readonly runtime: string;
  readonly cpu: string;
  readonly cores: number;
  readonly loadAverage: number;
}

export interface SessionHeader {
  /** ULID: sorts by start. */
  readonly id: string;
  readonly startedAt: string;
  readonly protocol: number;
  readonly contract: number;
  readonly toolVersion: string;
  /** Commit of the code that measured, and whether the tree had uncommitted changes; empty outside a checkout. */
  readonly commit: string;
  readonly dirty: boolean;
  readonly device: DeviceInfo;
  readonly deviceSlug: string;
  readonly profile: ProfileName;
  /** Every toggle in force, measurement settings included. */
  readonly toggles: readonly string[];
  readonly host: HostFacts;
  readonly command: {
    readonly operations: readonly string[];
    readonly workload: string;
    readonly strategy: string;
    readonly budgetMs: number;
    readonly seed: number;
    /** What was searched for, where it is not the time: a metric of the suites. */
    readonly objective?: string;
  };
}

/** Something that happened in a session besides trials: a host restart, ceilings, noise, a study, the end. */
export type SessionEvent =
  | { readonly kind: "ceilings"; readonly at: string; readonly ceilings: Ceilings }
  | { readonly kind: "noise"; readonly at: string; readonly noise: Noise; readonly machine?: MachineLoad }
  | { readonly kind: "study"; readonly at: string; readonly study: Study }
  | { readonly kind: "trip"; readonly at: string; readonly trip: Trip }
  /** The session measures a study with fixed rows and columns: its trials are that study's cells, and no table takes them. */
  | { readonly kind: "study-table"; readonly at: string; readonly plan: StudyPlan }
  /** The device did not stay the same while the session measured: nothing in it may be published. */
  | { readonly kind: "untrusted"; readonly at: string; readonly reason: string }
  | { readonly kind: "host-restart"; readonly at: string; readonly reason: string; readonly variant: string }
  /** Finalists of one problem raced: who leads (plan hashes, the winner first) and how pairs of them compared. */
  | {
      readonly kind: "race";
      readonly at: string;
      readonly operation: string;
      readonly problem: Problem;
      readonly entries: number;
      readonly rounds: number;
      readonly leaders: readonly string[];
      readonly duels: readonly Duel[];
      readonly reason?: string;
    }
  /** The session went on later, perhaps with other code: the trials after it are this commit's. */
  | {
      readonly kind: "resumed";
      readonly at: string;
      readonly commit: string;
      readonly dirty: boolean;
      readonly toolVersion: string;
    }
  /** Cells of a study that this session did not measure: they are trials of another, which measured their rows whole under the same conditions. */
  | {
      readonly kind: "taken-over";
      readonly at: string;
      /** The session that measured them, and its commit, `+dirty` when its tree differed from it. */
      readonly session: string;
      readonly commit: string;
      /** Their sequence here, and their id there. */
      readonly cells: readonly { readonly sequence: number; readonly from: string }[];
    }
  | { readonly kind: "interrupted"; readonly at: string; readonly reason: string }
  | {
      readonly kind: "finished";
      readonly at: string;
      readonly trials: number;
      readonly spentMs: Readonly<Record<string, number>>;
    };

/** One session's evidence, read back. */
export interface SessionEvidence {
  readonly header: SessionHeader;
  readonly events: readonly SessionEvent[];
  readonly trials: readonly Trial[];
}

/** Where a session's records go as they are made: a DuckDB file, or a journal on a machine without one. */
export interface SessionSink {
  readonly session: string;
  /** Resolves when the trial is durable. */
  trial(trial: Trial): Promise<void>;
  event(event: SessionEvent): Promise<void>;
  /** Seals what was written. Safe to call twice. */
  close(): Promise<void>;
}

/** Minimum over samples of one repeat's time in ns: the estimate that ranks; undefined without a rankable time. */
export function bestNs(trial: Pick<Trial, "status" | "timing">): number | undefined {
  if ((trial.status !== "ok" && trial.status !== "noisy") || !trial.timing?.samplesNs.length)
    return undefined;
  return Math.min(...trial.timing.samplesNs) / trial.timing.repeats;
}

/** A problem as canonical text, keys sorted: `data=64,n=4096,pairs=32768`. */
export function problemKey(problem: Problem): string {
  return Object.entries(problem)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
