import type {
  Ceilings,
  DeviceInfo,
  MeasurePhase,
  MeasureRequest,
  Noise,
  Probe,
  Suite,
  TrialOutcome,
} from "@tunelab/contract";

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
}

export interface Harness {
  /** Measured tick of the clock in ns; 0 without timestamps. */
  tickNs(): Promise<number>;
  measure(request: MeasureRequest): Promise<TrialOutcome>;
  ceilings(): Promise<Ceilings>;
  noise(samples: number): Promise<Noise>;
}
