import type { Oracle, PortData, Verdict } from "@tunelab/contract";
import { randomFrom } from "@tunelab/variants";
import { type FftProblem, signOf } from "../problem.ts";
import { roots, transform } from "./fourier.ts";
import { NOISE, type Plant } from "./plant.ts";
import { PROBE_RMS, probeVector, type Sums, sumsOf } from "./probe-vector.ts";

/** A planted tone may be off by so many times the noise: P < 1e-14 for a right answer. */
const NOISE_BAND = 8;
/** An output off by so much of its item's root mean square is wrong: alone it fails the residual of all. Below it is inaccurate. */
const OUTPUT_TOLERANCE = 0.05;
/** Relative error of the energy (Parseval) that float32 never reaches: 2^-24 sqrt(log2 n) is under 3e-7. */
const ENERGY_TOLERANCE = 1e-5;
/** Where the sample shows errors of its own, residuals and energies may be off by so many times as much. */
const ERROR_BAND = 8;
/** Seed of the probe vector: fixed, so that a verdict depends on the outputs alone. */
const PROBE_SEED = 0x51ed;

/**
 * Judges transforms: every item by its planted tone, its energy and a random residual over all its outputs, a random sample in full
 * and output by output against a float64 transform of the very words that the kernel read.
 */
export function oracleOf(problem: FftProblem, inputs: PortData, planted: Plant | undefined): Oracle {
  const { n, batch, direction } = problem;
  const table = roots(n, signOf(direction));
  const input = inputs.input as Float32Array;
  const probe = probeVector(n, table, PROBE_SEED);
  const truths = new Map<number, Float64Array>();
  const truth = (item: number): Float64Array => {
    const known = truths.get(item);
    if (known) return known;
    const made = Float64Array.from(input.subarray(2 * item * n, 2 * (item + 1) * n));
    transform(made, table);
    truths.set(item, made);
    return made;
  };
  let wanted: readonly Sums[] | undefined;
  const expected = (): readonly Sums[] => {
    wanted ??= Array.from({ length: batch }, (_, item) => sumsOf(input, 2 * item * n, probe.transformed));
    return wanted;
  };

  return {
    prepare({ count, seed }): void {
      for (const item of sampleItems(batch, count, seed)) truth(item);
      expected();
    },
    check(outputs, sample): Verdict {
      const words = outputs.output as Float32Array | undefined;
      const size = { total: batch, nearTies: 0 };
      if (!words || words.length !== 2 * batch * n) {
        const detail = `output holds ${words?.length ?? 0} words, not ${2 * batch * n}`;
        return { ...size, matched: 0, sampled: 0, maxError: Number.POSITIVE_INFINITY, detail };
      }
      const faults = new Map<number, string>();
      let maxError = 0;
      const sampled = sampleItems(batch, sample.count, sample.seed);
      for (const item of sampled) {
        const { error, fault } = compare(words, 2 * item * n, truth(item));
        if (fault) faults.set(item, `item ${item}: ${fault}`);
        maxError = Math.max(maxError, error);
      }
      const slack = Number.isFinite(maxError) ? ERROR_BAND * maxError : 0;
      const sums = expected();
      for (let item = 0; item < batch; item++) {
        if (faults.has(item)) continue;
        const found = sumsOf(words, 2 * item * n, probe.values);
        const fault =
          toneFault(words, n, item, planted) ??
          energyFault(found, sums[item]!, n, slack) ??
          residualFault(found, sums[item]!, n, slack);
        if (fault) faults.set(item, `item ${item}: ${fault}`);
      }
      const [detail] = faults.values();
      const verdict = { ...size, matched: batch - faults.size, sampled: sampled.size, maxError };
      return detail === undefined ? verdict : { ...verdict, detail };
    },
  };
}

/** One item against float64: the relative error in the 2-norm (NaN is infinite), and the first output that is plainly wrong. */
function compare(
  words: Float32Array,
  at: number,
  want: Float64Array,
): { readonly error: number; readonly fault?: string } {
  let [off, energy] = [0, 0];
  for (const value of want) energy += value * value;
  const most = OUTPUT_TOLERANCE * Math.sqrt((2 * energy) / want.length);
  let fault: string | undefined;
  for (let w = 0; w < want.length; w += 2) {
    const [re, im] = [words[at + w]!, words[at + w + 1]!];
    const [c, d] = [want[w]!, want[w + 1]!];
    const square = (re - c) ** 2 + (im - d) ** 2;
    off += square;
    if (!(square <= most * most)) fault ??= `output ${w / 2} is ${re} + ${im}i, float64 gives ${c} + ${d}i`;
  }
  const error = Math.sqrt(off / energy);
  const safe = Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
  return fault === undefined ? { error: safe } : { error: safe, fault };
}

function toneFault(
  words: Float32Array,
  n: number,
  item: number,
  planted: Plant | undefined,
): string | undefined {
  if (!planted) return undefined;
  const [bin, gain] = [planted.bins[item]!, planted.gains[item]!];
  const turn = (2 * Math.PI * planted.phases[item]!) / n;
  const [re, im] = [words[2 * (item * n + bin)]!, words[2 * (item * n + bin) + 1]!];
  const [c, d] = [n * gain * Math.cos(turn), n * gain * Math.sin(turn)];
  if (Math.hypot(re - c, im - d) <= NOISE_BAND * NOISE * Math.sqrt(n)) return undefined;
  return `output ${bin} is ${re} + ${im}i, a tone of ${c.toFixed(2)} + ${d.toFixed(2)}i was planted there`;
}

/** Parseval: the energy of a transform is n times its input's. */
function energyFault(found: Sums, want: Sums, n: number, slack: number): string | undefined {
  const ratio = found.energy / (n * want.energy);
  if (Math.abs(ratio - 1) <= Math.max(ENERGY_TOLERANCE, slack)) return undefined;
  return `its energy is ${ratio} times n times the input's`;
}

/** The residual of the probe vector: an error e of all outputs together shows as about PROBE_RMS e. */
function residualFault(found: Sums, want: Sums, n: number, slack: number): string | undefined {
  const norm = PROBE_RMS * Math.sqrt(n * want.energy);
  const residual = Math.hypot(found.re - want.re, found.im - want.im) / norm;
  const most = Math.max(OUTPUT_TOLERANCE / Math.sqrt(n), slack);
  if (residual <= most) return undefined;
  return `the residual over all outputs is ${residual.toExponential(1)} of the norm, at most ${most.toExponential(1)} is right`;
}

/** Distinct items to compare in full; all of them when the sample is as large. */
function sampleItems(batch: number, count: number, seed: number): ReadonlySet<number> {
  if (count >= batch) return new Set(Array.from({ length: batch }, (_, item) => item));
  const random = randomFrom(seed);
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random.integer(batch));
  return chosen;
}
