/**
 * Runs every scenario on the first adapter that the environment offers and prints a line of JSON for each. Started by
 * gpu.test.ts in a process of its own, because a driver is chosen before a process starts.
 */
import { create, globals } from "webgpu";
import { capabilitiesOf, Executor, requestDeviceFor } from "../../src/index.ts";
import * as scenarios from "./scenarios.ts";

Object.assign(globalThis, globals);
const gpu = create([]); // must outlive every device
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error("no adapter");
const device = await requestDeviceFor(adapter);
const capabilities = capabilitiesOf(device, adapter.info);
for (const [name, scenario] of Object.entries(scenarios)) {
  const executor = new Executor(device, capabilities, { clock: performance });
  let result: unknown;
  try {
    result = await scenario(executor);
  } catch (error) {
    result = { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  executor.dispose();
  console.log(JSON.stringify({ name, result }));
}
process.exit(0);
