import { DEFAULT_LIMITS, type Plan } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { blockEigh, scalarEigh } from "../../contract/test/paper-plans/eigh.ts";
import { gatedDeltaNet } from "../../contract/test/paper-plans/gated-delta-net.ts";
import {
  fusedMatchedFilter,
  hierarchicalMatchedFilter,
} from "../../contract/test/paper-plans/matched-filter.ts";
import { capabilitiesOf, requestDeviceFor } from "../src/index.ts";
import { double, fault, gpu, open } from "./gpu/null.ts";
import { counting, itemwise, words } from "./gpu/plans.ts";

const withText = (change: (text: string) => string): Plan => ({
  ...double,
  modules: double.modules.map(({ name, wgsl }) => ({ name, wgsl: change(wgsl) })),
});

describe("a device", () => {
  it("is asked for wanted features and limits that the adapter has, and no other", async () => {
    const adapter = (await gpu.requestAdapter())!;
    const device = await requestDeviceFor(adapter);
    const capabilities = capabilitiesOf(device, adapter.info);
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
      message: "test/itemwise: no room for 256 bytes",
    });
    expect(log.created).toBeGreaterThan(0);
    expect(log.live).toBe(0);
    device.destroy();
  });
});
