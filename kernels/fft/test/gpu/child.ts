/**
 * Runs cases of gpu.ts on the first adapter that the environment offers, one message each. Started in a process of its own, because
 * a driver is chosen before a process starts.
 */
import { createHash } from "node:crypto";
import { type PortData, supports } from "@tunelab/contract";
import { capabilitiesOf, Executor, requestDeviceFor } from "@tunelab/executor";
import { create, globals } from "webgpu";
import { suite } from "../../src/suite.ts";
import type { Case, Outcome } from "./gpu.ts";

// Must outlive every device. A variable that no function mentions goes when the module has run, and the driver's thread with it: it aborted.
const gpu = create([]);
Object.assign(globalThis, globals, { gpu });
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error("no adapter");
const device = await requestDeviceFor(adapter);
const capabilities = capabilitiesOf(device, adapter.info);
const executor = new Executor(device, capabilities, { clock: performance });

const digest = (words: Float32Array): string =>
  createHash("sha256")
    .update(new Uint8Array(words.buffer, words.byteOffset, words.byteLength))
    .digest("hex");

async function run({
  algorithm: name,
  problem,
  config: given,
  seed = 1,
  spoil = [],
  edits = [],
}: Case): Promise<Outcome> {
  const algorithm = await suite.operation.algorithms[name]!();
  const config = given ?? algorithm.defaultConfig(problem, capabilities);
  const fit = supports(algorithm.resources(problem, config), capabilities);
  if (!fit.supported) return { refused: fit.reason };
  const plan = algorithm.plan(problem, config, capabilities);
  const modules = plan.modules.map((module) => {
    const wgsl = edits.reduce((text, [from, to]) => text.replace(from, to), module.wgsl);
    return { ...module, wgsl };
  });
  if (edits.length > 0 && modules.every(({ wgsl }, index) => wgsl === plan.modules[index]!.wgsl)) {
    throw new Error("the edits changed nothing");
  }
  const inputs: PortData = suite.inputs(problem, seed);
  const oracle = suite.oracle(problem, inputs);
  for (const [item, value] of spoil) inputs.input![2 * item * problem.n] = value;
  const prepared = await executor.prepare({ ...plan, modules });
  const instance = await prepared.bind(inputs);
  instance.poison();
  const { submissions } = await instance.run();
  const outputs = await instance.read();
  const { cut } = instance;
  instance.dispose();
  const words = outputs.output as Float32Array;
  return {
    verdict: oracle.check(outputs, { count: 4, seed }),
    digests: Array.from({ length: problem.batch }, (_, item) =>
      digest(words.subarray(2 * item * problem.n, 2 * (item + 1) * problem.n)),
    ),
    finite: words.every(Number.isFinite),
    pieces: cut.pieces,
    submissions,
  };
}

// One after another: a case that its test no longer waits for must not meet the next.
let last: Promise<unknown> = Promise.resolve();
process.on("message", ({ id, one }: { id: number; one: Case }) => {
  last = last
    .then(() => run(one))
    .catch((error: unknown): Outcome => ({ failed: String(error) }))
    .then((outcome) => process.send!({ id, outcome }));
});
process.send!({ ready: capabilities });
