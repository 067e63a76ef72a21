import type { PortData, Suite } from "@tunelab/contract";
import { operation } from "./operation.ts";
import { COMPLEX_BYTES, type MatchedFilterProblem, PAIR_BYTES, pairFlops, RECORD_BYTES } from "./problem.ts";
import { oracleOf } from "./suite/oracle.ts";
import { type Plant, plant, plantedInputs } from "./suite/plant.ts";
import { staging } from "./suite/studies.ts";

const grid = (ns: readonly number[], data: number, templates: number): MatchedFilterProblem[] =>
  ns.map((n) => ({ n, data, templates, pairs: data * templates }));

const LENGTHS = [64, 128, 256, 512, 1024, 2048, 4096, 8192];

/** What was planted in inputs that this suite made. */
const plants = new WeakMap<PortData, Plant>();

/** Inputs, answers and workloads of the matched filter. Every pair has a planted lag; see `suite/plant.ts`. */
export const suite: Suite<MatchedFilterProblem> = {
  operation,
  epoch: 1,
  inputs(problem, seed) {
    const inputs = plantedInputs(problem, seed);
    plants.set(inputs, plant(problem, seed));
    return inputs;
  },
  collapse(problem, seed) {
    const inputs = plantedInputs(problem, seed);
    const collapsed = { ...inputs, pairs: new Uint32Array(2 * problem.pairs) };
    plants.set(collapsed, plant(problem, seed));
    return collapsed;
  },
  oracle: (problem, inputs) => oracleOf(problem, inputs, plants.get(inputs)),
  work({ n, data, templates, pairs }) {
    return {
      flops: pairs * pairFlops(n),
      bytes: (data + templates) * n * COMPLEX_BYTES + pairs * (PAIR_BYTES + RECORD_BYTES),
      items: pairs,
    };
  },
  workloads: {
    quick: [...grid([64, 256], 4, 16), ...grid([1024], 4, 8)],
    standard: [...grid([256, 1024, 2048, 4096, 8192], 64, 512), ...grid([16_384], 32, 512)],
    full: [...grid([...LENGTHS, 16_384], 8, 64), ...grid(LENGTHS, 64, 512), ...grid([16_384], 32, 512)],
  },
  studies: [staging],
};
