import { describe, expect, it } from "vitest";
import { double, fault, open } from "./gpu/null.ts";
import { counting, itemwise, words } from "./gpu/plans.ts";

describe("contents in memory that threads share", () => {
  it("are copied before they are uploaded: Node's WebGPU ends the process on them", async () => {
    const { device, executor } = await open();
    const uploaded: unknown[] = [];
    device.queue.writeBuffer = (_buffer, _offset, data) => {
      const view = data as Uint32Array;
      uploaded.push([view.buffer[Symbol.toStringTag], [...view].slice(0, 3)]);
    };
    const x = new Uint32Array(new SharedArrayBuffer(256));
    x.set([7, 8, 9]);
    const instance = await (await executor.prepare(double)).bind({ x }, { msPerItem: 1e-6 });
    x.set([1, 2, 3]);
    instance.write({ x });
    expect(uploaded.slice(0, 1)).toEqual([["ArrayBuffer", [7, 8, 9]]]);
    expect(uploaded.slice(-1)).toEqual([["ArrayBuffer", [1, 2, 3]]]);
    expect(uploaded.flat()).not.toContain("SharedArrayBuffer");
    device.destroy();
  });
});

describe("an instance that is disposed of while it runs", () => {
  const probed = {
    ...itemwise(4, [words("y", "out"), { ...words("seen", "probe"), fixedBytes: 8, itemBytes: 0 }], ""),
  };
  const fields = { count: { offset: 0, dtype: "u32" } } as const;
  const buffers = probed.buffers.map((spec) => (spec.role === "probe" ? { ...spec, fields } : spec));

  it.each([
    ["of known cost", { ...probed, buffers }, { msPerItem: 1e-6 }],
    ["of unknown cost", { ...probed, buffers }, {}],
    ["without anything to clear", double, { msPerItem: 1e-6 }],
  ])("says so, and leaves nothing allocated: %s", async (_what, plan, options) => {
    const { device, executor, log } = await open();
    const prepared = await executor.prepare(plan);
    const ports = plan === double ? { x: counting(64) } : {};
    for (const call of ["run", "read"] as const) {
      const instance = await prepared.bind(ports, options);
      const pending = fault(instance[call]());
      instance.dispose();
      expect(await pending).toMatchObject({
        kind: "usage",
        message: "this instance of test/itemwise was disposed",
      });
    }
    expect(log.live).toBe(0);
    device.destroy();
  });
});

describe("a caller's GPUBuffers", () => {
  const STORAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;

  it("are refused where one stands for an input and a result, or for two results", async () => {
    const { device, executor } = await open();
    const one = device.createBuffer({ size: 256, usage: STORAGE });
    const prepared = await executor.prepare(double);
    expect(await fault(prepared.bind({ x: one, y: one }))).toMatchObject({
      kind: "usage",
      message: "the GPUBuffer for port y is that of port x: create two",
    });
    const two = await executor.prepare(itemwise(64, [words("y", "out"), words("z", "out")], "y[i] = z[i];"));
    expect((await fault(two.bind({ y: one, z: one }))).kind).toBe("usage");
    device.destroy();
  });

  it("may be one for two inputs", async () => {
    const { device, executor } = await open();
    const one = device.createBuffer({ size: 256, usage: STORAGE });
    const ports = [words("x", "in"), words("w", "in"), words("y", "out")];
    const prepared = await executor.prepare(itemwise(64, ports, "y[i] = x[i] + w[i];"));
    await (await prepared.bind({ x: one, w: one }, { msPerItem: 1e-6 })).run();
    device.destroy();
  });

  it("are read only where they can be copied from", async () => {
    const { device, executor } = await open();
    const y = device.createBuffer({ size: 256, usage: STORAGE });
    const instance = await (await executor.prepare(double)).bind({ x: counting(64), y });
    expect(await fault(instance.read(["y"]))).toMatchObject({
      kind: "usage",
      message: "the GPUBuffer for port y lacks COPY_SRC usage: create it with it",
    });
    device.destroy();
  });
});
