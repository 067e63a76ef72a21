import type { PortData, Suite } from "@tunelab/contract";
import { operation } from "./operation.ts";
import { COMPLEX_BYTES, type Direction, type FftProblem, transformFlops } from "./problem.ts";
import { oracleOf } from "./suite/oracle.ts";
import { type Plant, plant, plantedInputs } from "./suite/plant.ts";
import { references } from "./suite/references.ts";

export { roots, transform } from "./suite/fourier.ts";

/** Problems of 2^`log` points in all. */
const filling = (ns: readonly number[], log: number, direction: Direction = "forward"): FftProblem[] =>
  ns.map((n) => ({ n, batch: 2 ** log / n, direction }));

const powers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => 2 ** (from + index));

/** What was planted in inputs that this suite made. */
const plants = new WeakMap<PortData, Plant>();

/**
 * Inputs, answers and workloads of the transform. 2^25 points are 256 MiB in and as much out: beyond any cache, and beyond the
 * pairs a compute unit that fill a large GPU. 2^27 at 4096 are the 32768 transforms that peers publish.
 */
export const suite: Suite<FftProblem> = {
  operation,
  epoch: 1,
  inputs(problem, seed) {
    const inputs = plantedInputs(problem, seed);
    plants.set(inputs, plant(problem, seed));
    return inputs;
  },
  oracle: (problem, inputs) => oracleOf(problem, inputs, plants.get(inputs)),
  work({ n, batch }) {
    return { flops: batch * transformFlops(n), bytes: 2 * batch * n * COMPLEX_BYTES, items: batch };
  },
  references,
  workloads: {
    quick: [...filling([64, 256, 1024], 14), ...filling([32_768], 16)],
    standard: [
      ...filling([256, 1024, 4096, 16_384, 65_536, 1_048_576], 25),
      ...filling([4096], 25, "inverse"),
    ],
    full: [
      ...filling(powers(6, 20), 20),
      ...filling(powers(6, 20), 25),
      ...filling([1024, 4096, 65_536], 25, "inverse"),
      ...filling([1024, 2048, 4096], 27),
    ],
  },
};
