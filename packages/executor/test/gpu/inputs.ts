import type { PortData } from "@tunelab/contract";
import type { DeltaProblem } from "../../../contract/test/paper-plans/gated-delta-net.ts";
import type { MatchedFilterProblem } from "../../../contract/test/paper-plans/matched-filter.ts";

export const PAIRS = { n: 64, data: 3, templates: 5, pairs: 200 };
export const MATRICES = { n: 8, matrices: 150 };
export const LAYER = { heads: 2, d: 8, tokens: 50 };

/** Mulberry32: numbers in [-1, 1), the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

export function randomWords(count: number, seed: number): Float32Array {
  const next = randomNumbers(seed);
  return Float32Array.from({ length: count }, next);
}

/** Lag at which datum `d` holds template 0 in the planted inputs. */
export const plantedLag = (d: number, n: number): number => (7 * d + 3) % n;

/** Templates are random phases on all frequencies; datum d is template 0 delayed by `plantedLag`. */
export function matchedFilterInputs({ n, data, templates, pairs }: MatchedFilterProblem): PortData {
  const phases = randomWords(templates * n, 11).map((x) => x * Math.PI);
  const spectrum = new Float32Array(templates * n * 2);
  for (const [i, phase] of phases.entries()) spectrum.set([Math.cos(phase), Math.sin(phase)], 2 * i);
  const signal = new Float32Array(data * n * 2);
  for (let d = 0; d < data; d++) {
    for (let k = 0; k < n; k++) {
      const phase = phases[k]! - (2 * Math.PI * k * plantedLag(d, n)) / n;
      signal.set([Math.cos(phase), Math.sin(phase)], 2 * (d * n + k));
    }
  }
  const list = Array.from({ length: pairs }, (_, i) => [i % data, Math.floor(i / data) % templates]);
  return { data: signal, templates: spectrum, pairs: Uint32Array.from(list.flat()) };
}

/** Symmetric matrices with eigenvalues of order one. */
export function symmetric(n: number, matrices: number): Float32Array {
  const random = randomWords(matrices * n * n, 5);
  return random.map((_, i) => {
    const [item, row, column] = [Math.floor(i / (n * n)), Math.floor(i / n) % n, i % n];
    return random[(item * n + Math.min(row, column)) * n + Math.max(row, column)]!;
  });
}

export function deltaInputs({ heads, d, tokens }: DeltaProblem): PortData {
  const gates = randomWords(tokens * heads * 2, 2).map((x, i) => (i % 2 ? (x + 1) / 2 : (x - 1) / 4));
  return {
    qkv: randomWords(tokens * heads * 3 * d, 1),
    gates,
    z: randomWords(tokens * heads * d, 3),
    kernel: randomWords(3 * heads * d * 4, 4),
    weight: randomWords(d, 6),
    history: randomWords(3 * heads * d * 3, 7),
    state: randomWords(heads * d * d, 8),
  };
}
