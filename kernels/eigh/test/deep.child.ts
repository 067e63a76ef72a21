import type { Algorithm } from "@tunelab/contract";
import { capabilitiesOf, Executor, requestDeviceFor } from "@tunelab/executor";
import { checkConfig } from "@tunelab/variants";
import { create, globals } from "webgpu";
import { type EighProblem, operation } from "../src/index.ts";
import { eighProblem, suite } from "../src/suite.ts";

/** Decomposes a batch of mixed matrices of each order named in EIGH_CASES ("algorithm n batch", comma-separated) and prints the verdicts. */
Object.assign(globalThis, globals);
// Referenced for as long as devices live, or the process crashes in the driver thread.
const gpu = create([]);
const adapter = (await gpu.requestAdapter())!;
const device = await requestDeviceFor(adapter);
const capabilities = capabilitiesOf(device, adapter.info);
const executor = new Executor(device, capabilities, { clock: performance });
const verdicts: object[] = [];
for (const text of process.env.EIGH_CASES!.split(",")) {
  const [name, n, batch] = text.split(" ") as [string, string, string];
  const problem = eighProblem(Number(n), Number(batch), { spectrum: "mixed", pad: Number(n) % 3 });
  const algorithm = (await operation.algorithms[name]!()) as Algorithm<EighProblem>;
  const config = algorithm.defaultConfig(problem, capabilities);
  if (checkConfig(algorithm.space(problem), config)) continue;
  const inputs = suite.inputs(problem, problem.n);
  const instance = await (await executor.prepare(algorithm.plan(problem, config, capabilities))).bind(inputs);
  instance.poison();
  const { probes, converged } = await instance.run();
  const verdict = suite
    .oracle(problem, inputs)
    .check(await instance.read(), { count: problem.batch, seed: 1 });
  instance.dispose();
  verdicts.push({ case: text, ...verdict, sweeps: probes["report.sweeps"], converged });
  console.error(
    `${text}: ${verdict.matched}/${verdict.total}, ${verdict.maxError.toFixed(2)} n eps, ${probes["report.sweeps"]} sweeps`,
  );
}
console.log(JSON.stringify(verdicts));
process.exit(0);
