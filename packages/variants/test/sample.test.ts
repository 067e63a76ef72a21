import type { Config, Space } from "@tunelab/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkConfig, countValid, formatId, parseConfig, parseId, randomFrom, sample } from "../src/index.ts";
import { xoshiro128 } from "../src/random.ts";
import { anySpace, KERNEL, TEN_MILLION } from "./spaces.ts";

const key = (config: Config): string => JSON.stringify(config);

test("xoshiro128** follows its published recurrence", () => {
  // The reference recurrence in 64-bit-safe arithmetic, from the state 1, 2, 3, 4.
  const mask = 0xffffffffn;
  const rotate = (x: bigint, k: bigint) => ((x << k) | (x >> (32n - k))) & mask;
  const s = [1n, 2n, 3n, 4n] as [bigint, bigint, bigint, bigint];
  const reference = Array.from({ length: 1000 }, () => {
    const result = (rotate((s[1] * 5n) & mask, 7n) * 9n) & mask;
    const t = (s[1] << 9n) & mask;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 11n);
    return Number(result);
  });
  const ours = xoshiro128([1, 2, 3, 4]);
  expect(reference.slice(0, 3)).toEqual([11520, 0, 5927040]);
  expect(Array.from({ length: 1000 }, () => ours.next())).toEqual(reference);
});

test("one seed gives one order, neighbouring seeds give others", () => {
  const order = (seed: number) => randomFrom(seed).shuffle([...Array(50).keys()]);
  expect(order(7)).toEqual(order(7));
  expect(order(7)).not.toEqual(order(8));
  expect(order(7)).not.toEqual(order(7 + 2 ** 32));
  expect(order(7).sort((a, b) => a - b)).toEqual([...Array(50).keys()]);
  expect(() => randomFrom(0.5)).toThrow("seed 0.5 is no safe integer");
});

test("integers below n are uniform and stay in range", () => {
  const random = randomFrom(1);
  const counts = Array.from({ length: 7 }, () => 0);
  for (let draw = 0; draw < 70_000; draw++) counts[random.integer(7)]!++;
  // chi-squared with 6 degrees of freedom: 22.5 is exceeded once in 1000 seeds, and this seed is fixed.
  expect(counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(22.5);
  expect(() => random.integer(0)).toThrow("does not exist");
});

test("a sample holds distinct valid configurations, all of them when asked for more", () => {
  fc.assert(
    fc.property(anySpace, fc.nat(30), fc.integer(), (space, count, seed) => {
      const drawn = sample(space, randomFrom(seed), count);
      expect(new Set(drawn.map(key)).size).toBe(Math.min(count, countValid(space)));
      for (const config of drawn) expect(checkConfig(space, config)).toBeUndefined();
      expect(sample(space, randomFrom(seed), count)).toEqual(drawn);
    }),
    { numRuns: 200 },
  );
});

test("a small space is sampled uniformly", () => {
  const random = randomFrom(3);
  const counts = new Map<string, number>();
  for (let draw = 0; draw < 5200; draw++) {
    const [config] = sample(KERNEL, random, 1);
    counts.set(key(config!), (counts.get(key(config!)) ?? 0) + 1);
  }
  expect(counts.size).toBe(26);
  const chi = [...counts.values()].reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0);
  expect(chi).toBeLessThan(52.6); // 25 degrees of freedom, p = 0.001
});

/** 20^6 combinations; the rule decides how many are valid. */
function large(name: string, parameters: readonly string[], holds: (config: Config) => boolean): Space {
  return {
    parameters: [..."abcdef"].map((letter) => ({ name: letter, values: [...Array(20).keys()], doc: "" })),
    constraints: [{ name, doc: "", parameters, holds }],
  };
}

test("a large space is sampled by rejection, every value about equally often", () => {
  const space = large("half", ["a", "f"], ({ a, f }) => (Number(a) + Number(f)) % 2 === 0);
  const drawn = sample(space, randomFrom(5), 4000);
  expect(new Set(drawn.map(key)).size).toBe(4000);
  const counts = Array.from({ length: 20 }, (_, value) => drawn.filter(({ c }) => c === value).length);
  expect(counts.reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0)).toBeLessThan(43.8); // 19 df, p = 0.001
});

test("a large space with rare valid configurations is sampled by backtracking", () => {
  const digits = ["a", "b", "c", "d"];
  const space = large("rare", digits, (config) => digits.every((name) => config[name] === config.a));
  const drawn = sample(space, randomFrom(5), 20);
  expect(new Set(drawn.map(key)).size).toBe(20);
  for (const config of drawn) expect(checkConfig(space, config)).toBeUndefined();
});

test("a large space without any valid configuration gives an empty sample", () => {
  const space: Space = {
    parameters: [..."abcde"].map((letter) => ({ name: letter, values: [...Array(12).keys()], doc: "" })),
    constraints: [{ name: "none", doc: "", parameters: ["e"], holds: () => false }],
  };
  expect(sample(space, randomFrom(1), 3)).toEqual([]);
});

test("a space with ten million combinations is sampled in full when asked", () => {
  expect(sample(TEN_MILLION, randomFrom(2), 20_000)).toHaveLength(10_000);
});

test("an id read back names the same configuration", () => {
  fc.assert(
    fc.property(anySpace, fc.integer(), (space, seed) => {
      for (const config of sample(space, randomFrom(seed), 5)) {
        const { algorithm, settings } = parseId(formatId("two-kernel", space, config));
        expect(algorithm).toBe("two-kernel");
        expect(parseConfig(space, settings)).toEqual(config);
      }
    }),
    { numRuns: 300 },
  );
});

test("ids list parameters in the order of declaration, and the name alone without any", () => {
  const config = { unroll: false, exchange: "split", workgroup: 256, radix: 4 };
  const id = "fused/radix=4,workgroup=256,exchange=split,unroll=false";
  expect(formatId("fused", KERNEL, config)).toBe(id);
  expect(formatId("plain", { parameters: [], constraints: [] }, {})).toBe("plain");
  expect(parseId("plain")).toEqual({ algorithm: "plain", settings: {} });
});

test("a bad id is refused with the piece that is wrong", () => {
  expect(() => parseId("")).toThrow("names no algorithm");
  expect(() => parseId("fused/")).toThrow('"" is not parameter=value');
  expect(() => parseId("fused/radix")).toThrow('"radix" is not parameter=value');
  expect(() => parseId("fused/radix=4=8")).toThrow('"radix=4=8" is not parameter=value');
  expect(() => parseId("fused/radix=4,radix=8")).toThrow("radix is given twice");
  expect(() => parseConfig(KERNEL, { radix: "5" })).toThrow(
    "radix cannot be 5: choose one of 2, 4, 8, 16 points",
  );
  expect(() => parseConfig(KERNEL, { radx: "4" })).toThrow('unknown parameter "radx"');
  expect(() => parseConfig(KERNEL, { __proto__: "4", constructor: "1" })).toThrow("unknown parameter");
});

test("settings left out come from the defaults", () => {
  const defaults = { radix: 4, workgroup: 64, exchange: "split", unroll: true };
  expect(parseConfig(KERNEL, { workgroup: "128" }, defaults)).toEqual({ ...defaults, workgroup: 128 });
});
