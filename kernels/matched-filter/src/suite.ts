import type { PortData, Suite } from "@tunelab/contract";
import { operation } from "./operation.ts";
import { COMPLEX_BYTES, type MatchedFilterProblem, PAIR_BYTES, pairFlops, RECORD_BYTES } from "./problem.ts";
import { inspiralInputs } from "./suite/inspiral.ts";
import { oracleOf } from "./suite/oracle.ts";
import { type Plant, plant, plantedInputs } from "./suite/plant.ts";
import { references } from "./suite/references.ts";
import { staging } from "./suite/studies.ts";
import { thresholdOracle } from "./suite/threshold-oracle.ts";

const grid = (ns: readonly number[], data: number, templates: number): MatchedFilterProblem[] =>
  ns.map((n) => ({ n, data, templates, pairs: data * templates }));

const LENGTHS = [64, 128, 256, 512, 1024, 2048, 4096, 8192];

/** Lengths that take several dispatches. */
const LONG_LENGTHS = [32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576];

/** What was planted in inputs that this suite made. */
const plants = new WeakMap<PortData, Plant>();

/**
 * 64 spectra by 512 templates of which one pair in 32 matches, at unit magnitude: the published workload of the hierarchical forms.
 */
const thresholded = (n: number, data: number, templates: number): MatchedFilterProblem => ({
  n,
  data,
  templates,
  pairs: data * templates,
  threshold: 1,
});

/**
 * Inputs, answers and workloads of the matched filter. Every pair has a planted lag (`suite/plant.ts`); with a threshold one pair in
 * 32 is a match (`suite/inspiral.ts`), and each is judged by float64.
 */
export const suite: Suite<MatchedFilterProblem> = {
  operation,
  epoch: 1,
  inputs(problem, seed) {
    if (problem.threshold !== undefined) return inspiralInputs(problem, seed);
    const inputs = plantedInputs(problem, seed);
    plants.set(inputs, plant(problem, seed));
    return inputs;
  },
  collapse(problem, seed) {
    const inputs = this.inputs(problem, seed);
    const collapsed = { ...inputs, pairs: new Uint32Array(2 * problem.pairs) };
    if (problem.threshold !== undefined) return collapsed;
    plants.set(collapsed, plant(problem, seed));
    return collapsed;
  },
  oracle: (problem, inputs) => {
    const { threshold } = problem;
    if (threshold !== undefined) return thresholdOracle({ ...problem, threshold }, inputs);
    return oracleOf(problem, inputs, plants.get(inputs));
  },
  // With a threshold the FLOPs of the flat answer are quoted: a hierarchical variant does a fraction of them.
  work({ n, data, templates, pairs }) {
    return {
      flops: pairs * pairFlops(n),
      bytes: (data + templates) * n * COMPLEX_BYTES + pairs * (PAIR_BYTES + RECORD_BYTES),
      items: pairs,
    };
  },
  workloads: {
    quick: [...grid([64, 256], 4, 16), ...grid([1024], 4, 8)],
    standard: [
      ...grid([256, 1024, 2048, 4096, 8192], 64, 512),
      ...grid([16_384], 32, 512),
      thresholded(4096, 64, 512),
    ],
    full: [
      ...grid([...LENGTHS, 16_384], 8, 64),
      ...grid(LENGTHS, 64, 512),
      ...grid([16_384], 32, 512),
      // Templates of 64 MiB: a binding of 128 MiB, WebGPU's default, holds them, and scratch of all pairs it does not.
      ...LONG_LENGTHS.map((n) => grid([n], 16, 2 ** 23 / n)[0]!),
      ...[1024, 4096, 16_384].map((n) => thresholded(n, 64, 512)),
    ],
  },
  studies: [staging],
  references,
};
