import { DEFAULT_LIMITS, Fault, type Plan } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import { blockEigh, scalarEigh } from "../../contract/test/paper-plans/eigh.ts";
import { gatedDeltaNet } from "../../contract/test/paper-plans/gated-delta-net.ts";
import {
  fusedMatchedFilter,
  hierarchicalMatchedFilter,
} from "../../contract/test/paper-plans/matched-filter.ts";
import { capabilitiesOf, Executor, requestDeviceFor } from "../src/index.ts";
import { deltaInputs } from "./gpu/inputs.ts";
import { instrument, type Watch } from "./gpu/instrument.ts";
import { counting, itemwise, words } from "./gpu/plans.ts";

Object.assign(globalThis, globals);
const gpu = create(["backend=null"]); // must outlive every device

/** A clock that advances by one each time it is read. */
const ticking = () => {
  let now = 0;
  return { now: () => now++ };
};

async function open(clock: { now(): number } = ticking(), watch: Watch = {}) {
  const adapter = (await gpu.requestAdapter())!;
  const device = await requestDeviceFor(adapter);
  const capabilities = capabilitiesOf(device, adapter.info);
  const log = instrument(device, watch);
  return { adapter, device, capabilities, log, executor: new Executor(device, capabilities, { clock }) };
}

const double = itemwise(64, [words("x", "in"), words("y", "out")], "y[i] = x[i] * 2u;");
const withText = (change: (text: string) => string): Plan => ({
  ...double,
  modules: double.modules.map(({ name, wgsl }) => ({ name, wgsl: change(wgsl) })),
});
const fault = (promise: Promise<unknown>): Promise<Fault> =>
  promise.then(
    () => expect.fail("nothing was thrown"),
    (error) => {
      expect(error).toBeInstanceOf(Fault);
      expect(error.message).not.toContain("\n");
      return error;
    },
  );

describe("a device", () => {
  it("is asked for wanted features and limits that the adapter has, and no other", async () => {
    const { adapter, device, capabilities } = await open();
    const wanted = ["timestamp-query", "subgroups", "subgroup-size-control", "shader-f16"];
    const extra = capabilities.features.filter((name) => !wanted.includes(name));
    expect(extra.filter((name) => name !== "core-features-and-limits")).toEqual([]);
    expect([...adapter.features].length).toBeGreaterThan(capabilities.features.length);
    expect(capabilities.limits.maxBufferSize).toBe(adapter.limits.maxBufferSize);
    device.destroy();
  });

  it("can be had at default limits and without features, as a browser's cautious page would", async () => {
    const adapter = (await gpu.requestAdapter())!;
    const device = await requestDeviceFor(adapter, { features: [], limits: "default" });
    const capabilities = capabilitiesOf(device, adapter.info);
    expect(capabilities.limits).toEqual(DEFAULT_LIMITS);
    expect(capabilities.subgroup).toBeUndefined();
    device.destroy();
  });

  it("that an adapter cannot give a second time is an environment fault", async () => {
    const { adapter, device } = await open();
    expect(await fault(requestDeviceFor(adapter))).toMatchObject({ kind: "environment" });
    device.destroy();
  });
});

describe("prepare", () => {
  it.each<[string, Plan]>([
    ["fused matched filter", fusedMatchedFilter({ n: 4096, data: 64, templates: 512, pairs: 32_768 })],
    [
      "hierarchical matched filter",
      hierarchicalMatchedFilter(
        { n: 4096, data: 64, templates: 512, pairs: 32_768 },
        { band: 256, threshold: 1 },
      ),
    ],
    ["scalar eigh", scalarEigh({ n: 32, matrices: 8192 })],
    ["block eigh", blockEigh({ n: 32, matrices: 8192 })],
    ["gated delta net", gatedDeltaNet({ heads: 16, d: 128, tokens: 2048 }, 16)],
  ])("compiles the plan of a %s at its published size", async (_name, plan) => {
    const { device, executor } = await open();
    const prepared = await executor.prepare(plan);
    expect(prepared.plan).toBe(plan);
    expect(prepared.compileMs).toBe(1); // the clock was read twice
    device.destroy();
  });

  it("says module, line, column and text of a WGSL error", async () => {
    const { device, executor } = await open();
    const bad = withText((text) => text.replace("x[i] * 2u", "x[i] * 2.5"));
    const line = bad.modules[0]!.wgsl.split("\n").findIndex((text) => text.includes("2.5")) + 1;
    const found = await fault(executor.prepare(bad));
    expect(found.kind).toBe("validation");
    expect(found.message).toMatch(
      new RegExp(`^module items, line ${line}, column \\d+: .*y\\[i\\] = x\\[i\\] \\* 2\\.5`),
    );
    expect(found.details).toMatchObject({
      phase: "compile",
      module: "items",
      line,
      column: expect.any(Number),
    });
    device.destroy();
  });

  it("says which pipeline was refused and why", async () => {
    const { device, executor } = await open();
    const wide = withText((text) => text.replace("@workgroup_size(1)", "@workgroup_size(4096)"));
    expect(await fault(executor.prepare(wide))).toMatchObject({
      kind: "validation",
      message: expect.stringMatching(/items\.main.*4096/),
    });
    const absent = { ...double, steps: double.steps.map((step) => ({ ...step, entry: "gone" })) } as Plan;
    expect((await fault(executor.prepare(absent))).message).toMatch(/items\.gone/);
    device.destroy();
  });

  it("refuses a malformed plan before the device sees it", async () => {
    const { device, executor } = await open();
    const found = await fault(executor.prepare({ ...double, batch: { ...double.batch, items: 0 } }));
    expect(found).toMatchObject({ kind: "usage", message: expect.stringContaining("batch items is 0") });
    device.destroy();
  });

  it("names the feature or limit that a plan needs and the device lacks", async () => {
    const { device, executor, capabilities } = await open();
    const need = (features: readonly string[], limits: Record<string, number>) =>
      fault(executor.prepare({ ...double, requires: { features, limits } }));
    expect(await need(["no-such-feature"], {})).toMatchObject({
      kind: "unsupported",
      details: { limit: "no-such-feature" },
    });
    const have = capabilities.limits.maxComputeWorkgroupStorageSize;
    expect((await need([], { maxComputeWorkgroupStorageSize: have + 1 })).message).toBe(
      `the plan needs maxComputeWorkgroupStorageSize = ${have + 1}, the device grants ${have}`,
    );
    const many = Array.from({ length: 17 }, (_, index) => words(`b${index}`, "out"));
    expect((await fault(executor.prepare(itemwise(1, many, "")))).details).toMatchObject({
      limit: "maxStorageBuffersPerShaderStage",
      need: 17,
    });
    device.destroy();
  });
});

describe("bind", () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ["a missing port", {}, /port x is missing: bind 256 bytes/],
    ["an unknown port", { x: counting(64), w: counting(1) }, /unknown port w: the plan has x, y/],
    ["contents of another size", { x: counting(63) }, /port x has 252 bytes, the plan needs 256/],
    ["contents for an output", { x: counting(64), y: counting(64) }, /port y is an output/],
  ])("refuses %s by name", async (_name, ports, words) => {
    const { device, executor } = await open();
    const prepared = await executor.prepare(double);
    const found = await fault(prepared.bind(ports as Record<string, Uint32Array>));
    expect(found).toMatchObject({ kind: "usage", message: expect.stringMatching(words) });
    device.destroy();
  });

  it("refuses a caller's buffer that is too small or no storage", async () => {
    const { device, executor } = await open();
    const prepared = await executor.prepare(double);
    const small = device.createBuffer({ size: 128, usage: GPUBufferUsage.STORAGE });
    expect((await fault(prepared.bind({ x: small }))).message).toMatch(/128 bytes, the plan needs 256/);
    const uniform = device.createBuffer({ size: 256, usage: GPUBufferUsage.UNIFORM });
    expect((await fault(prepared.bind({ x: uniform }))).message).toMatch(/lacks STORAGE/);
    device.destroy();
  });

  it("refuses what does not fit before it allocates anything", async () => {
    const { device, executor, log } = await open();
    const prepared = await executor.prepare(double);
    const found = await fault(prepared.bind({ x: counting(64) }, { budgets: { memoryBytes: 100 } }));
    expect(found).toMatchObject({
      kind: "unsupported",
      details: { limit: "memoryBytes", need: 512, have: 100 },
    });
    expect(log.created).toBe(0);
    device.destroy();
  });

  it("that runs out of memory is a fault of that kind, and leaves nothing allocated", async () => {
    const { device, executor, log } = await open();
    const prepared = await executor.prepare(double);
    const pop = device.popErrorScope.bind(device);
    let scopes = 0;
    device.popErrorScope = async () => {
      const error = await pop();
      // Scopes are popped inside out: internal, out-of-memory, validation.
      return ++scopes === 2 ? new GPUOutOfMemoryError("no room for 256 bytes") : error;
    };
    const found = await fault(prepared.bind({ x: counting(64) }));
    expect(found).toMatchObject({
      kind: "out-of-memory",
      message: "buffers of test/itemwise: no room for 256 bytes",
    });
    expect(log.created).toBeGreaterThan(0);
    expect(log.live).toBe(0);
    device.destroy();
  });
});

describe("run", () => {
  it.each([
    [65_535, [65_535, 1, 1]],
    [65_536, [32_768, 2, 1]],
    [131_073, [43_691, 3, 1]],
  ])("folds %d workgroups into %j", async (items, grid) => {
    const { device, executor, log } = await open();
    const plan = itemwise(items, [words("y", "out")], "y[i] = i;");
    const instance = await (await executor.prepare(plan)).bind({}, { msPerItem: 1e-6 });
    await instance.run();
    expect(log.dispatches).toEqual([grid]);
    device.destroy();
  });

  it("puts as many repeats into a submission as the time budget holds", async () => {
    const { device, executor } = await open();
    const prepared = await executor.prepare(double);
    const submissions = async (msPerItem: number, repeats: number) =>
      (await (await prepared.bind({ x: counting(64) }, { msPerItem })).run({ repeats })).submissions;
    expect(await submissions(0.1, 15)).toBe(1); // 15 x 6.4 ms
    expect(await submissions(0.1, 16)).toBe(2);
    expect(await submissions(1, 4)).toBe(4);
    device.destroy();
  });

  it("zeroes probes before every repeat and reports them by name", async () => {
    const { device, executor, log } = await open();
    const seen = { ...words("seen", "probe"), fixedBytes: 8, itemBytes: 0 };
    const plan = itemwise(4, [words("y", "out"), seen], "", {});
    const fields = { count: { offset: 0, dtype: "u32" }, worst: { offset: 4, dtype: "f32" } } as const;
    const buffers = plan.buffers.map((spec) => (spec.role === "probe" ? { ...spec, fields } : spec));
    const instance = await (await executor.prepare({ ...plan, buffers })).bind({}, { msPerItem: 1e-6 });
    expect(Object.keys((await instance.run({ repeats: 3 })).probes)).toEqual(["seen.count", "seen.worst"]);
    expect(log.clears).toEqual([8, 8, 8]);
    device.destroy();
  });

  it("stops a loop as soon as its word is right, and at its bound at the latest", async () => {
    // Nothing runs on the null backend, so the word that the loop reads back is given.
    const { device, executor, log } = await open(ticking(), {
      mapped: { "loop condition": Uint32Array.of(7) },
    });
    const plan = blockEigh({ n: 8, matrices: 3 });
    const until = (equals: number): Plan => ({
      ...plan,
      steps: plan.steps.map((step) =>
        step.kind === "loop"
          ? { ...step, maximum: 8, checkEvery: 3, until: { ...step.until, equals } }
          : step,
      ),
    });
    const run = async (equals: number) => {
      const instance = await (await executor.prepare(until(equals))).bind(
        { matrix: new Float32Array(192) },
        { msPerItem: 1e-6 },
      );
      const from = log.dispatches.length;
      const { converged, submissions } = await instance.run();
      return { converged, submissions, dispatches: log.dispatches.length - from };
    };
    // Start and finish are one dispatch each, an iteration is two.
    expect(await run(7)).toEqual({ converged: true, submissions: 2, dispatches: 2 + 3 * 2 });
    expect(await run(8)).toEqual({ converged: false, submissions: 4, dispatches: 2 + 8 * 2 });
    device.destroy();
  });

  it.each([
    ["10 ms an item", 10, 100, [1, 8, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1], 10],
    ["nearly nothing", 1e-6, 1000, [1, 8, 64, 512, 415], 1],
    ["more than the budget", 500, 4, [1, 1, 1, 1], 4],
  ])("of a kernel that costs %s submits nothing over the budget that it can cut", async (...row) => {
    const [, msPerItem, items, sizes, pieces] = row;
    let now = 0;
    const ran: number[] = [];
    const clock = { now: () => now };
    const { device, executor } = await open(clock, {
      onSubmit: (dispatches) => {
        for (const [x, y, z] of dispatches) {
          ran.push(x * y * z);
          now += x * y * z * msPerItem;
        }
      },
    });
    const plan = itemwise(items, [words("y", "out", 64)], "y[i * 64u] = i;");
    const instance = await (await executor.prepare(plan)).bind({});
    await instance.run();
    expect(ran).toEqual(sizes);
    expect(instance.cut.pieces).toBe(pieces);
    const { wallMs } = await instance.run();
    expect(wallMs).toBeCloseTo(items * msPerItem);
    device.destroy();
  });

  it("reports what the device refuses as a fault and can go on", async () => {
    const { device, executor } = await open();
    const uncaptured: string[] = [];
    device.addEventListener("uncapturederror", ({ error }) => uncaptured.push(error.message));
    const readOnly = device.createBuffer({ size: 256, usage: GPUBufferUsage.STORAGE });
    const prepared = await executor.prepare(double);
    const instance = await prepared.bind({ x: counting(64), y: readOnly });
    await instance.run();
    expect(await fault(instance.read(["y"]))).toMatchObject({
      kind: "validation",
      message: expect.stringMatching(/^reading y: .*CopySrc/),
    });
    instance.poison();
    expect((await fault(instance.run())).message).toMatch(/^test\/itemwise: .*CopyDst/);
    expect((await instance.run()).submissions).toBe(1);
    expect(uncaptured).toEqual([]);
    device.destroy();
  });

  it("refuses nonsense, overlap and use after dispose", async () => {
    const { device, executor } = await open();
    const instance = await (await executor.prepare(double)).bind({ x: counting(64) });
    expect((await fault(instance.run({ repeats: 0 }))).message).toBe("repeats is 0, not a positive integer");
    expect(() => instance.recut(0)).toThrow("an item cannot cost 0 ms");
    const first = instance.run();
    expect((await fault(instance.run())).message).toMatch(/is running: await it first/);
    expect(() => instance.write({ x: counting(64) })).toThrow(/is running/);
    await first;
    expect((await fault(instance.read(["x"]))).message).toBe("port x cannot be read: readable are y");
    instance.dispose();
    instance.dispose();
    expect((await fault(instance.run())).message).toMatch(/was disposed/);
    executor.dispose();
    expect((await fault(executor.prepare(double))).message).toMatch(/was disposed/);
    device.destroy();
  });
});

describe("intermediates and encode", () => {
  it("intermediates are read only while a piece holds the whole batch", async () => {
    const { device, executor } = await open();
    const buffers = [words("y", "out"), { ...words("half", "scratch"), port: "half" }];
    const plan = itemwise(640, buffers, "half[i] = i; y[i] = half[i];");
    const instance = await (await executor.prepare(plan)).bind({}, { msPerItem: 1e-6 });
    await instance.run();
    expect((await instance.read(["half"])).half).toHaveLength(640);
    expect(Object.keys(await instance.read())).toEqual(["y"]);
    instance.recut(1);
    await instance.run();
    expect((await fault(instance.read(["half"]))).message).toMatch(/half holds only the last of 10 pieces/);
    device.destroy();
  });

  it("a host-driven loop cannot be encoded into a caller's encoder", async () => {
    const { device, executor } = await open();
    const instance = await (await executor.prepare(scalarEigh({ n: 8, matrices: 3 }))).bind({
      matrix: new Float32Array(192),
    });
    expect(() => instance.encode(device.createCommandEncoder())).toThrow(/has a host-driven loop/);
    device.destroy();
  });
});

describe("a lost device", () => {
  it("rejects what is pending and what comes later, and says so once", async () => {
    const { device, executor } = await open();
    const prepared = await executor.prepare(double);
    const instance = await prepared.bind({ x: counting(64) }, { msPerItem: 1 });
    const pending = [instance.run({ repeats: 20 }), executor.prepare(scalarEigh({ n: 32, matrices: 64 }))];
    device.destroy();
    for (const call of pending) expect((await fault(call)).kind).toBe("device-lost");
    expect(await executor.lost).toMatchObject({ kind: "device-lost", details: { reason: "destroyed" } });
    expect((await fault(executor.prepare(double))).kind).toBe("device-lost");
    expect((await fault(prepared.bind({ x: counting(64) }))).kind).toBe("device-lost");
    expect((await fault(instance.run())).kind).toBe("device-lost");
    expect((await fault(instance.read())).kind).toBe("device-lost");
    instance.dispose();
    executor.dispose();
  });
});

describe("memory", () => {
  it("is all given back by dispose, after 1000 instances as after one", async () => {
    const { device, executor, log } = await open();
    const prepared = await executor.prepare(gatedDeltaNet({ heads: 1, d: 4, tokens: 8 }, 4));
    const ports = deltaInputs({ heads: 1, d: 4, tokens: 8 });
    for (let cycle = 0; cycle < 1000; cycle++) {
      const instance = await prepared.bind(ports);
      if (cycle % 100 === 0) {
        instance.poison();
        await instance.run({ repeats: 2, timing: "total" });
        await instance.read();
        instance.recut(1e-6);
        await instance.run();
      }
      instance.dispose();
    }
    expect(log.created).toBeGreaterThan(10_000);
    expect(log.live).toBeLessThanOrEqual(1); // the shared resolve buffer
    executor.dispose();
    expect(log.live).toBe(0);
    device.destroy();
  });

  it("of instances that were left open is given back with the executor; a caller's buffer never is", async () => {
    const { device, executor, log } = await open();
    const mine = device.createBuffer({ size: 256, usage: GPUBufferUsage.STORAGE });
    await (await executor.prepare(double)).bind({ x: counting(64), y: mine });
    executor.dispose();
    expect(log.live).toBe(1);
    device.destroy();
  });
});
