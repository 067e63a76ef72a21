import type { Fault, TuningTable } from "@tunelab/contract";
import { afterAll, describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import { reportOf } from "../../../test/embedded.ts";
import {
  bindMatchedFilter,
  calibrateEigh,
  createRuntime,
  matchedFilter,
  matchedFilterOperation,
  prepareMatchedFilter,
  type Runtime,
  type RuntimeEvent,
} from "../src/index.ts";
import { tableOf } from "./made-table.ts";
import { planted } from "./signal.ts";

Object.assign(globalThis, globals);
// Held for as long as devices live: without a reference the process dies in the driver's thread.
const gpu = create(["backend=null"]);
const open: Runtime[] = [];
afterAll(() => {
  for (const runtime of open) runtime.dispose();
});

const { n, data, templates } = planted(64, 3);
const call = (runtime: Runtime) => matchedFilter(runtime, { n, data, templates });
const faultOf = async (promise: Promise<unknown>): Promise<Fault> =>
  promise.then(
    () => {
      throw new Error("nothing was thrown");
    },
    (error: Fault) => error,
  );

describe("a device that is lost", () => {
  it("in the middle of a call rejects it as such, and one call brings the runtime back", async () => {
    const runtime = await createRuntime({ gpu });
    open.push(runtime);
    const filter = runtime.operation(matchedFilterOperation);
    await call(runtime);
    const before = runtime.device;
    const pending = call(runtime);
    before.destroy();
    expect(await faultOf(pending)).toMatchObject({ kind: "device-lost" });
    expect((await runtime.lost).kind).toBe("device-lost");
    expect((await faultOf(call(runtime))).kind).toBe("device-lost");

    await runtime.recover();
    expect(runtime.device).not.toBe(before);
    expect((await call(runtime)).indices).toHaveLength(9);
    expect(runtime.operation(matchedFilterOperation)).toBe(filter);
  });

  it("that was the caller's is only replaced by another of the caller's", async () => {
    const fresh = async () => (await gpu.requestAdapter())!.requestDevice();
    const device = await fresh();
    const runtime = await createRuntime({ device });
    open.push(runtime);
    device.destroy();
    await runtime.lost;
    expect(await faultOf(runtime.recover())).toMatchObject({
      kind: "usage",
      message: expect.stringContaining("recover({ device })"),
    });
    await runtime.recover({ device: await fresh() });
    expect((await call(runtime)).indices).toHaveLength(9);
  });

  it("after dispose nothing comes back", async () => {
    const runtime = await createRuntime({ gpu });
    runtime.dispose();
    expect(await faultOf(runtime.recover())).toMatchObject({ kind: "usage" });
    const disposed = { kind: "usage", message: "this runtime was disposed: create another" };
    expect(await faultOf(call(runtime))).toMatchObject(disposed);
    expect(await faultOf(runtime.trip())).toMatchObject(disposed);
    expect(await faultOf(calibrateEigh(runtime, { n: 8, batch: 1 }, { maxMilliseconds: 100 }))).toMatchObject(
      disposed,
    );
  });

  it("a race says so", async () => {
    const runtime = await createRuntime({ gpu });
    open.push(runtime);
    const race = calibrateEigh(runtime, { n: 8, batch: 1 }, { maxMilliseconds: 100 });
    runtime.device.destroy();
    expect((await faultOf(race)).kind).toBe("device-lost");
  });
});

describe("a device without room", () => {
  /** A device that runs out of memory while `full.now`; its scopes are popped inside out: internal, out-of-memory, validation. */
  async function tight(): Promise<{ readonly device: GPUDevice; readonly full: { now: boolean } }> {
    const device = await (await gpu.requestAdapter())!.requestDevice();
    const full = { now: false };
    const pop = device.popErrorScope.bind(device);
    let popped = 0;
    device.popErrorScope = async () => {
      const isMemory = popped++ % 3 === 1;
      const error = await pop();
      return isMemory && full.now ? new GPUOutOfMemoryError("no room for 4096 bytes") : error;
    };
    return { device, full };
  }

  it("is an out-of-memory fault that says so, leaves nothing behind, and the next call is answered", async () => {
    const { device, full } = await tight();
    const runtime = await createRuntime({ device });
    await prepareMatchedFilter(runtime, { n, data: 3, templates: 3 });
    full.now = true;
    expect(await faultOf(call(runtime))).toMatchObject({
      kind: "out-of-memory",
      message: expect.stringMatching(/no room for 4096 bytes/),
    });
    full.now = false;
    expect((await call(runtime)).indices).toHaveLength(9);
    device.destroy();
  });

  it("is refused beforehand by the memory budget, which the application sets", async () => {
    const runtime = await createRuntime({ gpu, budgets: { memoryBytes: 1000 } });
    open.push(runtime);
    expect(await faultOf(call(runtime))).toMatchObject({
      kind: "unsupported",
      message: expect.stringMatching(/over the memory budget of 1000/),
    });
    expect((await matchedFilter(runtime, { n, data, templates, backend: "cpu" })).indices).toHaveLength(9);
  });
});

describe("failures behind a caller's back", () => {
  it("end the call that they belong to, and none ends the process", async () => {
    const { ends, unheard } = await reportOf<{ ends: Record<string, string>; unheard: string[] }>(
      new URL("async-errors.child.ts", import.meta.url),
    );
    expect(unheard).toEqual([]);
    expect(ends).toEqual({
      ...{ "lost 0": "device-lost", "lost 1": "device-lost", "lost 2": "device-lost" },
      disposed: expect.stringMatching(/^(usage|device-lost|done)$/),
      ...{ "broken 0": "validation", "broken 1": "validation" },
      ...{ "after a spoiled encoder": "done", "a failing cache": "done" },
    });
  });
});

describe("tables that are damaged", () => {
  it("of the caller's own are refused at once, with the place", async () => {
    const runtime = await createRuntime({ gpu });
    open.push(runtime);
    const table = await tableOf(runtime.info, 64);
    const cut = {
      ...table,
      entries: [{ ...table.entries[0]!, rows: [{ rank: 1 }] }],
    } as unknown as TuningTable;
    expect(await faultOf(createRuntime({ gpu, tables: [table, cut] }))).toMatchObject({
      kind: "data",
      message: expect.stringMatching(/tables\[1\].*rows\[0\]/),
    });
  });

  it("of the shipped ones are passed over, told once, and the call is answered", async () => {
    const events: RuntimeEvent[] = [];
    const runtime = await createRuntime({ gpu, onEvent: (event) => events.push(event) });
    open.push(runtime);
    const { device, profile, operation } = await tableOf(runtime.info, 64);
    const broken = {
      ...{ device, profile, operation },
      load: async () => {
        throw new Error("cut short");
      },
    };
    const filter = runtime.operation({
      operation: matchedFilterOperation.operation,
      tables: async () => [broken],
    });
    for (const pairs of [9, 18]) {
      const { variant } = await filter.prepare({ n: 64, data: 3, templates: 3, pairs });
      expect(variant).toMatch(/^fused\//);
    }
    expect(events).toMatchObject([{ kind: "table-unreadable", reason: "cut short" }]);
  });
});

describe("many runtimes", () => {
  it("two on one device do not hear each other's failures", async () => {
    const device = await (await gpu.requestAdapter())!.requestDevice();
    const one = await createRuntime({ device });
    const two = await createRuntime({ device });
    const wide = new Float32Array(2 * 64);
    const results = await Promise.allSettled([
      call(one),
      matchedFilter(two, { n: 63, data: wide, templates: wide }),
      call(two),
      prepareMatchedFilter(one, { n: 64, data: 1, templates: 1, variant: "fused/radix=5" }),
      call(one),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      ...["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"],
    ]);
    one.dispose();
    expect((await call(two)).indices).toHaveLength(9);
    two.dispose();
    device.destroy();
  });

  it("a thousand made and disposed of on one device leave no buffer, and one handler on its loss", async () => {
    const device = await (await gpu.requestAdapter())!.requestDevice();
    let live = 0;
    let handlers = 0;
    const make = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = make(descriptor);
      const destroy = buffer.destroy.bind(buffer);
      live += 1;
      buffer.destroy = () => {
        live -= 1;
        return destroy();
      };
      return buffer;
    };
    const lost = device.lost;
    Object.defineProperty(device, "lost", {
      get: () => {
        handlers += 1;
        return lost;
      },
    });
    let most = 0;
    for (let cycle = 0; cycle < 1000; cycle++) {
      const runtime = await createRuntime({ device });
      // One in fifty computes: compiling a thousand times says nothing more.
      if (cycle % 50 === 0) await call(runtime);
      // Bound and forgotten: the runtime frees it.
      if (cycle % 50 === 25) await bindMatchedFilter(runtime, { n, data, templates });
      runtime.dispose();
      most = Math.max(most, live);
    }
    expect([live, most]).toEqual([0, 0]);
    expect(handlers).toBe(1);
    device.destroy();
  });
});
