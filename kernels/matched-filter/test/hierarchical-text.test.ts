import {
  type Capabilities,
  type Config,
  checkPlan,
  DEFAULT_CAPABILITIES,
  planHash,
  supports,
} from "@tunelab/contract";
import { capabilitiesOf, Executor, requestDeviceFor } from "@tunelab/executor";
import { checkConfig, checkSpace, countValid, formatId, randomFrom, sample } from "@tunelab/variants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import { declaredWorkgroupBytes } from "../../../test/declared.ts";
import { type MatchedFilterProblem, tileFused, twoKernel } from "../src/index.ts";

Object.assign(globalThis, globals);
// Referenced for as long as devices live, or the process crashes in the driver thread.
const gpu = create(["backend=null"]);

const lengths = [256, 512, 1024, 2048, 4096, 8192, 16_384];
const problem = (n: number): MatchedFilterProblem => ({ n, data: 2, templates: 3, pairs: 6, threshold: 1 });
const algorithms = [twoKernel, tileFused] as const;

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

/** The default, and it without the parameters that were added later. */
function plainOf(
  algorithm: (typeof algorithms)[number],
  p: MatchedFilterProblem,
): { readonly defaults: Config; readonly plain: Config } {
  const defaults: Config = algorithm.defaultConfig(p, DEFAULT_CAPABILITIES);
  const kept = Object.entries(defaults).filter(([name]) => !/(Index|Unroll|Shuffle)$/.test(name));
  return { defaults, plain: Object.fromEntries(kept) };
}

describe("the texts of the hierarchical matched filters", () => {
  for (const algorithm of algorithms) {
    it(`${algorithm.name}: every sampled variant compiles, and claims what its text declares`, async () => {
      for (const n of lengths) {
        const space = algorithm.space(problem(n)) as Parameters<typeof sample>[0];
        for (const config of sample(space, randomFrom(n), 2)) {
          const plan = algorithm.plan(problem(n), config as never, capabilities);
          const id = `n=${n} ${formatId(algorithm.name, space, config)}`;
          expect(checkPlan(plan), id).toEqual([]);
          const resources = algorithm.resources(problem(n), config as never);
          const declared = Math.max(...plan.modules.map(({ wgsl }) => declaredWorkgroupBytes(wgsl)));
          expect(resources.workgroupBytes, id).toBe(declared);
          const sizes = plan.modules.map(({ wgsl }) => Number(/@workgroup_size\((\d+)\)/.exec(wgsl)?.[1]));
          expect(resources.invocations, id).toBe(Math.max(...sizes));
          const storage = (step: (typeof plan.steps)[number]): number =>
            "bindings" in step ? step.bindings.filter(({ access }) => access !== "uniform").length : 0;
          const most = Math.max(...plan.steps.map(storage));
          expect(resources.storageBuffers, id).toBe(most);
          const enabled = plan.modules.some(({ wgsl }) => /^enable subgroups;/m.test(wgsl));
          expect(resources.features, id).toEqual(enabled ? ["subgroups"] : []);
          // Masks and loops over levels are there to be compared with the rest, and clamped.
          const proven = !/Index=mask|Unroll=false/.test(id);
          for (const { wgsl } of plan.modules) if (proven) expect(wgsl, id).not.toMatch(/\[[^\]]* [&|^] /);
          if (supports(resources, capabilities).supported) await executor.prepare(plan);
        }
      }
    });

    it(`${algorithm.name}: the default configuration is valid and fits WebGPU's default limits at every length`, () => {
      for (const n of lengths) {
        const config = algorithm.defaultConfig(problem(n), DEFAULT_CAPABILITIES) as never;
        const fits = supports(algorithm.resources(problem(n), config), DEFAULT_CAPABILITIES);
        expect(fits).toEqual({ supported: true });
        expect(checkConfig(algorithm.space(problem(n)) as never, config)).toBeUndefined();
      }
    });

    it(`${algorithm.name}: the space is well formed, and empty without a threshold or a band, in no time`, () => {
      const spaceOf = (p: MatchedFilterProblem) => algorithm.space(p) as Parameters<typeof countValid>[0];
      expect(checkSpace(spaceOf(problem(4096)))).toEqual([]);
      expect(countValid(spaceOf(problem(4096)))).toBeGreaterThan(1e9);
      const { threshold: _, ...flat } = problem(4096);
      for (const none of [flat, problem(128)]) {
        expect(countValid(spaceOf(none))).toBe(0);
        const config = algorithm.defaultConfig(none, DEFAULT_CAPABILITIES) as never;
        expect(supports(algorithm.resources(none, config), DEFAULT_CAPABILITIES)).toEqual({
          supported: true,
        });
      }
    });

    it(`${algorithm.name}: thresholds and numbers of spectra and pairs travel in the extents and change no text`, () => {
      const config = algorithm.defaultConfig(problem(256), DEFAULT_CAPABILITIES) as never;
      const texts = (p: MatchedFilterProblem): string =>
        algorithm
          .plan(p, config, capabilities)
          .modules.map(({ wgsl }) => wgsl)
          .join();
      const other = { n: 256, data: 9, templates: 7, pairs: 63, threshold: 3 };
      expect(texts(other)).toBe(texts(problem(256)));
      expect(algorithm.plan(other, config, capabilities).extents).toEqual({
        threshold: 0x40400000,
        spectra: 9,
        filters: 7,
      });
    });
  }

  it("coarse and refining halves have configurations of their own, and no factor of the coarse one is computed on the device", () => {
    const { parameters } = twoKernel.space(problem(4096));
    const names = parameters.map(({ name }) => name);
    const flat = ["Radix", "Butterfly", "Chunk", "Staging", "Padding", "Gap", "Twiddles"];
    for (const knob of [...flat, "Index", "Unroll", "Shuffle"]) {
      expect(names).toEqual(expect.arrayContaining([`coarse${knob}`, `refine${knob}`]));
    }
    const twiddles = (part: string) => parameters.find(({ name }) => name === `${part}Twiddles`)!.values;
    expect(twiddles("refine")).toContain("direct");
    expect(twiddles("coarse").every((value) => /^(table|constant)/.test(String(value)))).toBe(true);
  });

  it("an id without the parameters added later is the id with each at its plain value, and its text", async () => {
    for (const algorithm of algorithms) {
      const p = problem(1024);
      const space = algorithm.space(p) as Parameters<typeof formatId>[1];
      const { defaults, plain } = plainOf(algorithm, p);
      expect(formatId(algorithm.name, space, defaults)).toBe(formatId(algorithm.name, space, plain));
      expect(formatId(algorithm.name, space, plain)).not.toMatch(/Index|Unroll|Shuffle/);
      const hash = (config: Config) => planHash(algorithm.plan(p, config as never, capabilities));
      expect(await hash(plain)).toBe(await hash(defaults));
    }
  });
});
