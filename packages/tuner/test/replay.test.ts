import { describe, expect, it } from "vitest";
import { parseReplay, type ReplayFile, replay, STRATEGIES } from "../src/index.ts";
import { repeatedKey } from "../src/replay/repeated-key.ts";
import { fractionOfOptimum, randomBaseline, scoreOf, yardstick } from "../src/replay/score.ts";
import { textOf } from "./replay-text.ts";

const fault = (text: string): string => {
  try {
    parseReplay(text, "a.json");
  } catch (error) {
    return (error as Error).message;
  }
  return "no fault";
};

describe("a replay file", () => {
  it("is read with its failures and its repeats", () => {
    const { kernel, device, parameters, entries } = parseReplay(textOf(), "a.json");
    expect({ kernel, device }).toEqual({ kernel: "toy", device: "gpu" });
    expect(parameters.map(({ name }) => name)).toEqual(["x", "kind", "fast"]);
    expect(entries).toHaveLength(12);
    expect(entries[0]).toEqual({
      config: { x: 1, kind: "a", fast: false },
      failure: "RuntimeFailedConfig",
    });
    expect(entries[1]).toEqual({
      config: { x: 1, kind: "a", fast: true },
      ms: 2,
      repeatsMs: [1.5, 2.5],
    });
  });

  it("cut off at any of 200 places is refused in one line that says so", () => {
    const text = textOf().trimEnd();
    for (let place = 0; place < 200; place++) {
      const offset = Math.floor((place * text.length) / 200);
      const message = fault(text.slice(0, offset));
      expect(message, `cut at ${offset}`).toMatch(/^a\.json: the JSON is cut off/);
      expect(message).not.toContain("\n");
    }
  });

  it.each([
    ["NaN", '"time": 2', '"time": NaN', /holds NaN, which is no time/],
    ["Infinity", '"time": 2', '"time": -Infinity', /holds -Infinity/],
    ["a text for a time", '"time": 2', '"time": "2.0"', /time of "1,a,True" is the text "2\.0"/],
    ["no time at all", '"time": 2', '"tame": 2', /time of "1,a,True" is undefined/],
    ["a negative time", '"time": 2', '"time": -2', /must be above 0 ms/],
    ["a key given twice", '"1,b,False"', '"1,a,True"', /key "1,a,True" comes twice/],
    ["a key written twice in other letters", '"1,b,False"', '"1,\\u0061,True"', /comes twice/],
    ["a key that names another entry", '"1,b,False"', '"2,z,False"', /does not name its own parameters/],
    ["the same configuration twice", '"x": 1, "kind": "b"', '"x": 1, "kind": "a"', /does not name its own/],
    [
      "one configuration under two spellings",
      '"1,b,True": {"x": 1, "kind": "b", "fast": true',
      '"1.0,b,False": {"x": 1, "kind": "b", "fast": false',
      /"1,b,False" and "1\.0,b,False" are the same/,
    ],
    ["a value with a comma", '["a", "b"]', '["a,b", "b"]', /value "a,b": keys joined by commas/],
    ["values that one text stands for", "[1, 2, 4]", '[1, "1", 4]', /two values written 1/],
    [
      "a foreign value",
      '"kind": "b", "fast": true',
      '"kind": "c", "fast": true',
      /has kind="c", which kind does not/,
    ],
    ["no cache", '"cache"', '"cash"', /no object "cache"/],
    ["no parameters", '"tune_params_keys"', '"keys"', /no "tune_params_keys"/],
    ["a parameter without values", "[1, 2, 4]", "[]", /"x" has no list of values/],
  ])("with %s is refused in one line", (_, from, to, expected) => {
    const message = fault(textOf().replace(from, to));
    expect(message).toMatch(expected);
    expect(message).toMatch(/^a\.json: [^\n]+$/);
  });

  it("that is no JSON object, or where nothing has a time, is refused", () => {
    expect(fault("[1]")).toMatch(/no JSON object/);
    expect(fault("}{")).toMatch(/this is no JSON/);
    expect(fault(textOf().replace(/"time": [\d.]+/g, '"time": "CompilationFailedConfig"'))).toMatch(
      /no configuration/,
    );
  });
});

describe("keys that come twice", () => {
  it("are found in nested objects, not in lists, in values or in other objects", () => {
    expect(repeatedKey('{"a": {"b": 1}, "c": {"b": ["b", "b", "a"]}, "d": "a"}')).toBeUndefined();
    expect(repeatedKey('{"a": [{"b": 1, "c": "{", "b" : 2}]}')).toBe("b");
    expect(repeatedKey('{"a\\"": 1, "x": "\\"a\\":", "a\\"": 2}')).toBe('a"');
  });
});

describe("the score", () => {
  // 99 times, 1 ... 99 ms: optimum 1, median 50, target 3.45, first at index 96, so ceil(96 / (100 - 96)) = 24.
  const stick = yardstick(Array.from({ length: 99 }, (_, index) => index + 1));

  it("takes its budget from where random search comes within 5% of the optimum", () => {
    expect(stick).toMatchObject({ optimum: 1, median: 50, budget: 24 });
    expect(randomBaseline(stick, 1)).toBe(99 - 50);
    expect(randomBaseline(stick, 10_000)).toBe(1);
  });

  it("is 1 for the optimum at once and 0 for what random search finds", () => {
    const curve = (at: (t: number) => number | undefined): readonly (number | undefined)[] =>
      Array.from({ length: 24 }, (_, index) => at(index + 1));
    expect(scoreOf(stick, [curve(() => 1)])).toBe(1);
    expect(scoreOf(stick, [curve((t) => randomBaseline(stick, t))])).toBe(0);
    expect(scoreOf(stick, [curve(() => 1).slice(1)])).toBeUndefined();
  });

  it("takes the median over runs, and the space's median before the first success", () => {
    const flat = (value: number | undefined) => Array.from({ length: 24 }, () => value);
    const one = scoreOf(stick, [flat(1), flat(1), flat(99)])!;
    expect(one).toBe(1);
    expect(scoreOf(stick, [flat(undefined)])).toBe(scoreOf(stick, [flat(50)]));
    expect(fractionOfOptimum(stick, [flat(2), flat(undefined)], 3)).toBeCloseTo((1 / 2 + 1 / 50) / 2, 12);
  });
});

describe("a replay", () => {
  const file: ReplayFile = parseReplay(textOf(), "a.json");

  it("finds the optimum once every configuration was tried, failures costing an evaluation each", () => {
    for (const strategy of Object.values(STRATEGIES)) {
      const { fractions, valid, configurations } = replay(file, strategy, {
        runs: 3,
        evaluations: 12,
        seed: 1,
      });
      expect({ valid, configurations }).toEqual({ valid: 11, configurations: 12 });
      expect(fractions.at(-1)).toBe(1);
    }
    const { fractions } = replay(file, STRATEGIES.exhaustive, { runs: 1, evaluations: 3, seed: 1 });
    expect(fractions[0]).toBeCloseTo(0.5 / 2.75, 12); // the first configuration failed: the space's median
    expect(fractions[1]).toBeCloseTo(0.5 / 2, 12);
  });

  it("gives the same numbers for the same seed", () => {
    const options = { runs: 4, evaluations: 6, seed: 9 };
    for (const strategy of Object.values(STRATEGIES)) {
      expect(replay(file, strategy, options)).toEqual(replay(file, strategy, options));
    }
  });
});
