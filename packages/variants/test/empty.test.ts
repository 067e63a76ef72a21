import type { Space } from "@tunelab/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkSpace, countValid, enumerate, onlyWhen, reportSpace, whyEmpty } from "../src/index.ts";
import { soonestFirst } from "../src/order.ts";
import { anySpace, bruteForce, KERNEL } from "./spaces.ts";

const digits = (...names: string[]): Space["parameters"] =>
  names.map((name) => ({ name, values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], doc: "" }));
const rule = (name: string, parameters: string[], holds: (c: Record<string, number>) => boolean) => ({
  name,
  doc: `rule ${name}`,
  parameters,
  holds: holds as (config: unknown) => boolean,
});

test("a space without a valid variant names the constraint that removed the last, and those that contradict", () => {
  const space: Space = {
    parameters: digits("a", "b"),
    constraints: [
      rule("even", ["a"], ({ a }) => a! % 2 === 0),
      rule("at-least-6", ["a"], ({ a }) => a! >= 6),
      rule("below-b", ["a", "b"], ({ a, b }) => a! < b!),
      rule("b-at-most-5", ["b"], ({ b }) => b! <= 5),
      rule("b-odd", ["b"], ({ b }) => b! % 2 === 1),
    ],
  };
  expect(whyEmpty(space)).toEqual({
    emptiedBy: "b-at-most-5",
    contradictory: ["at-least-6", "below-b", "b-at-most-5"],
    reason:
      "no variant is valid: b-at-most-5 removes the last; at-least-6 (rule at-least-6), below-b (rule below-b), b-at-most-5 (rule b-at-most-5) contradict one another",
  });
  expect(reportSpace(space).empty?.emptiedBy).toBe("b-at-most-5");
});

test("contradictory bounds of one parameter, an impossible constraint and a parameter without values are told apart", () => {
  const bounds: Space = {
    parameters: digits("a"),
    constraints: [rule("least", ["a"], ({ a }) => a! > 6), rule("most", ["a"], ({ a }) => a! < 5)],
  };
  expect(whyEmpty(bounds)?.contradictory).toEqual(["least", "most"]);
  const never = { ...bounds, constraints: [rule("never", ["a"], () => false)] };
  expect(whyEmpty(never)?.reason).toBe(
    "no variant is valid: never (rule never) holds for no combination of values",
  );
  expect(whyEmpty({ ...bounds, parameters: [{ name: "a", values: [], doc: "" }] })?.reason).toMatch(
    /a has no values/,
  );
  expect(whyEmpty(KERNEL)).toBeUndefined();
  expect(reportSpace(KERNEL).empty).toBeUndefined();
});

test("whatever contradicts is empty together and not without any one of it", () => {
  let empty = 0;
  fc.assert(
    fc.property(anySpace, (space) => {
      const why = whyEmpty(space);
      expect(why === undefined).toBe(bruteForce(space).length > 0);
      if (!why?.emptiedBy) return;
      empty++;
      const core = space.constraints.filter(({ name }) => why.contradictory.includes(name));
      expect(bruteForce({ ...space, constraints: core })).toEqual([]);
      for (const one of core) {
        const rest = core.filter((other) => other !== one);
        expect(bruteForce({ ...space, constraints: rest }).length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500, seed: 5 },
  );
  expect(empty).toBeGreaterThan(10);
});

test("a parameter that means nothing takes one value there, and every value where it counts", () => {
  const space: Space = {
    parameters: [
      { name: "tile", values: [1, 2, 4], doc: "" },
      { name: "hoist", values: [false, true], doc: "" },
    ],
    constraints: [
      onlyWhen("hoist", false, ["tile"], ({ tile }) => Number(tile) > 1, "nothing to hoist out of one round"),
    ],
  };
  expect(checkSpace(space)).toEqual([]);
  expect([...enumerate(space)].map(({ tile, hoist }) => `${tile} ${hoist}`)).toEqual([
    "1 false",
    "2 false",
    "2 true",
    "4 false",
    "4 true",
  ]);
});

test("parameters in the order that decides constraints soonest leave the same configurations", () => {
  fc.assert(
    fc.property(anySpace, (space) => {
      const text = (configs: Iterable<object>): string[] =>
        [...configs].map((config) => JSON.stringify(Object.entries(config).sort())).sort();
      expect(text(enumerate(soonestFirst(space)))).toEqual(text(enumerate(space)));
    }),
    { numRuns: 200 },
  );
});

test("tied parameters declared far apart are counted with few choices tried", () => {
  const names = ["a", "b", "c", "d", "f", "g"];
  const space: Space = {
    parameters: digits(...names),
    constraints: [
      rule("sum", ["a", "g"], ({ a, g }) => a! + g! === 9),
      rule("b-f", ["b", "f"], ({ b, f }) => b === f),
      rule("a-b-d", ["a", "b", "d"], ({ a, b, d }) => a! * b! === d!),
    ],
  };
  const visitsOf = (one: Space): number => {
    let visits = 0;
    for (const _ of enumerate(one, () => visits++));
    return visits;
  };
  expect(visitsOf(soonestFirst(space))).toBeLessThan(visitsOf(space) / 4);
  expect(countValid(space)).toBe(bruteCount(space));
});

/** Odometer over all 10^6 combinations of digits, without keeping any. */
function bruteCount({ parameters, constraints }: Space): number {
  let count = 0;
  const config: Record<string, number> = {};
  for (let number = 0; number < 10 ** parameters.length; number++) {
    let rest = number;
    for (const { name } of parameters) {
      config[name] = rest % 10;
      rest = Math.floor(rest / 10);
    }
    if (constraints.every((one) => one.holds(config))) count++;
  }
  return count;
}

test("a large space whose halves one parameter ties is counted as what enumeration finds, and at once", () => {
  const halves = ["a", "b", "c", "d", "f", "g"];
  const tied: Space = {
    parameters: digits(...halves),
    constraints: [
      rule("a-b", ["a", "b"], ({ a, b }) => a! <= b!),
      rule("b-c", ["b", "c"], ({ b, c }) => b! <= c!),
      rule("c-d", ["c", "d"], ({ c, d }) => (c! * d!) % 3 === 0),
      rule("d-f", ["d", "f"], ({ d, f }) => d! !== f!),
      rule("f-g", ["f", "g"], ({ f, g }) => f! + g! > 4),
    ],
  };
  expect(countValid(tied)).toBe(bruteCount(tied));
  const leaves = Array.from({ length: 15 }, (_, index) => `leaf${index}`);
  const star: Space = {
    parameters: digits("hub", ...leaves),
    constraints: leaves.map((name) => rule(name, ["hub", name], (config) => config[name] !== config.hub)),
  };
  // 10 hubs by 9^15 leaves: beyond what could be enumerated.
  expect(countValid(star)).toBe(10 * 9 ** 15);
});
