import { type Config, DEFAULT_CAPABILITIES, supports } from "@tunelab/contract";
import { checkConfig } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import {
  type ExchangeOptions,
  inputPosition,
  lanesOf,
  memoryExchanges,
  oneWorkgroup,
  outputPosition,
  paired,
  RADICES,
  shapeOf,
  shuffled,
  simulate,
} from "../src/index.ts";
import { bitsOf, planOf, runOnCpu } from "./cpu.ts";
import { dft, noise, worst } from "./dft.ts";

const LANES = [4, 8, 16, 32, 64] as const;

describe("a shape with exchanges through shuffles", () => {
  for (const n of [64, 128, 256, 512]) {
    it(`is the float64 DFT at n = ${n} for every radix, thread count and width, with and without pairs`, () => {
      const input = noise(n, n);
      const truth = dft(input, -1);
      let found = 0;
      for (const radix of RADICES) {
        for (let threads = 2; threads * radix <= n; threads *= 2) {
          for (const base of [
            shapeOf(n, radix, threads),
            threads * radix * 2 <= n && paired(shapeOf(n, radix, threads)),
          ]) {
            if (!base) continue;
            for (const lanes of LANES) {
              const shape = shuffled(base, lanes);
              if (lanesOf(shape) !== lanes) continue;
              found++;
              const options: ExchangeOptions = {
                chunk: Math.max(1, n / threads / 2),
                staging: "whole",
                padding: 8,
                gap: 1,
              };
              const where = `radix ${radix} threads ${threads} lanes ${lanes}`;
              expect(worst(simulate(shape, options, -1, input), truth), where).toBeLessThan(1e-12);
              const [first, last] = [shape.passes[0]!, shape.passes.at(-1)!];
              const all = (position: typeof inputPosition, pass: typeof first): number =>
                new Set(
                  Array.from({ length: n }, (_, i) =>
                    position(shape, pass, i % threads, Math.floor(i / threads)),
                  ),
                ).size;
              expect([all(inputPosition, first), all(outputPosition, last)], where).toEqual([n, n]);
            }
          }
        }
      }
      expect(found).toBeGreaterThan(8);
    });
  }

  it("has a 16-point group for each of the 16 x 16 points of one subgroup: no exchange goes through memory", () => {
    const shape = shuffled(shapeOf(256, 16, 16), 16);
    expect(shape.passes.map(({ handover }) => handover?.swaps.length)).toEqual([undefined, 4]);
    expect([lanesOf(shape), memoryExchanges(shape)]).toEqual([16, 0]);
  });

  it("at 4096 points keeps its loads in order, and shuffles the last of two exchanges within 16 threads, or 8 with pairs", () => {
    const plain = shuffled(shapeOf(4096, 16, 256), 32);
    expect([lanesOf(plain), memoryExchanges(plain)]).toEqual([16, 1]);
    expect(plain.passes[0]).toEqual(shapeOf(4096, 16, 256).passes[0]);
    const two = shuffled(paired(shapeOf(4096, 16, 128)), 32);
    expect([lanesOf(two), memoryExchanges(two)]).toEqual([8, 1]);
    expect(two.passes[0]).toEqual(paired(shapeOf(4096, 16, 128)).passes[0]);
  });

  it("reaches no thread beyond its lanes", () => {
    for (const lanes of LANES) {
      for (const threads of [8, 16, 64, 256]) {
        for (const { handover } of shuffled(shapeOf(4096, 8, threads), lanes).passes) {
          for (const { thread } of handover?.swaps ?? []) expect(2 ** thread).toBeLessThan(lanes);
        }
      }
    }
  });
});

const BASE: Config = {
  radix: 4,
  butterfly: "split",
  workgroup: 16,
  chunk: 16,
  staging: "whole",
  padding: 0,
  gap: 1,
  twiddles: "table",
  transforms: 1,
  loads: "scalar",
  index: "modulo",
  unroll: true,
  shuffle: 0,
};
const problem = { n: 256, batch: 3, direction: "forward" } as const;

/** A variant for each width at which some exchange can be shuffled. */
const VARIANTS: readonly (readonly [lanes: number, config: Config])[] = [
  [4, { ...BASE, workgroup: 64, chunk: 4 }],
  [8, { ...BASE, radix: 8, workgroup: 32, chunk: 4, transforms: 2 }],
  [16, { ...BASE, radix: 16, workgroup: 16, transforms: 4 }],
  [32, { ...BASE, radix: 8, workgroup: 32, chunk: 8, transforms: 2 }],
  [64, { ...BASE, workgroup: 64, chunk: 4 }],
];

describe("the text of a transform with shuffles, run on the CPU", () => {
  for (const [lanes, plain] of VARIANTS) {
    const config = { ...plain, shuffle: lanes };
    it(`for ${lanes} lanes gives the bits of memory at ${lanes} and every wider width, without a race`, () => {
      expect(checkConfig(oneWorkgroup.space(problem), config as never)).toBeUndefined();
      const want = bitsOf(runOnCpu(planOf("one-workgroup", problem, plain), problem).output, 256, 1);
      for (const width of LANES.filter((one) => one >= lanes)) {
        const run = runOnCpu(planOf("one-workgroup", problem, config), problem, { subgroupSize: width });
        expect(run.faults, `width ${width}`).toEqual([]);
        expect(run.verdict.matched, `width ${width}`).toBe(3);
        expect(bitsOf(run.output, 256, 1), `width ${width}`).toEqual(want);
      }
    });

    if (lanes > 4) {
      it(`for ${lanes} lanes is wrong on narrower subgroups, where it is refused with both widths`, () => {
        const width = lanes / 2;
        const run = runOnCpu(planOf("one-workgroup", problem, config), problem, { subgroupSize: width });
        expect(run.verdict.matched).toBe(0);
        const device = {
          ...DEFAULT_CAPABILITIES,
          features: ["subgroups"],
          subgroup: { minimum: width, maximum: 64 },
        };
        expect(supports(oneWorkgroup.resources(problem, config as never), device)).toEqual({
          supported: false,
          limit: "subgroupSize",
          reason: `is right for subgroups of ${lanes} to 128, the device uses ${width} to 64`,
        });
        const wide = { ...device, subgroup: { minimum: lanes, maximum: lanes } };
        expect(supports(oneWorkgroup.resources(problem, config as never), wide)).toEqual({ supported: true });
      });
    }
  }

  it("without the feature subgroups is refused by its name", () => {
    const [, [, plain]] = VARIANTS as [unknown, (typeof VARIANTS)[number]];
    const resources = oneWorkgroup.resources(problem, { ...plain, shuffle: 8 } as never);
    expect(supports(resources, DEFAULT_CAPABILITIES)).toMatchObject({ supported: false, limit: "subgroups" });
  });

  it("needs no workgroup memory where every exchange is shuffled, and claims none", () => {
    const config = { ...BASE, radix: 16, shuffle: 16 };
    const { modules } = planOf("one-workgroup", problem, config);
    expect(modules[0]!.wgsl).not.toMatch(/var<workgroup>|workgroupBarrier/);
    expect(oneWorkgroup.resources(problem, config as never).workgroupBytes).toBe(0);
    expect(oneWorkgroup.cost(problem, config as never).workgroupBytes).toBe(0);
  });

  it("a wrong lane is found: shuffling within the wrong bit gives no transform", () => {
    const config = { ...BASE, radix: 16, shuffle: 16 };
    const plan = planOf("one-workgroup", problem, config);
    const [module] = plan.modules;
    const wgsl = module!.wgsl.replace(/(let p0got0_0 = .*), 1u\);/, "$1, 2u);");
    expect(wgsl).not.toBe(module!.wgsl);
    expect(runOnCpu({ ...plan, modules: [{ ...module!, wgsl }] }, problem).verdict.matched).toBe(0);
  });

  it("values that shuffle nothing, or need fewer lanes than they say, are no variants", () => {
    const refused = (config: Config): string | undefined =>
      checkConfig(oneWorkgroup.space(problem), config as never);
    expect(refused({ ...BASE, radix: 16, shuffle: 8 })).toMatch(/shuffles-need-their-lanes/);
    expect(refused({ ...BASE, radix: 16, shuffle: 32 })).toMatch(/shuffles-need-their-lanes/);
    expect(refused({ ...BASE, radix: 16, shuffle: 16 })).toBeUndefined();
  });
});
