import { type Plan, uniformBuffers } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { double, fault, gpu, open } from "./gpu/null.ts";

/** The doubling plan with its factor in a constant of so many vec4u that the text reads as a uniform. */
function scaled(count: number): Plan {
  const [module] = double.modules;
  const [step] = double.steps as [Extract<Plan["steps"][number], { kind: "dispatch" }>];
  const data = new Uint32Array(4 * count).fill(2);
  const constant = { name: "factors", role: "constant", dtype: "u32", itemBytes: 0 } as const;
  const declared = `@group(0) @binding(${step.bindings.length + 1}) var<uniform> factors: array<vec4u, ${count}>;`;
  return {
    ...double,
    buffers: [...double.buffers, { ...constant, fixedBytes: data.byteLength, data }],
    modules: [
      { ...module!, wgsl: `${declared}\n${module!.wgsl.replace("x[i] * 2u", "x[i] * factors[0].x")}` },
    ],
    steps: [{ ...step, bindings: [...step.bindings, { buffer: "factors", access: "uniform" }] }],
  };
}

describe("a constant that a step reads as a uniform", () => {
  it("is bound as one, in a buffer of that usage, and takes no storage binding", async () => {
    expect(gpu).toBeDefined();
    const { device, executor } = await open();
    const plan = scaled(4);
    expect([...uniformBuffers(plan)]).toEqual(["factors"]);
    expect([...uniformBuffers(double)]).toEqual([]);
    const instance = await (await executor.prepare(plan)).bind({ x: new Uint32Array(64) });
    // The backend validates the bind group: a buffer without UNIFORM usage would be refused.
    await instance.run();
    instance.dispose();
    device.destroy();
  });

  it("over the device's limit is refused by name, with both sizes", async () => {
    const { device, executor, capabilities } = await open();
    const have = capabilities.limits.maxUniformBufferBindingSize;
    expect(await fault(executor.prepare(scaled(have / 16 + 1)))).toMatchObject({
      kind: "unsupported",
      message: `the plan needs maxUniformBufferBindingSize = ${have + 16}, the device grants ${have}`,
    });
    device.destroy();
  });
});
