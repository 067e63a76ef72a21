import type { PortData } from "@tunelab/contract";
import { type MatchedFilterProblem, NO_PEAK } from "@tunelab/kernel-matched-filter";
import type { Trial } from "../../calibrate/calibrate.ts";
import { spread, uniform } from "../random.ts";
import { correlateOnCpu } from "./cpu.ts";
import { allPairs, RECORD_WORDS } from "./input.ts";

/**
 * Pairs of a trial that are compared in full with the CPU's float64 answer, spread over the batch: 64, of so many points at most. One of
 * a million points takes a core about 0.1 s.
 */
const COMPARED = { pairs: 64, points: 2 ** 22 } as const;
/** Magnitudes closer than this decide nothing between two lags: float32 of a transform tells no more apart. */
const NEAR_TIE = 1e-5;

/**
 * Spectra of unit power and random phase; datum i is template i mod T, delayed by a random lag, so that pair (i, i mod T) peaks
 * there at magnitude n; with a threshold at twice that, and no other pair reaches it. A variant is right when a sample of pairs agrees with the CPU within `bound` in magnitude.
 */
export async function matchedFilterTrial(problem: MatchedFilterProblem, bound: number): Promise<Trial> {
  const { n, data: rows, templates: columns, threshold = 0 } = problem;
  const scale = threshold === 0 ? 1 : (2 * threshold) / n;
  const random = uniform(n + rows + columns);
  const templates = new Float32Array(columns * n * 2);
  const phases = Float64Array.from({ length: columns * n }, () => 2 * Math.PI * random());
  for (const [at, phase] of phases.entries()) templates.set([Math.cos(phase), Math.sin(phase)], 2 * at);
  const data = new Float32Array(rows * n * 2);
  for (let row = 0; row < rows; row++) {
    const lag = Math.floor(random() * n);
    for (let k = 0; k < n; k++) {
      const turn = phases[(row % columns) * n + k]! - (2 * Math.PI * k * lag) / n;
      data.set([scale * Math.cos(turn), scale * Math.sin(turn)], 2 * (row * n + k));
    }
  }
  const pairs = pairsOf(problem);
  const compared = spread(problem.pairs, Math.min(COMPARED.pairs, COMPARED.points / n));
  const sample = new Uint32Array(compared.flatMap((pair) => [pairs[2 * pair]!, pairs[2 * pair + 1]!]));
  const truth = await correlateOnCpu({ n, data, templates, pairs: sample, threshold });
  return {
    inputs: { data, templates, pairs },
    verify: (outputs) => disagreement(outputs, truth, compared, bound),
  };
}

/** All pairs from the first on, again from the start when more are asked for than there are. */
function pairsOf({ data, templates, pairs }: MatchedFilterProblem): Uint32Array {
  const all = allPairs(data, templates);
  return Uint32Array.from({ length: 2 * pairs }, (_, word) => all[word % all.length]!);
}

function disagreement(
  outputs: PortData,
  truth: Uint32Array,
  compared: readonly number[],
  bound: number,
): string | undefined {
  const records = outputs.records as Uint32Array;
  const got = new Float32Array(records.buffer, records.byteOffset, records.length);
  const want = new Float32Array(truth.buffer);
  for (const [index, pair] of compared.entries()) {
    const [at, truthAt] = [pair * RECORD_WORDS, index * RECORD_WORDS];
    const [magnitude, right] = [got[at + 3]!, want[truthAt + 3]!];
    const sameLag = records[at] === truth[truthAt];
    if (sameLag && records[at] === NO_PEAK) continue;
    const error = Math.abs(magnitude / right - 1);
    if (!(error <= (sameLag ? bound : NEAR_TIE))) {
      return `pair ${pair} peaks at ${records[at]} with ${magnitude}, the CPU says ${truth[truthAt]} with ${right}`;
    }
  }
  return undefined;
}
