import { type Config, planHash } from "@tunelab/contract";
import { randomFrom, sample } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import {
  BUTTERFLIES,
  type Direction,
  type FftProblem,
  fourStep,
  oneWorkgroup,
  RADICES,
  TWIDDLES,
} from "../src/index.ts";
import { suite } from "../src/suite.ts";
import { type AlgorithmName, bitsOf, planOf, runOnCpu } from "./cpu.ts";

const WIDTHS = [4, 8, 16, 32, 64] as const;
const directions: readonly Direction[] = ["forward", "inverse"];

/** Bounds: the interpreter's cosines are exact, so walks are all that is left to differ, six products deep at radix 64. */
const boundOf = (config: Config | undefined): number =>
  String(config?.twiddles).includes("walk") ? 2e-6 : 1e-6;

/** Rounds of an exchange: what makes interpreting slow. */
const rounds = (n: number, config: Config): number =>
  (n / Number(config.workgroup ?? n / Number(config.points)) / Number(config.chunk)) *
  (config.staging === "split" ? 2 : 1);

function expectRight(
  name: AlgorithmName,
  problem: FftProblem,
  config: Config | undefined,
  subgroupSize: number,
): void {
  const run = runOnCpu(planOf(name, problem, config), problem, { subgroupSize });
  const what = `${name} ${JSON.stringify({ ...problem, ...config })} at width ${subgroupSize}`;
  expect(run.faults, what).toEqual([]);
  expect(run.verdict, `${what}: ${run.verdict.detail}`).toMatchObject({
    matched: problem.batch,
    total: problem.batch,
  });
  expect(run.verdict.maxError, what).toBeLessThan(boundOf(config));
  // Every point is read, and every output written exactly once.
  const [first, last] = [Object.values(run.stages)[0]!, Object.values(run.stages).at(-1)!];
  expect(first.traffic.input!.reads.every((count) => count >= 1)).toBe(true);
  expect(last.traffic.output!.writes.every((count) => count === 1)).toBe(true);
}

describe("one-workgroup, its text run on the CPU", () => {
  for (const [index, n] of [64, 128, 256, 512, 1024].entries()) {
    it(`is right in every bit of memory traffic at n = ${n}, in sampled variants at subgroup widths 4 to 64`, () => {
      const direction = directions[index % 2]!;
      const problem = { n, batch: 3, direction };
      const configs = sample(oneWorkgroup.space(problem), randomFrom(n), 60)
        .filter((config) => rounds(n, config) <= 8 && config.transforms <= 8)
        .slice(0, 10);
      expect(configs).toHaveLength(10);
      for (const [at, config] of configs.entries()) {
        // A device whose subgroups are narrower than the shuffles refuses the variant.
        const wide = WIDTHS.filter((width) => width >= config.shuffle);
        expectRight("one-workgroup", problem, config, wide[at % wide.length]!);
      }
    });
  }

  for (const n of [2048, 4096, 8192, 16_384]) {
    it(`is right at n = ${n} in one workgroup of WebGPU's default limits`, () => {
      expectRight("one-workgroup", { n, batch: 1, direction: "forward" }, undefined, 32);
    });
  }
});

describe("four-step, its texts run on the CPU", () => {
  for (const [index, n] of [256, 512, 1024, 2048].entries()) {
    it(`is right in every bit of memory traffic at n = ${n}, in sampled variants at subgroup widths 4 to 64`, () => {
      const problem = { n, batch: 2, direction: directions[index % 2]! };
      const configs = sample(fourStep.space(problem), randomFrom(n), 60)
        .filter((config) => config.points <= 4 * config.chunk)
        .slice(0, 6);
      for (const [at, config] of configs.entries()) {
        expectRight("four-step", problem, config, WIDTHS[at % WIDTHS.length]!);
      }
    });
  }

  it("is right at n = 32768 by default, beyond what one workgroup holds", () => {
    expectRight("four-step", { n: 32_768, batch: 1, direction: "inverse" }, undefined, 32);
  });
});

/** One variant that every parameter is changed from. */
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
};
const PROBLEM: FftProblem = { n: 256, batch: 3, direction: "forward" };
const FOUR: Config = {
  split: 16,
  radix: 4,
  butterfly: "split",
  points: 4,
  chunk: 4,
  staging: "whole",
  padding: 0,
  gap: 1,
  twiddles: "table",
  side: 4,
  between: "two-level",
  layout: "rows",
};

describe("each parameter alone, every value", () => {
  const values: Readonly<Record<string, readonly Config[string][]>> = {
    radix: RADICES.filter((radix) => radix <= 16),
    butterfly: BUTTERFLIES.slice(1),
    workgroup: [8, 32, 64],
    chunk: [1, 2, 4, 8],
    staging: ["split"],
    padding: [8, 16, 32],
    gap: [2, 4],
    twiddles: [...TWIDDLES, "constant"],
    transforms: [2, 4, 8],
    loads: ["vector"],
    index: ["mask"],
    unroll: [false],
  };
  for (const [name, list] of Object.entries(values)) {
    it(`${name}: another text, and right`, async () => {
      const base = await planHash(planOf("one-workgroup", PROBLEM, BASE));
      for (const value of list) {
        const less = name === "workgroup" && Number(value) > 16 ? { chunk: 4 } : {};
        const padded = name === "gap" ? { padding: 8 } : {};
        const config = { ...BASE, [name]: value, ...less, ...padded };
        if (value !== BASE[name]) {
          expect(await planHash(planOf("one-workgroup", PROBLEM, config))).not.toBe(base);
        }
        expectRight("one-workgroup", PROBLEM, config, 8);
      }
    });
  }

  const fours: Readonly<Record<string, readonly Config[string][]>> = {
    split: [32],
    points: [2, 8],
    side: [2, 8],
    between: ["walk", "table", "direct"],
    layout: ["tiles"],
  };
  for (const [name, list] of Object.entries(fours)) {
    it(`four-step's ${name}: another text, and right`, async () => {
      const problem = { ...PROBLEM, n: 512 };
      const base = await planHash(planOf("four-step", problem, FOUR));
      for (const value of list) {
        const small = name === "points" && value === 2 ? { radix: 2, chunk: 2 } : {};
        const config = { ...FOUR, [name]: value, ...small };
        expect(await planHash(planOf("four-step", problem, config))).not.toBe(base);
        expectRight("four-step", problem, config, 8);
      }
    });
  }

  it("both directions undo each other: inverse after forward gives n times the input", () => {
    const inputs = suite.inputs(PROBLEM, 1);
    const there = runOnCpu(planOf("one-workgroup", PROBLEM, BASE), PROBLEM, { inputs });
    const back = { ...PROBLEM, direction: "inverse" } as const;
    const again = runOnCpu(planOf("one-workgroup", back, BASE), back, { inputs: { input: there.output } });
    const worst = again.output.reduce(
      (most, value, at) => Math.max(most, Math.abs(value / PROBLEM.n - inputs.input![at]!)),
      0,
    );
    expect(worst).toBeLessThan(2e-6);
  });
});

describe("variants of one parity class", () => {
  it("give the same bits whatever carries the values between threads", () => {
    const carriers: Config[] = [
      BASE,
      { ...BASE, chunk: 2 },
      { ...BASE, staging: "split", padding: 8, gap: 2, chunk: 8 },
      { ...BASE, workgroup: 8, transforms: 4 },
      { ...BASE, workgroup: 8, loads: "vector", padding: 16 },
    ];
    const outputs = new Map<string, Uint32Array>();
    for (const radix of [4, 8]) {
      for (const butterfly of BUTTERFLIES) {
        for (const twiddles of ["table", "table-walk"]) {
          for (const carrier of carriers) {
            const config = { ...carrier, radix, butterfly, twiddles };
            const parity = oneWorkgroup.parityClass!(PROBLEM, config as never);
            const bits = bitsOf(runOnCpu(planOf("one-workgroup", PROBLEM, config), PROBLEM).output, 256, 1);
            const known = outputs.get(parity);
            if (known) expect(bits, `${parity} ${JSON.stringify(config)}`).toEqual(known);
            else outputs.set(parity, bits);
          }
        }
      }
    }
    expect(outputs.size).toBe(4 * BUTTERFLIES.length);
  });
});

describe("an item with NaN or infinity", () => {
  for (const [name, n, config] of [
    ["one-workgroup", 64, { ...BASE, workgroup: 8, chunk: 4, transforms: 4 }],
    ["four-step", 512, FOUR],
  ] as const) {
    it(`spoils no other: ${name}`, () => {
      const problem: FftProblem = { n, batch: 5, direction: "forward" };
      const plan = planOf(name, problem, config);
      const clean = suite.inputs(problem, 1);
      const dirty = { input: (clean.input as Float32Array).slice() };
      dirty.input[2 * n * 1 + 7] = Number.NaN;
      dirty.input[2 * n * 3] = Number.POSITIVE_INFINITY;
      const [want, got] = [
        runOnCpu(plan, problem, { inputs: clean }),
        runOnCpu(plan, problem, { inputs: dirty }),
      ];
      for (const item of [0, 2, 4]) {
        expect(bitsOf(got.output, n, item)).toEqual(bitsOf(want.output, n, item));
      }
      expect(got.output.subarray(2 * n, 4 * n).some(Number.isFinite)).toBe(false);
      expect(got.verdict.matched).toBeLessThan(5);
    });
  }
});
