/**
 * Timing alone, without verification or statistics: what the runtime's calibration needs and no more. Imports no
 * third-party package.
 */
export { readGpuClock } from "./gpu-clock.ts";
export { type Judged, judgeSample, type Rejection, type RejectionRules } from "./reject.ts";
export { findRepeats, type Repeats } from "./repeats.ts";
export { fixed, RACING, SCREENING, type StoppingRule } from "./rules.ts";
export { type AnchorRun, type Sampled, type SampleOptions, takeSamples } from "./sampler.ts";
export { type ClockReading, type ClockVerdict, judgeClock, wallTickNs } from "./tick.ts";
export type { Clock, RawSample, Timeable } from "./types.ts";
