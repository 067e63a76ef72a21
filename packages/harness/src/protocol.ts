import type { Grade } from "@tunelab/contract";

/** Samples that a grade of fixed size takes: minima are compared only at equal N, so no clock ever shrinks these. */
export const FIXED_SAMPLES: Readonly<Record<Exclude<Grade, "certified">, number>> = {
  screened: 3, // enough to drop what is over 15% slower, as the first cut of a race does
  raced: 8, // one process's quick look: 8 rounds
};

/** The certification gate. */
export const CERTIFIED = {
  /** Fewer samples make quartiles and thirds meaningless; more than 64 bought no certification in simulation. */
  minimumSamples: 12,
  maximumSamples: 64,
  /** Spread (CV or IQR / median) that the gate allows. */
  spread: 0.02,
  /** A minimum is believed when `floorSamples` lie within `floorBand` of it, from `floorQuarters` of 4 quarters of the time. */
  floorBand: 0.005,
  floorSamples: 3,
  floorQuarters: 2,
  /** The last third's median against the first third's: more than this is drift or a warm-up that has not ended. */
  drift: 0.01,
  /**
   * Longest time in ms that extending past the minimum may take: 64 samples at the submission cap are 6.4 s, so this
   * binds only for kernels over 300 ms a run, and keeps a trial inside the host's measuring deadline of 60 s. Such a
   * trial becomes noisy; it is never certified on fewer samples.
   */
  extensionMs: 10_000,
} as const;

/** Ticks that a sample must last: begin and end are each off by up to half a tick, so rounding is at most 0.5%. */
export const TICKS_PER_SAMPLE = 200;

/** Rounding over which a minimum means nothing and the mean with a scattered start phase ranks. */
export const MAXIMUM_ROUNDING: number = 1 / TICKS_PER_SAMPLE;

/** Longest submission in ms. Windows resets a GPU after 2 s, browsers and macOS complain far earlier. */
export const SUBMISSION_CAP_MS = 100;

/**
 * Most inner repeats: an empty dispatch in a pass of its own takes 1.4 us on an H200, and 200 of Chrome's 65,536 ns
 * ticks then need 9,400; nothing real needs more, and a clock that stands still must not drive this into the billions.
 */
export const MAXIMUM_REPEATS = 16_384;

/** Rejected samples are replaced up to this many times the samples wanted; then the trial ends with what it has. */
export const ATTEMPTS_PER_SAMPLE = 2;

/** Slack of the rule that GPU time cannot exceed wall time: the two clocks may run up to 2% apart. */
export const WALL_SLACK = 1.02;

/** Arithmetic over this share of the measured FMA ceiling was not done: probes repeat to within 3%. */
export const FMA_SLACK = 1.03;

/** Warm-up of the session: the anchor's last `window` samples show no trend at 1% significance, or `limitMs` have passed. */
export const WARM_UP = { window: 24, z: 2.58, limitMs: 1_500 } as const;

/**
 * Pacing before each timing. Bursts of 20 ms leave under 2% of the time idle; an H200 regains its clock after 0.2 to 0.4 s of
 * them, so the first warm-up lasts a second; 60 ms hold it between trials. At a settled clock bursts repeat to within 0.3%.
 */
export const SETTLE = {
  burstMs: 20,
  tolerance: 0.01,
  warmMs: 1_000,
  leastMs: 60,
  /**
   * Before a screening, which only drops what is over 15% slower: one burst at the session's best pace, and `held` after it. Of 34,372
   * anchors between screenings on an H200 eight were more than 0.5% over the median.
   */
  screeningMs: 0,
  limitMs: 2_500,
  window: 8,
  /** A timing during which the clock moved is taken again, so many times at most. */
  retakes: 2,
} as const;

/** A ceiling probe's scale grows until one run lasts this long in ms: launch overhead (under 70 us) is then under 1.4%. */
export const CEILING_RUN_MS = 5;

/** The search for compute units: see `estimateUnits`. */
export const UNITS = {
  /** Halfway between one wave of workgroups and two. */
  step: 1.5,
  /** No device has more; and 8 waves of them are what the probe can dispatch. */
  most: 4_096,
  /** Waves at which the rate is compared with the count. */
  waves: 8,
  tolerance: 0.3,
  /** The least of so many times of each workgroup count. */
  samples: 5,
} as const;

/** Length of an anchor run in ms: long against a tick and launch overhead, short beside the trials it accompanies. */
export const ANCHOR_RUN_MS = 1;

/** Largest factor by which a probe's scale grows at once: an underestimate from a cold clock cannot overshoot the cap. */
export const SCALE_STEP = 8;

/** Fewest samples of the noise probe. */
export const NOISE_SAMPLES = 15;

/** Samples of the stage times taken beside a certified total. */
export const STAGE_SAMPLES = 5;

/** Input sets (seeds) kept for the problem in hand, oldest dropped first. */
export const CACHED_SEEDS = 4;

/**
 * Slack between the GPU's clock and the wall clock when deciding that timestamps are nanoseconds: real periods that
 * someone forgot to apply are 10 ns (AMD), 52 and 83 ns (Intel, Apple), so 5% tells them apart safely.
 */
export const CLOCK_SLACK = 0.05;

/** Wall tick in ns assumed when the clock did not move while it was watched: 1 ms, the coarsest that browsers ship by default. */
export const STUCK_WALL_TICK_NS = 1_000_000;

/**
 * Looks at a clock, with work between them, that may see no progress before it is held to stand still: browsers that round to
 * 100 ms show the same time to some thousand dispatches of 20 us, but not to 4096.
 */
export const STUCK_LOOKS = 4_096;

/**
 * A against B in quads. Gate and equivalence are fractions: below 0.5% the placement of buffers and the order of processes
 * already differ, and 1% is the least that anyone acts upon.
 */
export const QUADS = {
  gate: 0.005,
  equivalence: 0.01,
  /** A slot is the smallest of so many samples: cures bursts and outliers, of which each sample has 2% or more. */
  samplesPerSlot: 3,
  /** Leading quads that count for nothing: the first finds caches and clocks as others left them. */
  dropped: 1,
  /** Reports: chance of a false `changed`, over all looks together. */
  alpha: 0.05,
  /** Kept quads at which a verdict is looked for; each look is made at 1 - alpha / looks. */
  looks: [8, 16, 32, 64],
  /** An exit code that fails a build: one false alarm in a thousand, so no look before 16 quads. */
  build: { alpha: 0.001, looks: [16, 32, 64] },
  /** Published claims: processes, and kept quads in each. */
  processes: 6,
  quadsPerProcess: 4,
  /** Expected share of false ones among the changes that a report over many kernels declares. */
  falseDiscovery: 0.05,
  /** Level at which interleaving is held to bias: a false alarm only costs the quads taken so far. */
  orderAlpha: 0.01,
} as const;

/**
 * A change that quads find in one placement of code and buffers is looked for in others: see placements.ts. In simulation six at 99%
 * hold false changes to 0.3% where each placement is worth 5%, whatever its kind (two placements that only had to agree: 39%), and
 * 16 quads in each leave the power at 1% over 90% under every noise (8 quads: 82% under `all`).
 */
export const PLACEMENTS = {
  count: 6,
  quads: 16,
  /** Given a change in the first placement, so that chance alone meets both this and the alpha of the looks. */
  alpha: 0.01,
  /**
   * Which placements compile and bind the candidate first, by number modulo the list's length: as many of either order among any
   * six, and among those that follow a placement whose memory is free again.
   */
  swapped: [false, true, true, false, false, true],
} as const;

/**
 * Timings of one side in a process where sides are compared by reference ratios: the process's own offset (0.5% is common) is what
 * scatters, so that more of them would narrow nothing.
 */
export const REFERENCE_SAMPLES = 16;

/** Racing: see race.ts. Margins are fractions. */
export const RACE = {
  /** Pipelines that are held at once. */
  heat: 64,
  /** From this round on whoever is `farFactor` slower than the leader is dropped. */
  farRound: 3,
  farFactor: 1.15,
  /** From this round on whoever is slower at the median by `margin` and `errors` standard errors. */
  nearRound: 6,
  errors: 2.5,
  margin: 0.003,
  /**
   * Rounds go on while two may still be the fastest: one among few costs a sample each, a quad of two twelve. In simulation ending
   * them at 4 left chose 2 to 5 times further from the fastest.
   */
  rounds: 24,
  /**
   * Fields of near ties: from a round on no more than so many go on, the best by their scores; the rest are ties. In a field of 64
   * that are 0.3% apart on average this halves the samples and leaves what is chosen as near to the fastest.
   */
  crowds: [
    { round: 6, most: 16 },
    { round: 12, most: 8 },
  ],
  /** So many of those left meet in quads. */
  finalists: 6,
  /** Finals: pairs meet in at most 16 kept quads. */
  finals: { alpha: 0.01, looks: [8] },
  /** Within this fraction of the fastest the simpler variant wins. */
  tieBand: 0.003,
} as const;

/**
 * Minimum detectable effect: see mde.ts. Defaults detect nine in ten at a false alarm in twenty. Inflations by the outliers that
 * the interval withstands (none, one, more), and over processes: in simulation the least that keep the promise under every noise
 * are 6.2 (16 quads at a build's look; 4.4 for 8 at 0.05), 2.1 (22 at a build's look), 1.5 (32 there), 2.6 (6 processes of 4).
 */
export const MDE = { alpha: 0.05, beta: 0.1, inflation: { quads: [6.5, 2.2, 1.5], processes: 2.7 } } as const;

/**
 * Compiled plans kept on the device: two batches compiled ahead (16 at most) and the finalists that are timed again. A pipeline
 * of an unrolled kernel holds some 100 KB.
 */
export const COMPILED_KEPT = 48;

/** Bytes that the instances of one race may hold at once: half of what the executor allows a single one, on cards of 8 GB and more. */
export const RACE_BYTES: number = 2 ** 30;
