import {
  type Config,
  DEFAULT_CAPABILITIES,
  DEFAULT_LIMITS,
  type Plan,
  type PortData,
} from "@tunelab/contract";
import { cutBatch, DEFAULT_BUDGETS } from "@tunelab/executor";
import { randomFrom, sample } from "@tunelab/variants";
import { interpretPlan, type PlanReport } from "@tunelab/variants/interpreter";
import { describe, expect, it } from "vitest";
import { type FourStepConfig, fourStep, type MatchedFilterProblem, NO_PEAK } from "../src/index.ts";
import { suite } from "../src/suite.ts";

const problemOf = (n: number): MatchedFilterProblem => ({ n, data: 2, templates: 3, pairs: 6 });
const planOf = (problem: MatchedFilterProblem, config?: Partial<FourStepConfig>): Plan =>
  fourStep.plan(
    problem,
    { ...fourStep.defaultConfig(problem, DEFAULT_CAPABILITIES), ...config },
    DEFAULT_CAPABILITIES,
  );
const recordsOf = (plan: Plan, inputs: PortData): Uint32Array =>
  interpretPlan(plan, inputs).buffers.records as Uint32Array;

/** Factors by long products of a table's own lose a little more. */
const boundOf = ({ twiddles, between }: Config): number =>
  String(twiddles).includes("walk") || between === "walk" ? 2e-6 : 5e-7;

function expectRight(problem: MatchedFilterProblem, config: Config, subgroupSize: number): PlanReport {
  const inputs = suite.inputs(problem, 1);
  const run = interpretPlan(planOf(problem, config), inputs, { subgroupSize });
  const what = JSON.stringify({ ...problem, ...config, subgroupSize });
  expect(run.faults, what).toEqual([]);
  const sampled = { count: problem.pairs, seed: 1 };
  const verdict = suite.oracle(problem, inputs).check({ records: run.buffers.records! }, sampled);
  expect(verdict, what).toMatchObject({ matched: problem.pairs, total: problem.pairs, nearTies: 0 });
  expect(verdict.maxError, what).toBeLessThan(boundOf(config));
  const once = (counts: Uint32Array): boolean => counts.every((count) => count === 1);
  const { columns, rows, finish } = run.stages;
  expect([
    columns!.traffic.data!.reads.every((count) => count >= 1),
    columns!.traffic.templates!.reads.every((count) => count >= 1),
    once(columns!.traffic.scratch!.writes),
    once(rows!.traffic.scratch!.reads),
    once(rows!.traffic.partials!.writes),
    once(finish!.traffic.partials!.reads),
    once(finish!.traffic.records!.writes),
  ]).toEqual(new Array(7).fill(true));
  return run;
}

describe("four-step, its texts run on the CPU", () => {
  for (const n of [256, 512, 1024, 2048]) {
    it(`is right in every word of memory traffic at n = ${n}, in sampled variants at subgroup widths 4 to 64`, () => {
      const problem = problemOf(n);
      const configs = sample(fourStep.space(problem), randomFrom(n), 60)
        .filter(({ points, chunk }) => points <= 4 * chunk)
        .slice(0, 6);
      expect(configs).toHaveLength(6);
      for (const [at, config] of configs.entries()) expectRight(problem, config, 2 ** (2 + (at % 5)));
    });
  }

  for (const n of [32_768, 65_536]) {
    it(`is right at n = ${n} by default, beyond what one workgroup holds`, () => {
      const problem = { n, data: 1, templates: 1, pairs: 1 };
      expectRight(problem, fourStep.defaultConfig(problem, DEFAULT_CAPABILITIES), 32);
    });
  }

  it("is right in each parameter alone, every value", () => {
    const base: FourStepConfig = {
      ...{
        split: 32,
        radix: 4,
        butterfly: "split",
        points: 8,
        chunk: 8,
        staging: "whole",
        padding: 0,
        gap: 1,
      },
      ...{ twiddles: "table", side: 4, between: "two-level", rows: 4, reduction: "tree", loads: "scalar" },
    };
    const problem = { n: 1024, data: 1, templates: 2, pairs: 2 };
    const space = fourStep.space(problem);
    for (const { name, values } of space.parameters) {
      for (const value of values) {
        const config = { ...base, [name]: value };
        if (!space.constraints.every((one) => one.holds(config))) continue;
        expectRight(problem, config, 8);
      }
    }
  });
});

describe("a four-step record", () => {
  const problem = { n: 256, data: 3, templates: 1, pairs: 3 };
  /** One row a tile: 16 partial peaks. */
  const variants: readonly (readonly [string, Partial<FourStepConfig>])[] = [
    ["a row a tile", { rows: 1 }],
    ["four rows a tile, subgroup maxima", { rows: 4, reduction: "subgroup" }],
    ["all rows in one tile", { rows: 16 }],
  ];
  const spectrum = (fill: (f: number) => readonly [number, number]): number[] =>
    Array.from({ length: problem.n }, (_, f) => fill(f)).flat();
  const ones = spectrum(() => [1, 0]);

  for (const [name, config] of variants) {
    it(`has the lowest of equal lags whatever their tiles, lag 0 of silence, none of NaN: ${name}`, () => {
      const data = Float32Array.from([
        // cos over the lags: 256 equal magnitudes would be one tone; two opposite ones make |z| equal at 0 and n / 2.
        ...spectrum((f) => [f === 0 || f === 2 ? 1 : 0, 0]),
        ...spectrum(() => [0, 0]),
        ...spectrum(() => [Number.NaN, 0]),
      ]);
      const inputs = { data, templates: Float32Array.from(ones), pairs: new Uint32Array([0, 0, 1, 0, 2, 0]) };
      const records = recordsOf(planOf(problem, config), inputs);
      expect([records[0], records[4], records[8]]).toEqual([0, 0, NO_PEAK]);
      expect(new Float32Array(records.buffer)[3]).toBe(2);
      expect([...records.subarray(9, 12)]).toEqual([0, 0, 0]);
    });

    it(`is every lag that a delay can plant: ${name}`, () => {
      const plan = planOf(problem, config);
      for (const first of [0, 1, 15, 16, 17, 127, 240, 253]) {
        const turn = (lag: number): number[] =>
          spectrum((f) => {
            const angle = (-2 * Math.PI * ((f * lag) % problem.n)) / problem.n;
            return [Math.cos(angle), Math.sin(angle)];
          });
        const lags = [first, first + 1, first + 2];
        const records = recordsOf(plan, {
          data: Float32Array.from(lags.flatMap(turn)),
          templates: Float32Array.from(ones),
          pairs: new Uint32Array([0, 0, 1, 0, 2, 0]),
        });
        expect([records[0], records[4], records[8]]).toEqual(lags);
      }
    });

    it(`of a spectrum with NaN or infinity is no peak or an infinite magnitude, and no other differs by a bit: ${name}`, () => {
      const clean = suite.inputs(problem, 3);
      const plan = planOf(problem, config);
      const want = recordsOf(plan, clean);
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
        const data = (clean.data as Float32Array).slice();
        data[2 * problem.n + 7] = value;
        const got = recordsOf(plan, { ...clean, data });
        const shown = got[4] === NO_PEAK || new Float32Array(got.buffer)[7] === Number.POSITIVE_INFINITY;
        expect(shown).toBe(true);
        if (Number.isNaN(value)) expect([...got.subarray(4, 8)]).toEqual([NO_PEAK, 0, 0, 0]);
        for (const pair of [0, 2]) {
          expect(got.subarray(4 * pair, 4 * pair + 4)).toEqual(want.subarray(4 * pair, 4 * pair + 4));
        }
      }
    });

    it(`under the threshold is none: ${name}`, () => {
      const inputs = suite.inputs(problem, 3);
      const magnitudes = [0, 1, 2].map(
        (pair) => new Float32Array(recordsOf(planOf(problem, config), inputs).buffer)[4 * pair + 3]!,
      );
      const threshold = [...magnitudes].sort((a, b) => a - b)[1]!;
      const records = recordsOf(planOf({ ...problem, threshold }, config), inputs);
      for (const pair of [0, 1, 2]) {
        expect(records[4 * pair] === NO_PEAK).toBe(magnitudes[pair]! < threshold);
      }
    });
  }
});

describe("a batch of long pairs", () => {
  const cut = (n: number, pairs: number, memoryBytes = DEFAULT_BUDGETS.memoryBytes) =>
    cutBatch({
      plan: planOf({ n, data: 4, templates: 8, pairs }),
      limits: DEFAULT_LIMITS,
      budgets: { ...DEFAULT_BUDGETS, memoryBytes },
    });

  it("whose scratch passes the binding limit runs in pieces that keep to it, of any number of pairs", () => {
    for (const n of [32_768, 65_536, 524_288, 1_048_576]) {
      const most = DEFAULT_LIMITS.maxStorageBufferBindingSize / (8 * n);
      expect(cut(n, most).pieces).toHaveLength(1);
      const { pieces } = cut(n, 2 * most + 1);
      expect(pieces.length, `n = ${n}`).toBe(3);
      for (const { items } of pieces) expect(items).toBeLessThanOrEqual(most);
      expect(pieces.reduce((sum, { items }) => sum + items, 0)).toBe(2 * most + 1);
    }
  });

  it("keeps to the memory budget, partial peaks counted", () => {
    const n = 1_048_576;
    const resident = 12 * 8 * n;
    const { pieces, cut: how } = cut(n, 8, resident + 2 ** 20 + 3 * (8 * n + 256 * 16));
    expect(how.boundBy).toBe("memory");
    expect(Math.max(...pieces.map(({ items }) => items))).toBe(3);
  });

  it("is refused where not even one pair's scratch can be bound, with both numbers", () => {
    const limits = { ...DEFAULT_LIMITS, maxStorageBufferBindingSize: 2 ** 22 };
    const request = { plan: planOf({ n: 1_048_576, data: 1, templates: 1, pairs: 1 }), limits };
    expect(() => cutBatch({ ...request, budgets: DEFAULT_BUDGETS })).toThrow(
      /8388608 bytes, over maxStorageBufferBindingSize = 4194304: choose a smaller problem/,
    );
  });

  it("has each piece read its own pairs and write their records alone", () => {
    const problem = problemOf(256);
    const inputs = suite.inputs(problem, 2);
    const plan = planOf(problem);
    const whole = recordsOf(plan, inputs);
    const [first, items] = [3, 2];
    const piece = { ...plan, batch: { ...plan.batch, items }, extents: { ...plan.extents, first, items } };
    const records = recordsOf(piece, inputs);
    for (let word = 0; word < records.length; word++) {
      const inside = word >= 4 * first && word < 4 * (first + items);
      expect(records[word], `word ${word}`).toBe(inside ? whole[word] : 0xffffffff);
    }
  });
});
