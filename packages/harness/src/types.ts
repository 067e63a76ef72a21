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
  Plan,
  Probe,
  ProfileName,
  RaceReport,
  RaceRequest,
  Route,
  RouteRequest,
  Side,
  SideReport,
  Suite,
  TrialOutcome,
  Trip,
} from "@tunelab/contract";
import type { Instance } from "@tunelab/executor";
import type { SideLoader } from "./pair/module.ts";

/** Time as the harness sees it; a test injects one that it drives. */
export interface Clock {
  /** Milliseconds from an arbitrary origin, monotonic in a real clock. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Raw reading of one sample: R repeats in one go. */
export interface RawSample {
  /** Begin and end of each timed pass in ns; empty when only the wall clock is there. */
  readonly passes: readonly { readonly begin: bigint; readonly end: bigint }[];
  readonly wallMs: number;
}

/** Anything that can be timed: an executor's instance, an anchor, or a fake in tests. */
export interface Timeable {
  sample(repeats: number): Promise<RawSample>;
}

/** What a host gives the harness. Nothing here is read from the environment. */
export interface HarnessContext {
  readonly device: GPUDevice;
  readonly info: DeviceInfo;
  readonly clock: Clock;
  /** The suite of an operation by name; rejects with a usage Fault that lists what exists. */
  readonly suite: (operation: string) => Promise<Suite>;
  readonly probes: readonly Probe[];
  readonly onPhase: (phase: MeasurePhase) => void;
  /** Told what a request to measure turned out to be, before it is compiled; not called where the request is refused. */
  readonly onSubject?: (subject: MeasureSubject) => void;
  /** What another host of this very device has measured of it: that host has brought the device to its pace, too. */
  readonly ceilings?: Ceilings;
  /** Uniform in [0, 1): the order within the rounds of a race; Math.random when absent. */
  readonly random?: () => number;
  /** The toggles' profile, by which a side selects from its tables; `portable` unless told. */
  readonly profile?: ProfileName;
  /** Opens the same adapter under another profile's toggles, for pairs that compare profiles; the device lives as long as the host. */
  readonly openProfile?: (
    profile: ProfileName,
  ) => Promise<{ readonly device: GPUDevice; readonly info: DeviceInfo }>;
  /** Loads the sides of a comparison; without it there are only the host's own operations. */
  readonly side?: SideLoader;
  /** Told which side's code runs next, before it does. */
  readonly onSide?: (side: Side, subject: Pick<SideReport, "variant" | "planHash">) => void;
  /** Replaces the instances of a comparison: a test's, whose runs are real and whose clock is driven. */
  readonly instrument?: (instance: Instance, plan: Plan) => Instance;
}

export interface Harness {
  /** Measured tick of the clock in ns; 0 without timestamps. */
  tickNs(): Promise<number>;
  /** Compiles what will be measured, side by side; `done` hears of each by its index. Never rejects for a variant's faults. */
  compile(requests: readonly MeasureRequest[], done: (index: number) => void): Promise<void>;
  measure(request: MeasureRequest): Promise<TrialOutcome>;
  /** Races variants of one problem; `turn` hears whose code is verified next, by its index, and -1 when the rounds begin. */
  race(request: RaceRequest, turn: (index: number) => void): Promise<RaceReport>;
  /** Every probe, or those of the kinds named. */
  ceilings(kinds?: readonly CeilingKind[]): Promise<Ceilings>;
  noise(samples: number): Promise<Noise>;
  /** What every call pays beside its kernel. */
  trip(): Promise<Trip>;
  /** Variants that a side runs a problem with. */
  routes(request: RouteRequest): Promise<readonly Route[]>;
  /** Two variants against each other. */
  pair(request: PairRequest): Promise<PairOutcome>;
}
