import type {
  CeilingKind,
  Ceilings,
  DeviceInfo,
  MeasurePhase,
  MeasureRequest,
  MeasureSubject,
  Noise,
  PairOutcome,
  PairRequest,
  ProfileName,
  RaceReport,
  RaceRequest,
  Route,
  RouteRequest,
  Side,
  SideReport,
  TrialOutcome,
  Trip,
} from "@tunelab/contract";

/** Which adapter a host opens and how; serialised into the host's start message. */
export interface HostOptions {
  readonly profile: ProfileName;
  /** Dawn backend to ask for: `vulkan`, `metal`, `d3d12`; `null` validates without a driver. */
  readonly backend: string;
  /** Take a software adapter too; hardware targets leave it false. */
  readonly software: boolean;
  /** The adapter's name, whole, as Dawn lists it (`NVIDIA H200`); the first adapter without it. */
  readonly match?: string;
  /** Paths of modules with operations from outside the host's own. */
  readonly modules?: readonly string[];
  /**
   * What a host that times meanwhile has measured of the device. Then nothing runs on it here before it is asked for, not even to
   * measure the clock's tick.
   */
  readonly beside?: Ceilings;
  /** Code-generating toggles in place of the profile's: to time what one of them costs alone. No table knows such a device. */
  readonly toggles?: readonly string[];
  /** Measurement toggles beside the profile's: timestamp quantization off, unless a test wants it on. */
  readonly quantizedTimestamps?: boolean;
}

/** What a host says once it has a device. */
export interface HostHello {
  readonly info: DeviceInfo;
  readonly profile: ProfileName;
  readonly toggles: readonly string[];
  readonly timestamps: boolean;
  /** Measured clock tick in ns; 0 when there are no timestamps, and beside another host. */
  readonly tickNs: number;
  readonly runtime: string;
  readonly pid: number;
}

/** Functions the host offers over RPC. Each rejects only for faults that are not the variant's. */
export interface HostApi {
  hello(): Promise<HostHello>;
  /** Compiles ahead, side by side; `compiled` tells of each. */
  compile(requests: readonly MeasureRequest[]): Promise<void>;
  measure(request: MeasureRequest): Promise<TrialOutcome>;
  /** Races variants; `turn` tells whose code runs alone next. Rejects with `device-lost` when the device is gone. */
  race(request: RaceRequest): Promise<RaceReport>;
  ceilings(kinds?: readonly CeilingKind[]): Promise<Ceilings>;
  noise(samples: number): Promise<Noise>;
  trip(): Promise<Trip>;
  routes(request: RouteRequest): Promise<readonly Route[]>;
  pair(request: PairRequest): Promise<PairOutcome>;
  shutdown(): Promise<void>;
}

/** The half of a pair whose code runs, as far as it is known. */
export type SideSubject = Pick<SideReport, "variant" | "planHash">;

/** Functions the parent offers to the host; all are events, sent before the work they announce begins. */
export interface ParentApi {
  phase(phase: MeasurePhase): void;
  subject(subject: MeasureSubject): void;
  /** Whose code of a pair runs next. The phase's deadline starts anew: a pair is many runs, each bounded. */
  side(side: Side, subject: SideSubject): void;
  /** One more request of those being compiled ahead is dealt with, by its index. */
  compiled(index: number): void;
  /** Whose code of a race runs alone next, by its index; -1 for all together. The phase's deadline starts anew. */
  turn(index: number): void;
  /** The GPU device is gone; no later request to this host can succeed. */
  lost(reason: string): void;
}

/** Deadlines in ms for each phase of a request; every request is bounded by their running phase. */
export interface Deadlines {
  readonly start: number;
  readonly compile: number;
  readonly verify: number;
  readonly measure: number;
}

/**
 * A request was given up because the time that the caller had for it was over; its host is ended, nobody is guilty. The message is
 * one line that says what it was doing.
 */
export class OutOfTime extends Error {
  constructor(message: string) {
    super(message);
    this.name = "OutOfTime";
  }
}

/** What came of compiling ahead: empty when all went well. */
export interface CompiledAhead {
  readonly guilty?: { readonly index: number; readonly outcome: TrialOutcome };
}

/** How a race went, or why there was none: the host failed, perhaps over one variant that ran alone. */
export type RacedField =
  | { readonly report: RaceReport }
  | {
      readonly reason: string;
      readonly guilty?: { readonly index: number; readonly outcome: TrialOutcome };
    };

/**
 * A device that measures, as the tuner sees it: a host process under supervision, or a fake in tests. A variant that
 * hangs, crashes or loses the device resolves with that status; the host behind it is restarted by itself. Where a request takes
 * `limitMs`, that bounds all of it, the start of a host too: it rejects with OutOfTime when they have passed.
 */
export interface Bench {
  readonly hello: HostHello;
  /**
   * Compiles what will be measured next, side by side, while nothing is timed. When the host hangs or dies over it, resolves with
   * the outcome of the guilty variant if only one was left, by its index; the rest are compiled as they are measured.
   */
  compile(requests: readonly MeasureRequest[], limitMs?: number): Promise<CompiledAhead>;
  measure(request: MeasureRequest, limitMs?: number): Promise<TrialOutcome>;
  /** Times variants against each other in rounds and pairs, all held at once. */
  race(request: RaceRequest, limitMs?: number): Promise<RacedField>;
  ceilings(kinds?: readonly CeilingKind[], limitMs?: number): Promise<Ceilings>;
  noise(samples: number, limitMs?: number): Promise<Noise>;
  /** What every call on the device pays beside its kernel. */
  trip(limitMs?: number): Promise<Trip>;
  /** Told of every restart: the reason and the guilty variant. */
  onRestart(listener: (reason: string, request: MeasureRequest | undefined) => void): void;
  /** Told what the host is doing, for accounts of where the time went. */
  onPhase(listener: (phase: MeasurePhase) => void): void;
  close(): Promise<void>;
}

/** A bench that also compares: the same host, supervised alike. */
export interface PairBench extends Bench {
  /** Variants that a side runs a problem with; a side whose code cannot be planned answers with refusals. */
  routes(request: RouteRequest): Promise<readonly Route[]>;
  /** Two variants on one problem. A side that hangs, crashes or loses the device resolves with that status; the other is still reported. */
  pair(request: PairRequest): Promise<PairOutcome>;
}
