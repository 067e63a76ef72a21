import {
  type Algorithm,
  type Config,
  DEFAULT_CAPABILITIES,
  type Plan,
  type PortData,
  type Verdict,
} from "@tunelab/contract";
import { interpretPlan, type PlanReport } from "@tunelab/variants/interpreter";
import { type FftProblem, fourStep, oneWorkgroup } from "../src/index.ts";
import { suite } from "../src/suite.ts";

export const ALGORITHMS = {
  "one-workgroup": oneWorkgroup as unknown as Algorithm<FftProblem>,
  "four-step": fourStep as unknown as Algorithm<FftProblem>,
} as const;

export type AlgorithmName = keyof typeof ALGORITHMS;

export interface CpuRun extends PlanReport {
  readonly verdict: Verdict;
  readonly output: Float32Array;
}

/** A variant of `one-workgroup`'s or `four-step`'s plan; the default where no configuration is given. */
export function planOf(name: AlgorithmName, problem: FftProblem, config?: Config): Plan {
  const algorithm = ALGORITHMS[name];
  const chosen = config ?? algorithm.defaultConfig(problem, DEFAULT_CAPABILITIES);
  return algorithm.plan(problem, chosen, DEFAULT_CAPABILITIES);
}

/** Runs a plan on the CPU and judges every item in full. */
export function runOnCpu(
  plan: Plan,
  problem: FftProblem,
  options: { readonly subgroupSize?: number; readonly inputs?: PortData } = {},
): CpuRun {
  const { inputs = suite.inputs(problem, 1), ...rest } = options;
  const report = interpretPlan(plan, inputs, rest);
  const output = report.buffers.output as Float32Array;
  const sample = { count: problem.batch, seed: 1 };
  return { ...report, output, verdict: suite.oracle(problem, inputs).check({ output }, sample) };
}

/** The words of an item as bits. */
export const bitsOf = (output: Float32Array, n: number, item: number): Uint32Array =>
  new Uint32Array(output.buffer, output.byteOffset, output.length).slice(2 * n * item, 2 * n * (item + 1));
