import { Executor } from "@tunelab/executor";
import { REPRODUCERS } from "@tunelab/selection/reproducers";
import { createRuntime } from "../src/core.ts";

/** Runs every reproducer on the device of the environment, in Node (Dawn) or Deno (wgpu), and prints what is wrong with each. */
async function webgpu(): Promise<GPU> {
  if (globalThis.navigator?.gpu) return navigator.gpu;
  const { create, globals } = await import("webgpu");
  Object.assign(globalThis, globals);
  return create([]);
}

const gpu = await webgpu();
const runtime = await createRuntime({ gpu });
const { capabilities } = runtime.info;
const executor = new Executor(runtime.device, capabilities, { clock: performance });
const found: Record<string, string> = {};
for (const { fault, features, plan, wrong } of REPRODUCERS) {
  if (!features.every((feature) => capabilities.features.includes(feature))) {
    found[fault] = "not run";
    continue;
  }
  const instance = await (await executor.prepare(plan(capabilities))).bind({});
  await instance.run();
  const { words } = await instance.read(["words"]);
  found[fault] = wrong(words as Uint32Array, capabilities) ?? "right";
  instance.dispose();
}
console.log(JSON.stringify(found));
// Dawn keeps the process alive for as long as it is referenced.
process.exit(0);
