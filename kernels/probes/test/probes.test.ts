import {
  checkPlan,
  DEFAULT_CAPABILITIES,
  DEFAULT_LIMITS,
  flatSteps,
  type PortData,
  type Probe,
} from "@tunelab/contract";
import { describe, expect, test } from "vitest";
import { anchors, arithmeticAnchor, memoryAnchor, probes } from "../src/index.ts";
import { open } from "./dawn.ts";

const SCALES = [1, 1.5, 2, 128, 200, 4096, 2 ** 20];

/** What the device of an H200 grants. */
const RAISED = {
  ...DEFAULT_CAPABILITIES,
  limits: { ...DEFAULT_LIMITS, maxStorageBufferBindingSize: 2_147_483_644, maxBufferSize: 2 ** 40 },
};

const named = (name: string): Probe => probes.find((probe) => probe.name === name)!;

test("every ceiling is probed, names are unique and the anchors are among the probes", () => {
  expect(new Set(probes.map(({ ceiling }) => ceiling))).toEqual(
    new Set([
      ...["fma", "copy", "read", "workgroup", "dispatch", "dispatch-alone", "indirect"],
      ...["subgroup", "units"],
    ]),
  );
  expect(new Set(probes.map(({ name }) => name)).size).toBe(probes.length);
  expect(probes).toContain(anchors.arithmetic);
  expect(probes).toContain(anchors.memory);
  expect([arithmeticAnchor.ceiling, memoryAnchor.ceiling]).toEqual(["fma", "copy"]);
});

describe.each(probes.map((probe) => [probe.name, probe] as const))("%s", (_name, probe) => {
  test("gives well-formed plans at every scale, within what the device grants", () => {
    for (const capabilities of [DEFAULT_CAPABILITIES, RAISED]) {
      for (const scale of SCALES) {
        const plan = probe.plan(capabilities, scale);
        expect(checkPlan(plan)).toEqual([]);
        const bytes = plan.buffers.map(({ fixedBytes }) => fixedBytes);
        expect(Math.max(...bytes)).toBeLessThanOrEqual(capabilities.limits.maxStorageBufferBindingSize);
        expect(Math.max(...bytes)).toBeLessThanOrEqual(2 ** 30);
        expect(plan.steps.length).toBeLessThan(2200);
        for (const step of flatSteps(plan.steps)) {
          if (step.kind === "dispatch") expect(Number.isInteger(step.groups.fixed)).toBe(true);
        }
      }
    }
  });

  test("does more work at a larger scale, until it stops growing", () => {
    const amounts = SCALES.map((scale) => probe.amount(RAISED, scale));
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
    expect(probe.amount(RAISED, 2)).toBe(2 * probe.amount(RAISED, 1));
    expect(amounts.every(Number.isSafeInteger)).toBe(true);
  });

  test("has text without bit masks, within WebGPU's default workgroup limits", () => {
    const [module] = probe.plan(DEFAULT_CAPABILITIES, 1).modules;
    expect(module!.wgsl).not.toMatch(/[&|^]|>>|<</);
    for (const [, size] of module!.wgsl.matchAll(/@workgroup_size\((\d+)\)/g)) {
      expect(Number(size)).toBeLessThanOrEqual(256);
    }
    for (const [, count] of module!.wgsl.matchAll(/var<workgroup> \w+: array<vec4f, (\d+)>/g)) {
      expect(Number(count) * 16).toBeLessThanOrEqual(16_384);
    }
    // One text at every scale: growing the work compiles nothing.
    expect(probe.plan(RAISED, 4096).modules[0]!.wgsl).toBe(module!.wgsl);
  });

  test("refuses outputs of the wrong length and missing ones", () => {
    expect(probe.verify({}, DEFAULT_CAPABILITIES, 1)).toBe(false);
    for (const port of ["sums", "sampled", "count", "results"]) {
      expect(probe.verify({ [port]: new Uint32Array(2) }, DEFAULT_CAPABILITIES, 1)).toBe(false);
    }
  });
});

test("Dawn accepts every text, binding and dispatch at WebGPU's default limits", async () => {
  const { executor, capabilities, device } = await open("null", false);
  const errors: string[] = [];
  device.onuncapturederror = ({ error }) => errors.push(error.message);
  const unable = probes.filter(
    ({ name }) => name.startsWith("subgroup") && !capabilities.features.includes("subgroups"),
  );
  for (const probe of probes) {
    if (unable.includes(probe)) continue;
    for (const scale of [1, 100]) {
      const prepared = await executor.prepare(probe.plan(capabilities, scale));
      const instance = await prepared.bind(probe.inputs(capabilities, scale));
      await instance.run();
      // The null backend computes nothing, and no probe takes that for an answer.
      expect(probe.verify(await instance.read(), capabilities, scale)).toBe(false);
      instance.dispose();
    }
  }
  expect(errors).toEqual([]);
});

test("at the top scale the multiply-add sums are still exact in f32, and one wrong bit is seen", () => {
  const top = 2 ** 20;
  for (const [name, lanes] of [
    ["fma-f32", 8],
    ["fma-vec4", 32],
  ] as const) {
    const probe = named(name);
    const plan = probe.plan(DEFAULT_CAPABILITIES, top);
    const { groups, rounds } = plan.extents as { groups: number; rounds: number };
    expect(probe.amount(DEFAULT_CAPABILITIES, top)).toBe(groups * 256 * rounds * 512 * 2);
    const links = (rounds * 512) / lanes;
    const ends = Array.from({ length: 64 + lanes }, (_, start) => {
      let x = start;
      for (let link = 0; link < links; link++) x = Math.fround(x * 1 + 1);
      return x;
    });
    const sums = new Float32Array(groups * 256);
    for (let index = 0; index < sums.length; index++) {
      if (index >= 64) sums[index] = sums[index % 64]!;
      else {
        let sum = 0;
        for (let lane = 0; lane < lanes; lane++) sum = Math.fround(sum + ends[index + lane]!);
        sums[index] = sum;
      }
    }
    expect(probe.verify({ sums }, DEFAULT_CAPABILITIES, top)).toBe(true);
    sums[sums.length - 5]! += 1;
    expect(probe.verify({ sums }, DEFAULT_CAPABILITIES, top)).toBe(false);
  }
});

test("at the top scale the sums of workgroup reads are still exact in f32", () => {
  const probe = named("workgroup-read");
  const top = 2 ** 20;
  const { groups, rounds } = probe.plan(DEFAULT_CAPABILITIES, top).extents as {
    groups: number;
    rounds: number;
  };
  expect(probe.amount(DEFAULT_CAPABILITIES, top)).toBe(groups * 256 * rounds * 16 * 16);
  const classes = Array.from({ length: 16 }, (_, start) => {
    let component = 0;
    for (let step = 0; step < rounds * 8; step++) {
      for (let row = 0; row < 2; row++) component = Math.fround(component + ((start + step) % 16));
    }
    return Math.fround(component * 4);
  });
  const sums = new Float32Array(groups * 256).map(
    (_, index) => classes[(Math.floor(index / 256) + (index % 256)) % 16]!,
  );
  expect(probe.verify({ sums } satisfies PortData, DEFAULT_CAPABILITIES, top)).toBe(true);
});

test("on a large device the copy's buffers grow to 1 GiB, then the copies of a run", () => {
  const sizes = [1, 8, 64, 512, 2 ** 20].map((scale) => {
    const plan = memoryAnchor.plan(RAISED, scale);
    return [
      plan.buffers[0]!.fixedBytes / 2 ** 20,
      plan.steps.filter(({ kind }) => kind === "dispatch").length - 1,
    ];
  });
  expect(sizes).toEqual([
    [16, 1],
    [128, 1],
    [1024, 1],
    [1024, 8],
    [1024, 64],
  ]);
  expect(memoryAnchor.plan(RAISED, 64).requires.limits).toEqual({
    maxStorageBufferBindingSize: 2 ** 30,
    maxBufferSize: 2 ** 30,
  });
  expect(memoryAnchor.plan(DEFAULT_CAPABILITIES, 64).buffers[0]!.fixedBytes).toBe(2 ** 27);
});

test("every probe of global memory gives what its fill and its arithmetic must, word for word", () => {
  const scatter = 2654435761;
  const read = named("read-256x8");
  const plan = read.plan(DEFAULT_CAPABILITIES, 1);
  const { vectors, stretch } = plan.extents as { vectors: number; stretch: number };
  const sampled = Uint32Array.from({ length: 1024 }, (_, sample) => {
    const invocation = sample * stretch + ((Math.imul(sample, scatter) >>> 0) % stretch);
    let sum = 0n;
    for (let part = 0; part < 8; part++) {
      const vector = Math.floor(invocation / 256) * 2048 + (invocation % 256) + part * 256;
      for (let c = 0; c < 4; c++) sum += (BigInt(vector * 4 + c) * BigInt(scatter)) % 2n ** 32n;
    }
    return Number(sum % 2n ** 32n);
  });
  expect(read.amount(DEFAULT_CAPABILITIES, 1)).toBe(vectors * 16 + vectors / 2);
  expect(read.verify({ sampled }, DEFAULT_CAPABILITIES, 1)).toBe(true);
  sampled[77]! ^= 1;
  expect(read.verify({ sampled }, DEFAULT_CAPABILITIES, 1)).toBe(false);
});

test("subgroup results are those of any width, in f32, at the top scale", () => {
  const top = 2 ** 20;
  for (const width of [4, 8, 32, 64]) {
    for (const name of ["subgroup-shuffle", "subgroup-add"]) {
      const probe = named(name);
      const { groups, rounds } = probe.plan(DEFAULT_CAPABILITIES, top).extents as Record<string, number>;
      let lanes = Float32Array.from({ length: width }, (_, lane) => lane % 2);
      for (let operation = 0; operation < rounds! * 32; operation++) {
        const before = lanes;
        const sum = before.reduce((total, value) => Math.fround(total + value), 0);
        lanes = before.map((_, lane) =>
          name === "subgroup-add"
            ? Math.fround(sum / width) + 1
            : before[lane % 2 ? lane - 1 : lane + 1]! + 1,
        );
      }
      const results = new Float32Array(groups! * 256).map((_, index) => 2 * lanes[index % width]! + 1);
      expect(probe.verify({ results }, DEFAULT_CAPABILITIES, top), `${name} at ${width}`).toBe(true);
      results[300]! += 1;
      expect(probe.verify({ results }, DEFAULT_CAPABILITIES, top)).toBe(false);
    }
  }
});

test("the compute unit probe dispatches as many workgroups as its scale, each with the same work", () => {
  const probe = named("units");
  const groups = [1, 3.7, 132, 2 ** 20].map(
    (scale) => probe.plan(DEFAULT_CAPABILITIES, scale).extents.groups,
  );
  expect(groups).toEqual([1, 3, 132, 32_768]);
  const rounds = [1, 132].map((scale) => probe.plan(DEFAULT_CAPABILITIES, scale).extents.rounds);
  expect(rounds[0]).toBe(rounds[1]);
});
