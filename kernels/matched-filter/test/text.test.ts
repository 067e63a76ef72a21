import { type Capabilities, checkPlan, DEFAULT_CAPABILITIES, planHash, supports } from "@tunelab/contract";
import { capabilitiesOf, Executor, requestDeviceFor } from "@tunelab/executor";
import { checkConfig, countValid, formatId, randomFrom, sample } from "@tunelab/variants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import { declaredWorkgroupBytes } from "../../../test/declared.ts";
import {
  corrReduce,
  fourStep,
  fused,
  type MatchedFilterProblem,
  operation,
  tileFused,
  twoKernel,
} from "../src/index.ts";

Object.assign(globalThis, globals);
// Referenced for as long as devices live, or the process crashes in the driver thread.
const gpu = create(["backend=null"]);

const LENGTHS = Array.from({ length: 15 }, (_, index) => 64 * 2 ** index);
const problem = (n: number): MatchedFilterProblem => ({ n, data: 2, templates: 3, pairs: 6 });
const algorithms = [fused, corrReduce, fourStep] as const;
/** Lengths that an algorithm has variants for, asked for or not. */
const lengthsOf = (algorithm: string): number[] =>
  LENGTHS.filter((n) => (algorithm === "four-step" ? n >= 256 : n <= 16_384));

let executor: Executor;
let capabilities: Capabilities;

beforeAll(async () => {
  const adapter = (await gpu.requestAdapter())!;
  const device = await requestDeviceFor(adapter);
  capabilities = capabilitiesOf(device, adapter.info);
  executor = new Executor(device, capabilities, { clock: performance });
});

afterAll(() => {
  executor.dispose();
  executor.device.destroy();
});

describe("the texts of the matched filter", () => {
  for (const algorithm of algorithms) {
    it(`${algorithm.name}: every sampled variant of every length compiles, and claims what its text declares`, async () => {
      for (const n of lengthsOf(algorithm.name)) {
        const space = algorithm.space(problem(n)) as Parameters<typeof sample>[0];
        for (const config of sample(space, randomFrom(n), 3)) {
          const plan = algorithm.plan(problem(n), config as never, capabilities);
          const id = `n=${n} ${formatId(algorithm.name, space, config)}`;
          expect(checkPlan(plan), id).toEqual([]);
          const resources = algorithm.resources(problem(n), config as never);
          const declared = Math.max(...plan.modules.map(({ wgsl }) => declaredWorkgroupBytes(wgsl)));
          expect(resources.workgroupBytes, id).toBe(declared);
          const sizes = plan.modules.map(({ wgsl }) => Number(/@workgroup_size\((\d+)\)/.exec(wgsl)?.[1]));
          expect(resources.invocations, id).toBe(Math.max(...sizes));
          const bound = Math.max(
            ...plan.steps.map((step) =>
              "bindings" in step ? step.bindings.filter(({ access }) => access !== "uniform").length : 0,
            ),
          );
          expect(resources.storageBuffers, id).toBe(bound);
          const enabled = plan.modules.some(({ wgsl }) => /^enable subgroups;/m.test(wgsl));
          expect(resources.features, id).toEqual(enabled ? ["subgroups"] : []);
          if (supports(resources, capabilities).supported) await executor.prepare(plan);
        }
      }
    });

    it(`${algorithm.name}: no index is masked with & | or ^, which the compiler would clamp, but where that is asked for`, () => {
      for (const n of lengthsOf(algorithm.name)) {
        const space = algorithm.space(problem(n)) as Parameters<typeof sample>[0];
        for (const config of sample(space, randomFrom(n + 1), 4)) {
          for (const { wgsl } of algorithm.plan(problem(n), config as never, capabilities).modules) {
            if (config.index !== "mask") expect(wgsl).not.toMatch(/ [&|^] /);
          }
        }
      }
    });

    it(`${algorithm.name}: the default configuration fits WebGPU's default limits at every length`, () => {
      for (const n of lengthsOf(algorithm.name)) {
        const config = algorithm.defaultConfig(problem(n), DEFAULT_CAPABILITIES);
        expect(supports(algorithm.resources(problem(n), config as never), DEFAULT_CAPABILITIES)).toEqual({
          supported: true,
        });
        expect(checkConfig(algorithm.space(problem(n)) as never, config as never)).toBeUndefined();
      }
    });
  }

  it("every length has an algorithm that answers, one workgroup's or four-step, and at 16384 both", () => {
    for (const n of LENGTHS) {
      const answering = algorithms.filter(({ name }) => operation.answers!(name, problem(n)));
      const [one, several] = [["fused", "corr-reduce"], ["four-step"]];
      const want = n < 16_384 ? one : n === 16_384 ? [...one, ...several] : several;
      expect(answering.map(({ name }) => name)).toEqual(want);
    }
    for (const name of ["two-kernel", "tile-fused"]) {
      expect(operation.answers!(name, { ...problem(16_384), threshold: 1 })).toBe(true);
      expect(operation.answers!(name, { ...problem(32_768), threshold: 1 })).toBe(false);
    }
    for (const algorithm of [twoKernel, tileFused] as const) {
      const long = { ...problem(32_768), threshold: 1 };
      expect(countValid(algorithm.space(long) as Parameters<typeof countValid>[0])).toBe(0);
    }
  });

  it("every length has a default for a device of 128 invocations, as compatibility mode grants: four-step's from 16384 on", () => {
    const few: Capabilities = {
      ...DEFAULT_CAPABILITIES,
      limits: { ...DEFAULT_CAPABILITIES.limits, maxComputeInvocationsPerWorkgroup: 128 },
    };
    for (const n of LENGTHS) {
      const fitting = algorithms.filter((algorithm) => {
        const config = algorithm.defaultConfig(problem(n), few) as never;
        const outside = checkConfig(algorithm.space(problem(n)) as never, config);
        const { supported } = supports(algorithm.resources(problem(n), config), few);
        return operation.answers!(algorithm.name, problem(n)) && !outside && supported;
      });
      const want = n < 16_384 ? ["fused", "corr-reduce"] : ["four-step"];
      expect(
        fitting.map(({ name }) => name),
        `n = ${n}`,
      ).toEqual(want);
    }
  });

  for (const algorithm of [fused, corrReduce] as const) {
    it(`${algorithm.name}: a length beyond one workgroup has no variant, and says which algorithm has`, () => {
      const space = algorithm.space(problem(32_768)) as Parameters<typeof sample>[0];
      expect(countValid(space)).toBe(0);
      const config = algorithm.defaultConfig(problem(32_768), DEFAULT_CAPABILITIES);
      expect(() => algorithm.plan(problem(32_768), config as never, capabilities)).toThrow(
        /one workgroup transforms up to 16384 points, not 32768: choose four-step/,
      );
    });
  }

  it("four-step: a length too short to split has no variant, and says which algorithm has", () => {
    expect(countValid(fourStep.space(problem(128)))).toBe(0);
    const config = fourStep.defaultConfig(problem(256), DEFAULT_CAPABILITIES);
    expect(() => fourStep.plan(problem(128), config, capabilities)).toThrow(
      /128 points are too few to split, 256 at least: choose fused/,
    );
  });

  it("fused: a new number of pairs changes no text, a new length does", async () => {
    const config = fused.defaultConfig(problem(256), DEFAULT_CAPABILITIES);
    const text = (p: MatchedFilterProblem): string => fused.plan(p, config, capabilities).modules[0]!.wgsl;
    expect(text({ n: 256, data: 9, templates: 9, pairs: 81 })).toBe(text(problem(256)));
    expect(text({ ...problem(512) })).not.toBe(text(problem(256)));
    const hash = (p: MatchedFilterProblem): Promise<string> => planHash(fused.plan(p, config, capabilities));
    expect(await hash(problem(256))).toBe(await hash(problem(256)));
  });

  it("a threshold travels in the extents: another one changes no text, none is another text", () => {
    for (const algorithm of algorithms) {
      const config = algorithm.defaultConfig(problem(256), DEFAULT_CAPABILITIES) as never;
      const plan = (threshold?: number) =>
        algorithm.plan({ ...problem(256), ...(threshold ? { threshold } : {}) }, config, capabilities);
      const text = (threshold?: number): string =>
        plan(threshold)
          .modules.map(({ wgsl }) => wgsl)
          .join();
      expect(text(2)).toBe(text(1));
      expect(text()).not.toBe(text(1));
      expect(plan(1).extents).toEqual({ threshold: 0x3f800000 });
      expect(plan().extents).toEqual({});
    }
  });

  it("the space of fused at n = 4096 has thousands of variants", () => {
    expect(countValid(fused.space(problem(4096)))).toBeGreaterThan(2000);
  });

  const refusals: [Record<string, number | string>, RegExp][] = [
    [{ n: 100, data: 1, templates: 1, pairs: 1 }, /n is 100, not a power of two from 64 to 1048576/],
    [{ n: 2_097_152, data: 1, templates: 1, pairs: 1 }, /n is 2097152/],
    [{ n: 64, data: 0, templates: 1, pairs: 1 }, /data is 0, not a positive integer/],
    [{ n: 64, data: 1, templates: 1, pairs: Number.NaN }, /pairs is NaN/],
    [{ n: 64, data: 1, templates: 1 }, /pairs is undefined/],
    [{ n: 64, data: 1, templates: 1, pairs: 1, m: 2 }, /no dimension m/],
    [
      { n: 64, data: 1, templates: 1, pairs: 1, threshold: 0 },
      /threshold is 0, not a positive float32 number/,
    ],
    [{ n: 64, data: 1, templates: 1, pairs: 1, threshold: 1e-60 }, /threshold is 1e-60/],
    [{ n: 64, data: 1, templates: 1, pairs: 1, threshold: "high" }, /threshold is high/],
  ];
  for (const [bad, message] of refusals) {
    it(`a problem ${JSON.stringify(bad)} is refused in one line`, () => {
      expect(operation.refuse(bad as never)).toMatch(message);
    });
  }
});
