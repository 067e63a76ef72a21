import { type Config, namedParameters, type Space, wholeConfig } from "@tunelab/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  checkConfig,
  checkSpace,
  countValid,
  enumerate,
  formatId,
  neighbours,
  parseConfig,
  parseId,
  randomFrom,
  sample,
} from "../src/index.ts";
import { anySpace, KERNEL } from "./spaces.ts";

/** The kernel's space after two parameters were added to it: one means false where an id lacks it, one "memory". */
const LATER: Space = {
  parameters: [
    ...KERNEL.parameters,
    { name: "vector", values: [true, false], doc: "", absent: false },
    { name: "via", values: ["lanes", "memory"], doc: "", absent: "memory" },
  ],
  constraints: [
    ...KERNEL.constraints,
    {
      name: "lanes-hold-it",
      doc: "lanes exchange at most 8 points",
      parameters: ["via", "radix"],
      holds: ({ via, radix }) => via === "memory" || Number(radix) <= 8,
    },
  ],
};
const OLD: Config = { radix: 4, workgroup: 64, exchange: "split", unroll: false };
const OLD_ID = "fused/radix=4,workgroup=64,exchange=split,unroll=false";

const read = (space: Space, id: string, defaults: Config = {}): Config =>
  parseConfig(space, parseId(id).settings, defaults);

describe("a parameter added to a published algorithm", () => {
  test("leaves the ids of older variants as they were, and old ids mean what they meant", () => {
    expect(formatId("fused", KERNEL, OLD)).toBe(OLD_ID);
    const config = read(LATER, OLD_ID);
    expect(config).toEqual({ ...OLD, vector: false, via: "memory" });
    expect(formatId("fused", LATER, config)).toBe(OLD_ID);
  });

  test("is named at every other value, each parameter by itself", () => {
    const lanes = { ...OLD, vector: false, via: "lanes" };
    expect(formatId("fused", LATER, lanes)).toBe(`${OLD_ID},via=lanes`);
    const vector = { ...OLD, vector: true, via: "memory" };
    expect(formatId("fused", LATER, vector)).toBe(`${OLD_ID},vector=true`);
    expect(read(LATER, `${OLD_ID},via=memory,vector=true`)).toEqual(vector);
  });

  test("an id without it means its declared value even where the algorithm's default is another by now", () => {
    const defaults = { ...OLD, radix: 2, vector: true, via: "lanes" };
    expect(read(LATER, "fused/radix=8", defaults)).toEqual({
      ...OLD,
      radix: 8,
      vector: false,
      via: "memory",
    });
  });

  test("values and constraints hold for it as for any other", () => {
    expect(() => read(LATER, `${OLD_ID},via=air`)).toThrow("via cannot be air: choose one of lanes, memory");
    expect(() => read(LATER, `${OLD_ID.replace("radix=4", "radix=16")},via=lanes`)).toThrow(/lanes-hold-it/);
    expect(checkConfig(LATER, OLD)).toBe("parameter vector is missing: choose one of true, false");
  });

  test("a variant whose every parameter is left out is the algorithm's name, and read back from it", () => {
    const space: Space = { parameters: LATER.parameters.slice(-2), constraints: [] };
    const config = { vector: false, via: "memory" };
    expect(formatId("fused", space, config)).toBe("fused");
    expect(read(space, "fused")).toEqual(config);
  });

  test("changes neither what is enumerated nor which configurations are neighbours", () => {
    const plain: Space = { ...LATER, parameters: LATER.parameters.map(({ absent: _, ...rest }) => rest) };
    expect([...enumerate(LATER)]).toEqual([...enumerate(plain)]);
    expect(countValid(LATER)).toBe(countValid(plain));
    expect(sample(LATER, randomFrom(1), 9)).toEqual(sample(plain, randomFrom(1), 9));
    for (const config of sample(LATER, randomFrom(2), 9)) {
      expect(neighbours(LATER, config)).toEqual(neighbours(plain, config));
    }
  });
});

test("a configuration older than its parameters becomes whole, one that has them stays the same object", () => {
  expect(wholeConfig(LATER, OLD)).toEqual({ ...OLD, vector: false, via: "memory" });
  const whole = { ...OLD, vector: true, via: "lanes" };
  expect(wholeConfig(LATER, whole)).toBe(whole);
  // What no value is declared for stays missing, for checkConfig to name.
  expect(wholeConfig(LATER, { radix: 4 })).toEqual({ radix: 4, vector: false, via: "memory" });
  expect(namedParameters(LATER, OLD).map(({ name }) => name)).toEqual(Object.keys(OLD));
});

test("a declared value that the parameter does not list is a fault of the space", () => {
  const [first, ...rest] = LATER.parameters;
  const space: Space = { parameters: [{ ...first!, absent: 3 }, ...rest], constraints: [] };
  expect(checkSpace(space)).toEqual(["radix does not list 3, which an id without it means"]);
  expect(checkSpace(LATER)).toEqual([]);
});

test("in any space with any parameters left out, ids read back name the same configuration and no two share one", () => {
  fc.assert(
    fc.property(
      anySpace,
      fc.integer(),
      fc.array(fc.nat(3), { minLength: 5, maxLength: 5 }),
      (space, seed, at) => {
        const later: Space = {
          ...space,
          parameters: space.parameters.map((parameter, index) =>
            at[index] === 0 ? parameter : { ...parameter, absent: parameter.values.at(-1)! },
          ),
        };
        const configs = sample(later, randomFrom(seed), 8);
        const ids = configs.map((config) => formatId("fused", later, config));
        expect(new Set(ids).size).toBe(configs.length);
        for (const [index, id] of ids.entries()) expect(read(later, id)).toEqual(configs[index]);
      },
    ),
    { numRuns: 200 },
  );
});
