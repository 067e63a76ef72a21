import type { MeasurePhase, MeasureRequest } from "@tunelab/contract";
import { capabilitiesOf } from "@tunelab/executor";
import { beforeAll, describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import { createHarness, type Harness } from "../src/index.ts";
import { toyProbe, toySuite } from "./toy.ts";

Object.assign(globalThis, globals);
// Referenced as long as devices live, or the process crashes.
const gpu = create(["backend=null"]);

/** Dawn's null backend: validates everything and computes nothing. */
async function nullHarness() {
  const adapter = (await gpu.requestAdapter())!;
  const device = await adapter.requestDevice();
  const phases: MeasurePhase[] = [];
  const suite = toySuite();
  // A clock that moves by itself at each look: no real time takes part.
  let now = 0;
  const clock = {
    now: () => {
      now += 0.5;
      return now;
    },
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
  };
  const identity = {
    implementation: "dawn",
    implementationVersion: "0.6.2",
    compiler: "tint",
    backend: "null",
    vendor: "",
    architecture: "",
    device: "null",
    description: "",
    driver: "",
    adapterType: "unknown" as const,
  };
  const harness = createHarness({
    device,
    info: { capabilities: capabilitiesOf(device, adapter.info), identity },
    clock,
    suite: async () => suite,
    probes: [toyProbe()],
    onPhase: (phase) => phases.push(phase),
  });
  return { harness, device, phases };
}

const request = (algorithm: string, more: Partial<MeasureRequest> = {}): MeasureRequest => ({
  operation: "toy",
  algorithm,
  problem: { n: 256 },
  config: { workgroup: 64 },
  isDefault: true,
  grade: "screened",
  seeds: [1, 2],
  oracleSample: 4,
  ...more,
});

describe("a harness", () => {
  it("has no tick on a device without timestamps", async () => {
    expect(await (await nullHarness()).harness.tickNs()).toBe(0);
  });

  it("runs requests one after another, though they come at once, and ends idle", async () => {
    const { harness, phases } = await nullHarness();
    await Promise.all([harness.measure(request("right")), harness.measure(request("right"))]);
    const one = ["plan", "compile", "verify", "idle"];
    expect(phases).toEqual([...one, ...one]);
  });

  it("leaves no buffer behind, whatever became of the variant", async () => {
    const { harness, device } = await nullHarness();
    let live = 0;
    const createBuffer = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = createBuffer(descriptor);
      live += 1;
      const destroy = buffer.destroy.bind(buffer);
      buffer.destroy = () => {
        live -= 1;
        return destroy();
      };
      return buffer;
    };
    for (const algorithm of ["right", "huge", "untyped"]) await harness.measure(request(algorithm));
    const after = live;
    for (const algorithm of ["right", "huge", "untyped"]) await harness.measure(request(algorithm));
    expect(live).toBe(after);
  });

  it("plans a padded variant apart from the plain one, and refuses padding over the device's limit", async () => {
    const { harness } = await nullHarness();
    const plain = await harness.measure(request("right"));
    const padded = await harness.measure(request("right", { altered: { paddingBytes: 1_024 } }));
    expect(padded.planHash).not.toBe(plain.planHash);
    expect(padded.resources!.workgroupBytes).toBe(plain.resources!.workgroupBytes + 1_024);
    // The text compiles: what stops it here is that the null device computes nothing.
    expect(padded.status).toBe(plain.status);
    const huge = await harness.measure(request("right", { altered: { paddingBytes: 2 ** 24 } }));
    expect(huge).toMatchObject({
      status: "refused",
      reason: expect.stringContaining("bytes of workgroup memory"),
    });
    const collapsed = await harness.measure(request("right", { altered: { collapsed: true } }));
    expect(collapsed).toMatchObject({
      status: "refused",
      reason: expect.stringContaining("no index buffer"),
    });
  });

  it("is not stopped by a request that was rejected", async () => {
    const { harness } = await nullHarness();
    await expect(harness.measure(request("unheard"))).rejects.toMatchObject({ kind: "usage" });
    expect((await harness.measure(request("untyped"))).status).toBe("compile-failed");
  });
});

describe("a variant that cannot be launched has a status, a reason and no time", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = (await nullHarness()).harness;
  });

  it.each([
    [
      "wants more workgroup memory",
      "greedy",
      {},
      "refused",
      /needs 1048576 bytes of workgroup memory, the device grants/,
    ],
    [
      "has text that does not compile",
      "untyped",
      {},
      "compile-failed",
      /line 15.*unresolved value 'nothing'/,
    ],
    ["has a plan that names no module", "malformed", {}, "validation", /the plan is malformed: .*missing/],
    ["has no plan", "throwing", {}, "refused", /no plan for this/],
    ["wants a terabyte", "huge", {}, "refused", /buffer huge needs/],
    [
      "is outside its space",
      "right",
      { config: { workgroup: 96 } },
      "refused",
      /workgroup=96 is not one of 64, 128/,
    ],
    [
      "breaks a constraint",
      "right",
      { config: { workgroup: 128 } },
      "refused",
      /constraint small: at most 64/,
    ],
    [
      "has a problem that the operation refuses",
      "right",
      { problem: { n: 0 } },
      "refused",
      /n=0 is not positive/,
    ],
  ] as const)("when it %s", async (_why, algorithm, more, status, reason) => {
    const outcome = await harness.measure(request(algorithm, more));
    expect(outcome.status).toBe(status);
    expect(outcome.reason).toMatch(reason);
    expect(outcome.reason).not.toContain("\n");
    expect(outcome.timing).toBeUndefined();
  });
});

describe("a variant that is fast because it computes nothing", () => {
  it("is wrong, with a verdict and without a time", async () => {
    const { harness } = await nullHarness();
    const outcome = await harness.measure(request("right"));
    expect(outcome).toMatchObject({
      status: "wrong",
      variant: "right/workgroup=64",
      epoch: 3,
      isDefault: true,
      seeds: [1],
      work: { flops: 256 },
      verdict: { total: 256 },
      resources: { workgroupBytes: 0, invocations: 64 },
      cut: { pieces: 1, boundBy: "whole" },
    });
    expect(outcome.planHash).toMatch(/^[0-9a-f]{16}$/);
    expect(outcome.timing).toBeUndefined();
  });
});

describe("requests that are nobody's variant reject", () => {
  it.each([
    [
      "an unknown algorithm, naming those there are",
      { algorithm: "unheard" },
      /toy has no algorithm unheard: choose right, wrong/,
    ],
    ["no seeds", { seeds: [] }, /at least one input seed/],
  ])("for %s", async (_what, more, message) => {
    const { harness } = await nullHarness();
    await expect(harness.measure(request("right", more))).rejects.toThrow(message);
  });
});

describe("a device that is lost in mid-session", () => {
  it("gives the running and all later requests that status", async () => {
    const { harness, device } = await nullHarness();
    expect((await harness.measure(request("right"))).status).toBe("wrong");
    device.destroy();
    for (const grade of ["screened", "certified"] as const) {
      expect(await harness.measure(request("right", { grade }))).toMatchObject({
        status: "device-lost",
        variant: "right/workgroup=64",
        reason: expect.stringContaining("lost"),
      });
    }
  });
});

describe("ceilings", () => {
  it("leave out a probe that computed nothing", async () => {
    const { harness } = await nullHarness();
    const { readings, tickNs, ...rates } = await harness.ceilings();
    expect(rates).toEqual({});
    expect(tickNs).toBeGreaterThan(0);
    expect(readings!.length).toBeGreaterThan(0);
    for (const { reason, perSecond } of readings!) {
      expect(reason).toBeTruthy();
      expect(perSecond).toBeUndefined();
    }
  });
});
