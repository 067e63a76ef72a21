import { type Algorithm, type Config, DEFAULT_CAPABILITIES, type Verdict } from "@tunelab/contract";
import { interpretPlan, type PlanReport } from "@tunelab/variants/interpreter";
import type { EighProblem } from "../src/index.ts";
import { suite } from "../src/suite.ts";

export interface CpuRun extends PlanReport {
  readonly verdict: Verdict;
}

/** Runs a variant's text on the CPU at a subgroup width and judges every matrix in full. */
export function runOnCpu<C extends Config>(
  algorithm: Algorithm<EighProblem, C>,
  problem: EighProblem,
  config: C,
  subgroupSize: number,
  seed = 1,
): CpuRun {
  const inputs = suite.inputs(problem, seed);
  const plan = algorithm.plan(problem, config, DEFAULT_CAPABILITIES);
  const given = { ...inputs, report: new Uint32Array(3) };
  // Results are written as words: their buffers hold words here, and are read as floats below.
  const buffers = plan.buffers.map((one) => {
    if (one.role === "probe") return { ...one, port: one.name };
    return one.role === "out" ? ({ ...one, dtype: "u32" } as const) : one;
  });
  const report = interpretPlan({ ...plan, buffers }, given, { subgroupSize });
  const floats = (name: string): Float32Array => new Float32Array(report.buffers[name]!.buffer);
  const outputs = {
    values: floats("values"),
    status: report.buffers.status!,
    ...(report.buffers.vectors ? { vectors: floats("vectors") } : {}),
  };
  const verdict = suite.oracle(problem, inputs).check(outputs, { count: problem.batch, seed: 1 });
  return { ...report, verdict };
}
