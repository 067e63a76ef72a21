import type { Space, Value } from "@tunelab/contract";
import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { type Candidate, type Spaces, STRATEGIES, type Strategy } from "../src/index.ts";
import { encodingOf, powerOfTwo } from "../src/strategies/model/encode.ts";
import { Feasibility } from "../src/strategies/model/feasibility.ts";
import { logExpectedImprovement } from "../src/strategies/model/improvement.ts";

const parameter = (name: string, values: readonly Value[]) => ({ name, values, doc: "" });
const spaces = (...parameters: ReturnType<typeof parameter>[]): Spaces => [
  { algorithm: "one", space: { parameters, constraints: [] } },
];
const encoded = (all: Spaces, config: Candidate["config"], algorithm = "one"): number[] => [
  ...encodingOf(all).encode({ algorithm, config }),
];

describe("the encoding of candidates", () => {
  it("puts numbers and flags by their place, words on an axis each, and leaves out what cannot vary", () => {
    const all = spaces(
      parameter("radix", [2, 4, 8]),
      parameter("hoist", [false, true]),
      parameter("how", ["tree", "subgroup", "atomic"]),
      parameter("fixed", [15]),
    );
    expect(encoded(all, { radix: 4, hoist: true, how: "tree", fixed: 15 })).toEqual([
      0.5,
      1,
      Math.SQRT1_2,
      0,
      0,
    ]);
    expect(encodingOf(all).groups).toEqual([0, 1, 2, 2, 2]);
  });

  it("adds the power of two in numbers that are not all powers of two", () => {
    const all = spaces(parameter("block", [16, 32, 48, 64, 80]));
    expect(encoded(all, { block: 48 })).toEqual([0.5, 4 / 6]);
    expect([48, 64, 0, 1.5, 7].map(powerOfTwo)).toEqual([4, 6, 0, 0, 0]);
  });

  it("treats parameters of one name in two algorithms as one, and an absent one as undecided", () => {
    const space = (...names: string[]): Space => ({
      parameters: names.map((name) => parameter(name, [1, 2, 4])),
      constraints: [],
    });
    const all: Spaces = [
      { algorithm: "a", space: space("x", "y") },
      { algorithm: "b", space: space("x") },
    ];
    expect(encoded(all, { x: 4, y: 1 }, "a")).toEqual([Math.SQRT1_2, 0, 1, 0]);
    expect(encoded(all, { x: 4 }, "b")).toEqual([0, Math.SQRT1_2, 1, 0.5]);
  });
});

describe("the expected improvement", () => {
  it("agrees with numerical integration, far below the target too", () => {
    for (const u of [-6, -3, -1.2, -1, -0.5, 0, 2]) {
      const sd = 0.7;
      let sum = 0;
      const step = 1e-3;
      for (let z = -12; z <= u; z += step) sum += (u - z) * Math.exp((-z * z) / 2) * step;
      const expected = Math.log((sd * sum) / Math.sqrt(2 * Math.PI));
      expect(logExpectedImprovement(u * sd, sd)).toBeCloseTo(expected, 2);
    }
  });

  it("still orders candidates whose improvement underflows", () => {
    expect(logExpectedImprovement(-50, 1)).toBeGreaterThan(logExpectedImprovement(-51, 1));
    expect(logExpectedImprovement(-50, 1)).toBeLessThan(-1_000);
  });
});

describe("the chance of a time", () => {
  const at = (x: number, y: number): Float64Array => Float64Array.of(x, y);
  const encoding = { width: 2, groups: [0, 1], scales: 2, encode: () => at(0, 0) };

  it("is 1 everywhere while nothing failed", () => {
    const feasibility = new Feasibility(encoding, randomFrom(1));
    feasibility.observe(at(0, 0), false);
    expect(feasibility.view(() => [at(1, 1)])(0)).toBe(1);
  });

  it("learns the parameter that failures depend on, for all values of the others", () => {
    const feasibility = new Feasibility(encoding, randomFrom(1));
    for (const x of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
      for (const y of [0, 0.25, 0.5]) feasibility.observe(at(x, y), x > 0.7);
    }
    const places = [at(0.1, 1), at(0.9, 1), at(0.9, 0.1)];
    const chanceOf = feasibility.view(() => places);
    expect(chanceOf(0)).toBeGreaterThan(0.8);
    expect(chanceOf(1)).toBeLessThan(0.2);
    expect(chanceOf(2)).toBeLessThan(0.2);
  });
});

/** 20 x 20 x 3: a valley whose floor is at x = 13, y = 4 with the word "b"; the corner x > 15 fails. */
const VALLEY = spaces(
  parameter(
    "x",
    Array.from({ length: 20 }, (_, index) => index),
  ),
  parameter(
    "y",
    Array.from({ length: 20 }, (_, index) => index),
  ),
  parameter("word", ["a", "b", "c"]),
);
const nsOf = ({ config }: Candidate): number | undefined => {
  const [x, y] = [Number(config.x), Number(config.y)];
  if (x > 15) return undefined;
  return 100 * Math.exp(0.03 * (x - 13) ** 2 + 0.01 * (y - 4) ** 2 + (config.word === "b" ? 0 : 0.4));
};

function best(
  strategy: Strategy,
  evaluations: number,
  answer: (candidate: Candidate) => number | undefined = nsOf,
): { readonly ns: number; readonly failed: number } {
  let least = Number.POSITIVE_INFINITY;
  let failed = 0;
  for (let count = 0; count < evaluations; count++) {
    const candidate = strategy.propose()!;
    const ns = answer(candidate);
    if (ns === undefined) failed++;
    else least = Math.min(least, ns);
    strategy.observe(ns === undefined ? { candidate, status: "crashed" } : { candidate, status: "ok", ns });
  }
  return { ns: least, failed };
}

describe("the model strategy", () => {
  it("finds the floor of a valley of 1,200 variants in 45 evaluations, where random search does not", () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      expect(best(STRATEGIES.model(VALLEY, seed), 45).ns).toBeCloseTo(100, 6);
      expect(best(STRATEGIES.random(VALLEY, seed), 45).ns).toBeGreaterThan(100);
    }
  });

  it("stays away from where variants fail: 70% of the space, and under 45% of its proposals", () => {
    for (const seed of [1, 2, 3]) {
      const strip = (one: Candidate): number | undefined =>
        Number(one.config.x) < 10 ? undefined : nsOf(one);
      expect(best(STRATEGIES.model(VALLEY, seed), 60, strip).failed).toBeLessThan(60 * 0.45);
      expect(best(STRATEGIES.random(VALLEY, seed), 60, strip).failed).toBeGreaterThan(60 * 0.55);
    }
  });

  it("tries what it is given to start with first, in order, as far as it is valid", () => {
    const start = [
      { algorithm: "one", config: { x: 13, y: 5, word: "b" } },
      { algorithm: "one", config: { x: 99, y: 5, word: "b" } },
      { algorithm: "one", config: { x: 12, y: 4, word: "b" } },
    ];
    const strategy = STRATEGIES.model(VALLEY, 1, start);
    expect([strategy.propose(), strategy.propose()]).toEqual([start[0], start[2]]);
    expect(best(STRATEGIES.model(VALLEY, 1, start), 14).ns).toBeLessThan(102);
  });

  it("asked ahead of its results, believes in those that are due and learns as well", () => {
    const strategy = STRATEGIES.model(VALLEY, 3);
    const due: Candidate[] = [];
    let least = Number.POSITIVE_INFINITY;
    for (let count = 0; count < 60; count++) {
      due.push(strategy.propose()!);
      if (due.length < 4) continue;
      const candidate = due.shift()!;
      const ns = nsOf(candidate);
      if (ns !== undefined) least = Math.min(least, ns);
      strategy.observe(ns === undefined ? { candidate, status: "hung" } : { candidate, status: "ok", ns });
    }
    expect(least).toBeCloseTo(100, 6);
  });

  it("goes on when everything fails, when all times are alike, and when one is absurd", () => {
    for (const answer of [undefined, 5, Number.NaN, 1e300]) {
      const strategy = STRATEGIES.model(VALLEY, 1);
      const seen = new Set<string>();
      for (let count = 0; count < 50; count++) {
        const candidate = strategy.propose()!;
        seen.add(JSON.stringify(candidate.config));
        const ns = count === 20 && answer === 1e300 ? answer : answer === 1e300 ? 5 + count : answer;
        strategy.observe(
          ns === undefined ? { candidate, status: "crashed" } : { candidate, status: "ok", ns },
        );
      }
      expect(seen.size).toBe(50);
    }
  });

  it("goes through a vast space with a pool of a few thousand", () => {
    const vast = spaces(
      ...["a", "b", "c", "d", "e", "f"].map((name) =>
        parameter(
          name,
          Array.from({ length: 20 }, (_, index) => index),
        ),
      ),
    );
    const strategy = STRATEGIES.model(vast, 1);
    const random = randomFrom(1);
    let least = Number.POSITIVE_INFINITY;
    for (let count = 0; count < 80; count++) {
      const candidate = strategy.propose()!;
      const distance = Object.values(candidate.config).reduce<number>(
        (sum, value) => sum + (Number(value) - 7) ** 2,
        0,
      );
      const ns = 100 * Math.exp(distance / 200 + 0.01 * random.float());
      least = Math.min(least, ns);
      strategy.observe({ candidate, status: "ok", ns });
    }
    expect(least).toBeLessThan(110);
  });
});
