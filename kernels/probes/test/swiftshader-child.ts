import { probes } from "../src/index.ts";
import { open } from "./dawn.ts";

/** Runs every probe at two scales and reports what each gave. Started with the driver in its environment. */
const { executor, capabilities, description } = await open("vulkan", false);
const results: unknown[] = [];
for (const probe of probes) {
  for (const scale of [1, 3]) {
    const prepared = await executor.prepare(probe.plan(capabilities, scale));
    const instance = await prepared.bind(probe.inputs(capabilities, scale));
    instance.poison();
    const poisoned = probe.verify(await instance.read(), capabilities, scale);
    await instance.run({ repeats: 2 });
    const right = probe.verify(await instance.read(), capabilities, scale);
    results.push({ name: probe.name, scale, poisoned, right });
    instance.dispose();
  }
}
process.send?.({ description, results }, () => process.exit(0));
