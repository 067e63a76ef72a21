import type { MeasureRequest } from "@tunelab/contract";
import { armsAt, type NamedExperiment, type ResolvedArm, type Scale } from "./definition.ts";

/** One measurement of a run: which arm of which experiment, in which round. */
export interface Slot {
  readonly experiment: string;
  readonly round: number;
  readonly arm: ResolvedArm;
  readonly request: MeasureRequest;
}

/**
 * Rounds of one run. Eight give a Wilcoxon signed-rank interval of 95% (six are the least), and every arm is measured before
 * and after every other equally often.
 */
export const ROUNDS = 8;

/** Seeds and items compared in full, in the first round and in the others: the first proves the variant, the others guard it. */
const PROOF = { seeds: [1, 2, 3], oracleSample: 16 } as const;
const GUARD = { seeds: [1], oracleSample: 4 } as const;

/**
 * Every measurement of some experiments, in order. In a round every arm is measured once; rounds alternate forwards and
 * backwards, so that a drift that is linear over two rounds cancels. The order is a function of the definitions alone: a
 * journal's k-th trial is the k-th slot, also when it comes back from another machine.
 */
export function schedule(
  experiments: readonly NamedExperiment[],
  scale: Scale,
  rounds: number = ROUNDS,
): readonly Slot[] {
  return experiments.flatMap(({ name, experiment }) => {
    const arms = armsAt(experiment, scale);
    return Array.from({ length: rounds }, (_, round) => {
      const order = round % 2 === 0 ? arms : [...arms].reverse();
      return order.map((arm): Slot => {
        const { algorithm, config, problem } = arm;
        return {
          experiment: name,
          round,
          arm,
          request: {
            operation: experiment.operation,
            algorithm,
            problem,
            config,
            isDefault: false,
            grade: "screened",
            ...(round === 0 ? PROOF : GUARD),
          },
        };
      });
    }).flat();
  });
}
