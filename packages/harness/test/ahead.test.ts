import type { MeasureRequest } from "@tunelab/contract";
import { capabilitiesOf } from "@tunelab/executor";
import { expect, it, vi } from "vitest";
import { create, globals } from "webgpu";
import { CompiledCache } from "../src/compiled.ts";
import { COMPILED_KEPT, createHarness } from "../src/index.ts";
import { toyProbe, toySuite } from "./toy.ts";

Object.assign(globalThis, globals);
// Referenced as long as devices live, or the process crashes.
const gpu = create(["backend=null"]);

/** A harness on Dawn's null backend whose device tells how many pipelines are being compiled at each submission. */
async function watched() {
  const adapter = (await gpu.requestAdapter())!;
  const device = await adapter.requestDevice();
  const compiling = { now: 0, most: 0, begun: 0, atSubmit: [] as number[] };
  const { createComputePipelineAsync } = device;
  device.createComputePipelineAsync = async (descriptor) => {
    compiling.begun++;
    compiling.most = Math.max(compiling.most, ++compiling.now);
    // Slower than anything else here: whoever did not wait would be seen.
    await new Promise((go) => setTimeout(go, 20));
    return createComputePipelineAsync.call(device, descriptor).finally(() => compiling.now--);
  };
  const { submit } = device.queue;
  device.queue.submit = (buffers) => {
    compiling.atSubmit.push(compiling.now);
    return submit.call(device.queue, buffers);
  };
  const suite = toySuite();
  const phases: string[] = [];
  const told: object[] = [];
  const blank = { implementationVersion: "", vendor: "", architecture: "", description: "", driver: "" };
  const harness = createHarness({
    device,
    info: {
      capabilities: capabilitiesOf(device, adapter.info),
      identity: {
        ...blank,
        ...{
          implementation: "dawn",
          compiler: "tint",
          backend: "null",
          device: "null",
          adapterType: "unknown",
        },
      },
    },
    clock: { now: () => performance.now(), sleep: async () => {} },
    suite: async () => suite,
    probes: [toyProbe()],
    onPhase: (phase) => phases.push(phase),
    onSubject: ({ variant, planHash, epoch, work, resources }) =>
      told.push({ variant, planHash, epoch, work, resources, after: [...phases] }),
  });
  return { harness, device, compiling, suite, phases, told };
}

const request = (algorithm: string): MeasureRequest => ({
  operation: "toy",
  algorithm,
  problem: { n: 256 },
  config: { workgroup: 64 },
  isDefault: false,
  grade: "screened",
  seeds: [1],
  oracleSample: 4,
});

it("plans compile side by side, each is told of, and nothing is submitted while any compiles", async () => {
  const { harness, device, compiling } = await watched();
  const names = ["right", "wrong", "half", "inaccurate"];
  const done: number[] = [];
  const measured = harness.measure(request("right"));
  const ahead = harness.compile(names.map(request), (index) => done.push(index));
  await Promise.all([measured, ahead, ...names.map((name) => harness.measure(request(name)))]);
  expect([...done].sort()).toEqual([0, 1, 2, 3]);
  expect(compiling.most).toBeGreaterThanOrEqual(3);
  expect(compiling.atSubmit.length).toBeGreaterThan(0);
  expect(compiling.atSubmit.every((count) => count === 0)).toBe(true);
  device.destroy();
});

it("inputs and oracle are made ahead, and what the oracle would compute on its first look", async () => {
  const { harness, device, suite } = await watched();
  await harness.compile([request("right")], () => {});
  expect(suite.counts).toMatchObject({ inputs: 1, oracles: 1, prepared: [{ count: 4, seed: 1 }], checks: 0 });
  await harness.measure(request("right"));
  expect(suite.counts).toMatchObject({ inputs: 1, oracles: 1 });
  device.destroy();
});

it("making inputs and oracle is no part of compiling: every variant is told of before, and another phase has its own deadline", async () => {
  const { harness, device, suite, phases } = await watched();
  const made: number[] = [];
  await harness.compile(["right", "wrong"].map(request), () => made.push(suite.counts.oracles));
  expect(made).toEqual([0, 0]);
  expect(suite.counts.oracles).toBe(1);
  expect(phases).toEqual(["compile", "verify", "idle"]);
  device.destroy();
});

it("a text that validation refuses reaches no compiler, neither ahead nor when it is measured", async () => {
  const { harness, device, compiling } = await watched();
  const done: number[] = [];
  await harness.compile([request("untyped")], (index) => done.push(index));
  expect(await harness.measure(request("untyped"))).toMatchObject({
    status: "compile-failed",
    reason: expect.stringMatching(/line \d+, column \d+/),
  });
  expect([done, compiling.begun]).toEqual([[0], 0]);
  device.destroy();
});

it("what was compiled ahead is not compiled again, and what cannot be compiled says so when it is measured", async () => {
  const { harness, device, compiling } = await watched();
  await harness.compile(["right", "untyped", "nobody"].map(request), () => {});
  const before = compiling.begun;
  await harness.measure(request("right"));
  expect(compiling.begun).toBe(before);
  expect(await harness.measure(request("untyped"))).toMatchObject({ status: "compile-failed" });
  await expect(harness.measure(request("nobody"))).rejects.toThrow("no algorithm nobody");
  device.destroy();
});

it("what was compiled ahead is not planned again", async () => {
  const { harness, device, suite } = await watched();
  const { right } = suite.operation.algorithms;
  const algorithm = await right!();
  const plan = vi.fn(algorithm.plan);
  const counted = { ...suite.operation, algorithms: { right: async () => ({ ...algorithm, plan }) } };
  Object.assign(suite, { operation: counted });
  await harness.compile([request("right")], () => {});
  expect(await harness.measure(request("right"))).toMatchObject({
    planHash: expect.stringMatching(/^\w{16}$/),
  });
  expect(plan).toHaveBeenCalledTimes(1);
  await harness.measure({ ...request("right"), problem: { n: 512 } });
  expect(plan).toHaveBeenCalledTimes(2);
  device.destroy();
});

it("what a request is, is told before it is compiled, and not where it is refused", async () => {
  const { harness, device, phases, told } = await watched();
  const outcome = await harness.measure(request("right"));
  expect(told).toEqual([
    {
      ...{ variant: outcome.variant, planHash: outcome.planHash, epoch: 3, work: outcome.work },
      resources: outcome.resources,
      after: ["plan"],
    },
  ]);
  phases.length = 0;
  await harness.measure({ ...request("right"), config: { workgroup: 63 } });
  expect(told).toHaveLength(1);
  device.destroy();
});

it("the least recently used pipelines are dropped", async () => {
  const compiled: string[] = [];
  const cache = new CompiledCache({
    prepare: async (plan) => {
      compiled.push(String(plan));
      return {} as never;
    },
  });
  const prepare = (name: string) => cache.prepare({ plan: name as never, planHash: name });
  for (let index = 0; index < COMPILED_KEPT; index++) await prepare(`plan ${index}`);
  await prepare("plan 0");
  await prepare("one more");
  await prepare("plan 0");
  expect(compiled).toHaveLength(COMPILED_KEPT + 1);
  await prepare("plan 1");
  expect(compiled.at(-1)).toBe("plan 1");
});
