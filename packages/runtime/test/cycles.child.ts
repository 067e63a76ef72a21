import { create, globals } from "webgpu";
import { createRuntime, matchedFilter } from "../src/index.ts";
import { planted } from "./signal.ts";

/** Makes and disposes of a thousand runtimes, each with a device of its own on the adapter of the environment; prints memory in MiB. */
Object.assign(globalThis, globals);
const gpu = create([]);
const { n, data, templates } = planted(64, 2);
const CYCLES = 1000;
/** Cycles between readings, and between those that compute: compiling a thousand times says nothing more. */
const READ_EVERY = 125;
const COMPUTE_EVERY = 50;

const readings: number[] = [];
for (let cycle = 1; cycle <= CYCLES; cycle++) {
  const runtime = await createRuntime({ gpu });
  if (cycle % COMPUTE_EVERY === 0) await matchedFilter(runtime, { n, data, templates });
  runtime.dispose();
  if (cycle % READ_EVERY === 0) readings.push(process.memoryUsage().rss / 2 ** 20);
}
console.log(JSON.stringify(readings));
process.exit(0);
