import { exponential, gaussian, pareto, type Uniform } from "./variates.ts";

/**
 * What a device does to the time of a sample. Every kind but `iid` has the base of `ar`: memory from sample to sample.
 * - `iid`: Gaussian 0.3% + exponential 0.4%, no memory.
 * - `ar`: half of Gaussian 0.3%, half of an AR(1) of rho 0.6 and sd 0.3% (halves of the variance, so that the sum is as wide as
 *   `iid`), + exponential 0.4%.
 * - `drift`: linear over the run, its slope uniform in +-4%.
 * - `ramp`: 1 + 0.10 exp(-t / 0.1 T): a clock that settles.
 * - `burst`: two states, entered with 0.005 and left with 0.05 a sample, up to 25% slower.
 * - `clock`: three levels 1, 1.03 and 1.08, switching with 0.02 a sample.
 * - `heavy`: 2% of samples take min(Pareto 1.2, 20) times longer on top.
 * - `all`: everything at once.
 */
export const NOISE_KINDS = ["iid", "ar", "drift", "ramp", "burst", "clock", "heavy", "all"] as const;
export type NoiseKind = (typeof NOISE_KINDS)[number];

const BASE = { gaussian: 0.003, autoregressive: 0.003, rho: 0.6, exponential: 0.004 } as const;
const DRIFT = 0.04;
const RAMP = { height: 0.1, length: 0.1 } as const;
const BURST = { enter: 0.005, leave: 0.05, height: 0.25 } as const;
const CLOCK = { levels: [1, 1.03, 1.08], switches: 0.02 } as const;
const HEAVY = { share: 0.02, shape: 1.2, most: 20 } as const;

/** Factors on the true time of one sample after another. */
export type NoiseSource = () => number;

/** Noise of a kind over a run of `length` samples: over this many a drift reaches its end, and a ramp e^-10. */
export function noiseSource(kind: NoiseKind, uniform: Uniform, length: number): NoiseSource {
  const base = kind === "iid" ? independent(uniform) : remembering(uniform);
  const has = (part: NoiseKind): boolean => kind === part || kind === "all";
  const parts: NoiseSource[] = [base];
  if (has("drift")) parts.push(drift(uniform, length));
  if (has("ramp")) parts.push(ramp(length));
  if (has("burst")) parts.push(burst(uniform));
  if (has("clock")) parts.push(clockStates(uniform));
  if (has("heavy")) parts.push(heavy(uniform));
  return () => {
    let factor = 1;
    for (const part of parts) factor *= part();
    return factor;
  };
}

function independent(uniform: Uniform): NoiseSource {
  const normal = gaussian(uniform);
  return () => 1 + BASE.gaussian * normal() + BASE.exponential * exponential(uniform);
}

function remembering(uniform: Uniform): NoiseSource {
  const normal = gaussian(uniform);
  const innovation = Math.sqrt(1 - BASE.rho ** 2);
  let state = normal();
  return () => {
    state = BASE.rho * state + innovation * normal();
    const half = BASE.gaussian * normal() + BASE.autoregressive * state;
    return 1 + Math.SQRT1_2 * half + BASE.exponential * exponential(uniform);
  };
}

function drift(uniform: Uniform, length: number): NoiseSource {
  const slope = DRIFT * (2 * uniform() - 1);
  let sample = 0;
  return () => 1 + (slope * sample++) / length;
}

function ramp(length: number): NoiseSource {
  let sample = 0;
  return () => 1 + RAMP.height * Math.exp(-sample++ / (RAMP.length * length));
}

function burst(uniform: Uniform): NoiseSource {
  let height = 0;
  return () => {
    if (height > 0) {
      if (uniform() < BURST.leave) height = 0;
    } else if (uniform() < BURST.enter) height = BURST.height * uniform();
    return 1 + height;
  };
}

function clockStates(uniform: Uniform): NoiseSource {
  const count = CLOCK.levels.length;
  let level = Math.floor(count * uniform());
  return () => {
    // To one of the others, either as likely.
    if (uniform() < CLOCK.switches) level = (level + 1 + Math.floor((count - 1) * uniform())) % count;
    return CLOCK.levels[level]!;
  };
}

function heavy(uniform: Uniform): NoiseSource {
  return () => (uniform() < HEAVY.share ? 1 + Math.min(pareto(uniform, HEAVY.shape), HEAVY.most) : 1);
}

/** Spread of what a fresh process does to each side for as long as it lives: placement of buffers and code. */
export const PROCESS_OFFSET = 0.005;
