import type { Plan } from "@tunelab/contract";
import { expect, it } from "vitest";
import { capabilitiesOf, Executor, requestDeviceFor } from "../src/index.ts";
import { double, fault, gpu } from "./gpu/null.ts";

/** An executor that keeps two texts, and how many pipelines its device has made. */
async function keeping(kernelsKept: number) {
  const adapter = (await gpu.requestAdapter())!;
  const device = await requestDeviceFor(adapter);
  let pipelines = 0;
  const make = device.createComputePipelineAsync.bind(device);
  device.createComputePipelineAsync = (descriptor) => {
    pipelines += 1;
    return make(descriptor);
  };
  const clock = { now: () => 0 };
  const executor = new Executor(device, capabilitiesOf(device, adapter.info), { clock, kernelsKept });
  return { device, executor, pipelines: () => pipelines };
}

const ofItems = (items: number): Plan => ({ ...double, batch: { ...double.batch, items } });
const ofText = (mark: string): Plan => ({
  ...double,
  modules: double.modules.map(({ name, wgsl }) => ({ name, wgsl: `// ${mark}\n${wgsl}` })),
});

it("a plan that differs in its batch alone compiles nothing, and runs its own batch", async () => {
  const { device, executor, pipelines } = await keeping(2);
  await executor.prepare(ofItems(64));
  const first = pipelines();
  const other = await executor.prepare(ofItems(1000));
  expect(first).toBeGreaterThan(0);
  expect(pipelines()).toBe(first);
  expect(other.plan.batch.items).toBe(1000);
  device.destroy();
});

it("the text that was used longest ago is compiled again", async () => {
  const { device, executor, pipelines } = await keeping(2);
  const each = async (marks: string): Promise<number> => {
    const before = pipelines();
    for (const mark of marks) await executor.prepare(ofText(mark));
    return pipelines() - before;
  };
  const one = await each("a");
  expect(await each("ba")).toBe(one); // b alone
  expect(await each("c")).toBe(one); // drops b
  expect(await each("a")).toBe(0);
  expect(await each("b")).toBe(one);
  device.destroy();
});

it("a text that failed is not compiled again, and without a shelf everything is", async () => {
  const { device, executor } = await keeping(2);
  let modules = 0;
  const make = device.createShaderModule.bind(device);
  device.createShaderModule = (descriptor) => {
    modules += 1;
    return make(descriptor);
  };
  const bad = { ...double, modules: double.modules.map(({ name }) => ({ name, wgsl: "nonsense" })) };
  const [first, again] = [await fault(executor.prepare(bad)), await fault(executor.prepare(bad))];
  expect(first.kind).toBe("validation");
  expect(again.message).toBe(first.message);
  expect(modules).toBe(1);
  device.destroy();

  const bare = await keeping(0);
  await bare.executor.prepare(double);
  const once = bare.pipelines();
  await bare.executor.prepare(double);
  expect(bare.pipelines()).toBe(2 * once);
  bare.device.destroy();
});
