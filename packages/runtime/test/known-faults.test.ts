import { DEFAULT_CAPABILITIES, type Operation } from "@tunelab/contract";
import { select } from "@tunelab/selection";
import { KNOWN_FAULTS } from "@tunelab/selection/known-faults";
import { describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import { denoOf, runInDeno } from "../../../test/deno.ts";
import { driver, reportOf } from "../../../test/embedded.ts";
import { createRuntime, fftOperation, matchedFilterOperation, type ShippedOperation } from "../src/index.ts";

Object.assign(globalThis, globals);
// Held for as long as devices live: without a reference the process dies in the driver's thread.
const gpu = create(["backend=null"]);
const child = new URL("known-faults.child.ts", import.meta.url);
const deno = denoOf(new URL("../package.json", import.meta.url));

/** A device that says it is of a vendor, and grants bindings of 4 GiB. */
async function deviceOf(vendor: string): Promise<GPUDevice> {
  const device = await (await gpu.requestAdapter())!.requestDevice({ requiredFeatures: ["subgroups"] });
  const info = {
    vendor,
    architecture: "",
    device: "",
    description: "",
    subgroupMinSize: 16,
    subgroupMaxSize: 32,
  };
  const limits = new Proxy(device.limits, {
    get: (own, name) => (name === "maxStorageBufferBindingSize" ? 2 ** 32 - 4 : Reflect.get(own, name, own)),
  });
  return Object.defineProperties(device, { adapterInfo: { value: info }, limits: { value: limits } });
}

describe("known faults of devices", () => {
  it.each([
    ["nvidia", 2 ** 31 - 4, 16],
    ["intel", 2 ** 32 - 4, 8],
    ["amd", 2 ** 32 - 4, 16],
  ])(
    "a runtime on %s relies on bindings of %d bytes and subgroups from %d on",
    async (vendor, bytes, lanes) => {
      const runtime = await createRuntime({ device: await deviceOf(vendor) });
      const { limits, subgroup } = runtime.info.capabilities;
      expect(limits.maxStorageBufferBindingSize).toBe(bytes);
      expect(subgroup).toEqual({ minimum: lanes, maximum: 32 });
      runtime.device.destroy();
    },
  );

  it("a runtime refuses a pinned variant that runs into one, naming the report", async () => {
    const device = await deviceOf("qualcomm");
    const runtime = await createRuntime({ device });
    const { operation } = matchedFilterOperation;
    const fused = await operation.algorithms.fused!();
    const clamping: Operation = {
      ...(operation as Operation),
      algorithms: {
        fused: async () =>
          ({
            ...fused,
            plan: (problem, config, capabilities) => {
              const plan = fused.plan(problem as never, config, capabilities);
              return {
                ...plan,
                modules: plan.modules.map((one) => ({
                  ...one,
                  wgsl: `${one.wgsl}\nfn f(x: f32) -> f32 { return clamp(x, 0.0, x); }`,
                })),
              };
            },
          }) as never,
      },
    };
    const problem = { n: 64, data: 1, templates: 1, pairs: 1 };
    await expect(runtime.operation(clamping).explain(problem)).rejects.toThrow(/qualcomm-clamp-of-nan/);
    expect((await runtime.operation(matchedFilterOperation).explain(problem)).variant).toMatch(/^fused/);
    device.destroy();
  });

  it("no length of any shipped operation is left without a variant by them, whatever the device", async () => {
    const lengths = Array.from({ length: 15 }, (_, index) => 64 * 2 ** index);
    const shipped: readonly [ShippedOperation<never>, (n: number) => object][] = [
      [matchedFilterOperation as never, (n) => ({ n, data: 1, templates: 1, pairs: 1 })],
      [fftOperation as never, (n) => ({ n, batch: 1, direction: "forward" })],
    ];
    for (const [{ operation }, problemOf] of shipped) {
      for (const n of lengths) {
        const request = { operation: operation as Operation, problem: problemOf(n) as never, tables: [] };
        const { refused, candidates } = await select({
          ...request,
          capabilities: DEFAULT_CAPABILITIES,
          faults: KNOWN_FAULTS,
        });
        expect(refused.filter(({ limit }) => KNOWN_FAULTS.some(({ id }) => id === limit))).toEqual([]);
        expect(candidates.length).toBeGreaterThan(0);
      }
    }
  });

  const ids = KNOWN_FAULTS.map(({ id }) => id);
  it.skipIf(!driver)("their reproducers run on the embedded GPU, which has none of them", async () => {
    expect(await reportOf(child)).toEqual(Object.fromEntries(ids.map((id) => [id, "right"])));
  });

  it.skipIf(!deno || !driver)("nor has it behind naga, where there are no subgroups to try", async () => {
    const found = JSON.parse(await runInDeno(deno!, child));
    const expected = ids.map((id) => [id, id === "intel-narrow-subgroups" ? "not run" : "right"]);
    expect(found).toEqual(Object.fromEntries(expected));
  });
});
