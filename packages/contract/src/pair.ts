import type { ProfileName } from "./device.ts";
import type { Config, Problem, Verdict } from "./operation.ts";
import type { Cut, Status, Timing } from "./trial.ts";

/** The two halves of a comparison, in the order in which they are told. */
export const SIDES = ["base", "candidate"] as const;
export type Side = (typeof SIDES)[number];

/** One value for each side. */
export type PerSide<T> = Readonly<Record<Side, T>>;

/** Where a side's operation comes from, and what it runs under. */
export interface SideSource {
  /** Module of a commit's bundle, an absolute path; absent: the host's own operation. */
  readonly bundle?: string;
  /** Toggles it runs under; the host's own unless given. */
  readonly profile?: ProfileName;
}

/** Which variants a side should run a problem with. */
export type Wanted =
  /** What the side's own shipped tables select on this device. */
  | { readonly kind: "selected" }
  /** The first algorithm's default configuration. */
  | { readonly kind: "default" }
  /** Every row of its shipped tables that was measured for the problem. */
  | { readonly kind: "shipped" }
  /** So many variants of its spaces that fit the device, drawn with a seed. */
  | { readonly kind: "drawn"; readonly count: number; readonly seed: number }
  /** The variant that an id names, what it leaves out as in the algorithm's default. */
  | { readonly kind: "pinned"; readonly variant: string };

export interface RouteRequest {
  readonly source: SideSource;
  readonly operation: string;
  readonly problem: Problem;
  readonly wanted: Wanted;
}

/** A variant that a side runs a problem with, or why it runs none. */
export type Route =
  | {
      readonly variant: string;
      readonly algorithm: string;
      readonly config: Config;
      readonly planHash: string;
      /** Where the choice comes from: a table's path, `default`, `pinned` or `drawn`. */
      readonly from: string;
    }
  | { readonly refused: string };

/** One side of a pair as it is asked for. */
export interface PairSide {
  readonly source: SideSource;
  readonly algorithm: string;
  readonly config: Config;
}

/** Kernels that a device's own pace is told by: arithmetic or traffic. */
export const REFERENCE_KERNELS = ["fma", "copy"] as const;
export type ReferenceKernel = (typeof REFERENCE_KERNELS)[number];

/**
 * How a pair is timed: quads until a look decides, or a fixed number of them for statistics over processes; or one side by itself
 * (`only`), each timing between two of a reference kernel (`nearest`: the one that resembles what binds the variant).
 */
export type PairTiming =
  | { readonly kind: "none" }
  | { readonly kind: "looks"; readonly alpha: number; readonly looks: readonly number[] }
  | { readonly kind: "fixed"; readonly quads: number }
  | { readonly kind: "reference"; readonly samples: number; readonly reference: ReferenceKernel | "nearest" };

/** Two variants on one problem: verified on shared inputs, compared bit by bit, and timed in quads. */
export interface PairRequest {
  readonly operation: string;
  readonly problem: Problem;
  readonly sides: PerSide<PairSide>;
  /** Only this side runs, because the other ended its host before; nothing is compared or timed. */
  readonly only?: Side;
  /** `own`: each side's plan runs on its own commit's executor. */
  readonly executor: "shared" | "own";
  readonly seeds: readonly number[];
  /** Items compared in full with each oracle, a seed. */
  readonly oracleSample: number;
  /** Also compare bits at shapes that straddle limits. */
  readonly straddle: boolean;
  readonly timing: PairTiming;
  /** Time plans of one hash too. */
  readonly force: boolean;
  /** Also pair base with base: what the procedure says of two things that are one. */
  readonly control: boolean;
  /** Number of this placement of code and buffers, by which the order of binding and the gaps between buffers follow; 0 unless told. */
  readonly placement?: number;
}

/** What became of one side. */
export interface SideReport {
  readonly status: Status;
  readonly reason?: string;
  readonly variant: string;
  /** Empty when planning itself was refused. */
  readonly planHash: string;
  readonly verdict?: Verdict;
  readonly seeds: readonly number[];
  readonly cut?: Cut;
  readonly compileMs?: number;
}

/** One named buffer that both plans declare, compared word by word. */
export interface BufferParity {
  readonly name: string;
  readonly role: "port" | "intermediate";
  readonly words: number;
  readonly differing: number;
  /** Index of the first word that differs. */
  readonly first?: number;
  /** Words that differ between two runs of the base alone: with any, the buffer has no bits to keep. */
  readonly unstable: number;
  /** Why the buffer was not compared: sizes or types differ, or it only holds the last piece of a batch. */
  readonly skipped?: string;
}

/** Bits of one shape: the problem itself, or one that straddles a limit. */
export interface ShapeParity {
  readonly problem: Problem;
  /** Which limit the shape straddles, in words; empty for the problem itself. */
  readonly why: string;
  /** Pieces into which each side's batch was cut. */
  readonly pieces: PerSide<number>;
  readonly buffers: readonly BufferParity[];
  /** Largest error of each side against the float64 oracle, in the operation's measure. */
  readonly maxError: PerSide<number>;
  /** Present when the shape does not run on both sides with these configurations. */
  readonly skipped?: string;
}

/** One quad: two slots a side in the order A B B A or B A A B (A the base); ns of one repeat, the minimum of each slot's samples. */
export interface QuadNs {
  readonly first: "A" | "B";
  /** In order of measurement. */
  readonly slotsNs: readonly [number, number, number, number];
}

/** What paired times say. Ratios are the candidate's time over the base's: 1.02 is 2% slower. */
export interface PairJudgement {
  /**
   * `changed`: the interval lies wholly beyond the gate. `same`: it lies within the equivalence band, a positive claim.
   * `unresolved`: neither; what could have been seen is the minimum detectable effect.
   */
  readonly verdict: "changed" | "same" | "unresolved";
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** Confidence of the interval: 1 - alpha / looks. */
  readonly confidence: number;
  /** Two-sided p of "no change beyond the gate", times the looks: what Benjamini-Hochberg takes. */
  readonly p: number;
  /** Minimum detectable effect as a fraction, at this interval's level. */
  readonly mde: number;
  /** Quads, or processes, that were judged. */
  readonly count: number;
}

/** Times of the same pair with code and buffers in other places. */
export interface PlacedQuads {
  readonly ratio: number;
  /** The candidate was compiled and bound before the base. */
  readonly swapped: boolean;
  readonly quads: readonly QuadNs[];
}

/** Paired times of the whole or of one stage, in one process. The first quad warmed up and counts for nothing. */
export interface PairedSeries extends PairJudgement {
  readonly clock: "gpu" | "wall";
  readonly tickNs: number;
  readonly repeats: PerSide<number>;
  readonly quads: readonly QuadNs[];
  /** `blocks`: interleaving was found to bias, so that each slot followed untimed runs of its own side. */
  readonly mode: "interleaved" | "blocks";
  /** Estimated bias of the ratio that came from interleaving, a fraction; absent while unknown. */
  readonly orderBias?: number;
  /**
   * Where `quads` were judged `changed`: further placements of code and buffers. The judgement is theirs: what only lies where it
   * lay is no change.
   */
  readonly placements?: readonly PlacedQuads[];
  /** Samples thrown away, by reason. */
  readonly rejected: Readonly<Record<string, number>>;
  /** Why there is no time, or the series ended early. */
  readonly fault?: string;
}

/** Times of one side alone, each between two of a reference kernel on the same device. */
export interface ReferenceSeries extends Timing {
  readonly reference: ReferenceKernel;
  /** Why there is no time, or none of the reference. */
  readonly fault?: string;
}

/** What the host found of a pair: raw, so that every statistic can be made again. */
export interface PairOutcome {
  /** A side is absent when it was not asked for, or when the other lost the device before its turn. */
  readonly sides: Readonly<Partial<Record<Side, SideReport>>>;
  /** Both plans have one hash and ran on one executor. */
  readonly identical: boolean;
  /** `own`: the sides' ports differ, so that each ran on its own inputs of the same seeds. */
  readonly inputs: "shared" | "own";
  readonly shapes: readonly ShapeParity[];
  readonly total?: PairedSeries;
  /** Stages that both plans have, in passes of their own, by name. */
  readonly stages: Readonly<Record<string, PairedSeries>>;
  /** Stages that only one plan has. */
  readonly lone: PerSide<readonly string[]>;
  /** Base against base. */
  readonly control?: PairedSeries;
  /** Of sides that were timed by reference ratios, each in a process of its own. */
  readonly references?: Readonly<Partial<Record<Side, ReferenceSeries>>>;
  /** Remarks for people: changed epoch, own inputs, ... */
  readonly notes: readonly string[];
}

/** A pair of which nothing is known yet. */
export const UNKNOWN_PAIR: PairOutcome = {
  sides: {},
  identical: false,
  inputs: "shared",
  shapes: [],
  stages: {},
  lone: { base: [], candidate: [] },
  notes: [],
};
