import { supports } from "@tunelab/contract";
import { capabilitiesOf, Executor, requestDeviceFor } from "@tunelab/executor";
import { create, globals } from "webgpu";
import { type FourStepConfig, fourStep, type MatchedFilterProblem } from "../src/index.ts";
import { suite } from "../src/suite.ts";

/**
 * Runs a variant of each problem in the arguments once, untimed, on the adapter of the environment, with memory for `most` pairs' scratch
 * at a time: prints each verdict and its pieces.
 */
// Must outlive every device.
const gpu = create([]);
Object.assign(globalThis, globals, { gpu });

export interface LongRun {
  readonly matched: number;
  readonly total: number;
  readonly maxError: number;
  readonly detail?: string;
  readonly pieces: number;
  readonly itemsPerPiece: number;
}

/** A problem, pairs at a time, and what is not the default. */
export type LongCase = readonly [MatchedFilterProblem, most: number, config?: Partial<FourStepConfig>];

async function runOf([problem, most, changed]: LongCase): Promise<LongRun> {
  const { n, data, templates } = problem;
  const adapter = (await gpu.requestAdapter())!;
  const device = await requestDeviceFor(adapter);
  const capabilities = capabilitiesOf(device, adapter.info);
  const spectra = (data + templates) * 8 * n;
  // Tables, pairs, records and partial peaks are under a half of a pair's scratch.
  const budgets = { memoryBytes: spectra + (most + 0.5) * 8 * n };
  const executor = new Executor(device, capabilities, { clock: performance, budgets });
  const config = { ...fourStep.defaultConfig(problem, capabilities), ...changed };
  const fit = supports(fourStep.resources(problem, config), capabilities);
  if (!fit.supported) throw new Error(fit.reason);
  const inputs = suite.inputs(problem, 1);
  const oracle = suite.oracle(problem, inputs);
  const instance = await (await executor.prepare(fourStep.plan(problem, config, capabilities))).bind(inputs);
  instance.poison();
  await instance.run();
  const outputs = await instance.read();
  const { pieces, itemsPerPiece } = instance.cut;
  instance.dispose();
  executor.dispose();
  device.destroy();
  const verdict = oracle.check(outputs, { count: problem.pairs, seed: 1 });
  const { matched, total, maxError, detail } = verdict;
  return { matched, total, maxError, ...(detail ? { detail } : {}), pieces, itemsPerPiece };
}

const runs: LongRun[] = [];
for (const one of JSON.parse(process.argv[2]!) as LongCase[]) runs.push(await runOf(one));
console.log(JSON.stringify(runs));
process.exit(0);
