import {
  type Config,
  DEFAULT_CAPABILITIES,
  DEFAULT_LIMITS,
  type Plan,
  type PortData,
} from "@tunelab/contract";
import { cutBatch, DEFAULT_BUDGETS } from "@tunelab/executor";
import { interpretPlan } from "@tunelab/variants/interpreter";
import { describe, expect, it } from "vitest";
import { corrReduce, fused, type MatchedFilterProblem, NO_PEAK, operation } from "../src/index.ts";
import { suite } from "../src/suite.ts";

const GOOD: MatchedFilterProblem = { n: 64, data: 3, templates: 4, pairs: 12 };

describe("a problem that is none is refused in one line that gives the number", () => {
  const cases: readonly (readonly [string, Partial<Record<string, number>>, RegExp])[] = [
    ["no points", { n: 0 }, /n is 0, not a positive integer/],
    ["one point", { n: 1 }, /n is 1, not a power of two from 64 to 1048576/],
    ["fewer points than the least", { n: 32 }, /n is 32, not a power of two/],
    ["a length between two powers", { n: 4095 }, /n is 4095/],
    ["more points than two steps transform", { n: 2_097_152 }, /n is 2097152, .*to 1048576/],
    ["a fraction of a point", { n: 64.5 }, /n is 64.5/],
    ["no data", { data: 0 }, /data is 0, not a positive integer/],
    ["no templates", { templates: 0 }, /templates is 0, not a positive integer/],
    ["no pairs", { pairs: 0 }, /pairs is 0/],
    ["fewer than no pairs", { pairs: -1 }, /pairs is -1/],
    [
      "more pairs than two dimensions of groups",
      { pairs: 65_535 * 65_535 + 1 },
      /pairs is 4294836226, over 4294836225/,
    ],
    ["pairs without end", { pairs: Number.POSITIVE_INFINITY }, /pairs is Infinity/],
    ["no threshold but its name", { threshold: 0 }, /threshold is 0, not a positive float32 number/],
    ["a negative threshold", { threshold: -1 }, /threshold is -1, not a positive float32 number/],
    ["a threshold that is no number", { threshold: Number.NaN }, /threshold is NaN, not a positive/],
    ["a threshold without end", { threshold: Number.POSITIVE_INFINITY }, /threshold is Infinity/],
    ["a threshold over float32", { threshold: 3.5e38 }, /threshold is 3.5e\+38/],
  ];
  for (const [what, change, why] of cases) {
    it(what, () => {
      const refusal = operation.refuse({ ...GOOD, ...change } as never);
      expect(refusal).toMatch(why);
      expect(refusal).not.toContain("\n");
    });
  }

  it("and as many pairs as two dimensions of groups hold are none of these", () => {
    expect(operation.refuse({ ...GOOD, pairs: 65_535 * 65_535 })).toBeUndefined();
  });
});

const planFor = (problem: MatchedFilterProblem): Plan =>
  fused.plan(problem, fused.defaultConfig(problem, DEFAULT_CAPABILITIES), DEFAULT_CAPABILITIES);
const cut = (problem: MatchedFilterProblem, memoryBytes = DEFAULT_BUDGETS.memoryBytes) =>
  cutBatch({
    plan: planFor(problem),
    limits: DEFAULT_LIMITS,
    budgets: { ...DEFAULT_BUDGETS, memoryBytes },
  });

describe("inputs over a device's limits, here WebGPU's defaults", () => {
  it("pairs whose records pass the binding limit run in pieces that keep to it", () => {
    const pairs = 12_000_000;
    expect(16 * pairs).toBeGreaterThan(DEFAULT_LIMITS.maxStorageBufferBindingSize);
    const { pieces } = cut({ ...GOOD, pairs });
    expect(pieces.length).toBeGreaterThan(1);
    for (const { items } of pieces)
      expect(16 * items).toBeLessThanOrEqual(DEFAULT_LIMITS.maxStorageBufferBindingSize);
    expect(pieces.reduce((sum, { items }) => sum + items, 0)).toBe(pairs);
  });

  it("pairs whose records no buffer holds are refused with both numbers", () => {
    const pairs = 20_000_000;
    expect(() => cut({ ...GOOD, pairs })).toThrow(
      /buffer records needs 320000000 bytes, over maxBufferSize = 268435456/,
    );
  });

  it("spectra that cannot be bound whole are refused with both numbers: every piece reads them all", () => {
    const problem = { n: 16_384, data: 1025, templates: 1, pairs: 1 };
    expect(() => cut(problem)).toThrow(
      /buffer data needs 134348800 bytes, over maxStorageBufferBindingSize = 134217728: choose a smaller problem/,
    );
    expect(cut({ ...problem, data: 1024 }).pieces).toHaveLength(1);
  });

  it("spectra over the memory that one call may take are refused with both numbers", () => {
    expect(() => cut({ n: 4096, data: 64, templates: 64, pairs: 4096 }, 2 ** 20)).toThrow(
      /need \d+ bytes, over the memory budget of 1048576/,
    );
  });
});

/** Transforms side by side in registers and through memory, one pair and four a workgroup, both reductions, both algorithms. */
const VARIANTS: readonly (readonly [string, (problem: MatchedFilterProblem) => Plan])[] = [
  ["fused by default", planFor],
  [
    "fused, four pairs a workgroup, subgroup maxima",
    (problem) =>
      fused.plan(
        problem,
        {
          ...fused.defaultConfig(problem, DEFAULT_CAPABILITIES),
          ...{ radix: 8, workgroup: 8, chunk: 8, reduction: "subgroup", tile: 4, hoist: true },
        } as Config as never,
        DEFAULT_CAPABILITIES,
      ),
  ],
  [
    "corr-reduce",
    (problem) =>
      corrReduce.plan(problem, corrReduce.defaultConfig(problem, DEFAULT_CAPABILITIES), DEFAULT_CAPABILITIES),
  ],
];

const clean = suite.inputs(GOOD, 3);
const recordsOf = (plan: Plan, inputs: PortData): Uint32Array =>
  interpretPlan(plan, inputs).buffers.records as Uint32Array;

/** The inputs with one word of a port changed. */
function spoiled(port: "data" | "templates", row: number, word: number, value: number): PortData {
  const values = (clean[port] as Float32Array).slice();
  values[2 * GOOD.n * row + word] = value;
  return { ...clean, [port]: values };
}

const record = (records: Uint32Array, pair: number): readonly number[] => [
  ...records.subarray(4 * pair, 4 * pair + 4),
];

describe("a spectrum with NaN or infinity", () => {
  for (const [name, planOf] of VARIANTS) {
    const plan = planOf(GOOD);
    const want = recordsOf(plan, clean);
    const pairList = clean.pairs as Uint32Array;

    for (const [port, row] of [
      ["data", 1],
      ["templates", 2],
    ] as const) {
      const hit = (pair: number): boolean => pairList[2 * pair + (port === "data" ? 0 : 1)] === row;

      it(`${name}: NaN in one of the ${port} makes its pairs have no peak, and no other pair differs by a bit`, () => {
        const got = recordsOf(plan, spoiled(port, row, 7, Number.NaN));
        for (let pair = 0; pair < GOOD.pairs; pair++) {
          const right = hit(pair) ? [NO_PEAK, 0, 0, 0] : record(want, pair);
          expect(record(got, pair), `pair ${pair}`).toEqual(right);
        }
      });

      it(`${name}: infinity in one of the ${port} shows in its pairs as no peak or an infinite magnitude, and in no other`, () => {
        for (const word of [0, 7]) {
          const got = recordsOf(plan, spoiled(port, row, word, Number.POSITIVE_INFINITY));
          const floats = new Float32Array(got.buffer);
          for (let pair = 0; pair < GOOD.pairs; pair++) {
            if (hit(pair)) {
              const shown = got[4 * pair] === NO_PEAK || floats[4 * pair + 3] === Number.POSITIVE_INFINITY;
              expect(shown, `pair ${pair}`).toBe(true);
            } else expect(record(got, pair), `pair ${pair}`).toEqual(record(want, pair));
          }
        }
      });
    }

    it(`${name}: spectra so large that |z|^2 overflows report an infinite magnitude, in their pairs alone`, () => {
      const values = (clean.data as Float32Array).slice();
      for (let word = 0; word < 2 * GOOD.n; word++) values[2 * GOOD.n + word]! *= 1e25;
      const got = recordsOf(plan, { ...clean, data: values });
      const floats = new Float32Array(got.buffer);
      for (let pair = 0; pair < GOOD.pairs; pair++) {
        if (pairList[2 * pair] === 1) {
          expect(got[4 * pair]!).toBeLessThan(GOOD.n);
          expect(floats[4 * pair + 3]).toBe(Number.POSITIVE_INFINITY);
        } else expect(record(got, pair)).toEqual(record(want, pair));
      }
    });
  }
});
