import { median, min } from "simple-statistics";
import { estimate } from "./estimate.ts";
import { CERTIFIED } from "./protocol.ts";
import type { StoppingRule } from "./rules.ts";

const percent = (fraction: number): string => `${(100 * fraction).toFixed(2)}%`;

/**
 * What keeps samples (in the order they were taken, all of the same repeats) from being certified, one line;
 * undefined when every gate is passed. A small spread alone does not certify: under switching clock states 62% of the
 * runs with CV <= 2% had a minimum more than 1% off, hence the floor and drift gates.
 */
export function gateFault(samplesNs: readonly number[]): string | undefined {
  const count = samplesNs.length;
  if (count < CERTIFIED.minimumSamples) return `${count} of ${CERTIFIED.minimumSamples} samples`;
  const { cv, iqrOverMedian } = estimate(samplesNs, 1)!;
  if (!(Math.min(cv, iqrOverMedian) <= CERTIFIED.spread)) {
    return `spread: CV ${percent(cv)} and IQR ${percent(iqrOverMedian)} of the median, both over ${percent(CERTIFIED.spread)}`;
  }
  const floor = min([...samplesNs]) * (1 + CERTIFIED.floorBand);
  const near = [...samplesNs.keys()].filter((index) => samplesNs[index]! <= floor);
  const quarters = new Set(near.map((index) => Math.floor((4 * index) / count)));
  if (near.length < CERTIFIED.floorSamples || quarters.size < CERTIFIED.floorQuarters) {
    return `minimum not repeated: ${near.length} samples within ${percent(CERTIFIED.floorBand)} of it, from ${quarters.size} of 4 quarters`;
  }
  const third = Math.floor(count / 3);
  const drift = median(samplesNs.slice(-third)) / median(samplesNs.slice(0, third)) - 1;
  if (!(Math.abs(drift) <= CERTIFIED.drift))
    return `drift: the last third is ${percent(drift)} off the first`;
  return undefined;
}

/** Sampling until the gate is passed, or until the cap. */
export const CERTIFYING: StoppingRule = {
  minimum: CERTIFIED.minimumSamples,
  maximum: CERTIFIED.maximumSamples,
  extensionMs: CERTIFIED.extensionMs,
  unmet: gateFault,
};

/** Whether some prefix of the samples passes the gate: what a certifying run over them would have found. */
export function gateReached(samplesNs: readonly number[]): boolean {
  for (let count = CERTIFIED.minimumSamples; count <= samplesNs.length; count += 1) {
    if (gateFault(samplesNs.slice(0, count)) === undefined) return true;
  }
  return false;
}
