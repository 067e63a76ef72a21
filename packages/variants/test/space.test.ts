import type { Space } from "@tunelab/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  checkConfig,
  checkSpace,
  countRaw,
  countValid,
  dedupe,
  enumerate,
  neighbours,
  reportSpace,
} from "../src/index.ts";
import { anySpace, bruteForce, KERNEL, TEN_MILLION } from "./spaces.ts";

test("enumeration gives exactly the valid part of the cartesian product, in its order", () => {
  fc.assert(
    fc.property(anySpace, (space) => {
      const expected = bruteForce(space);
      expect([...enumerate(space)]).toEqual(expected);
      expect(countValid(space)).toBe(expected.length);
    }),
    { numRuns: 500 },
  );
});

test("of ten million combinations with ten thousand valid ones, few are ever visited", () => {
  let visits = 0;
  let valid = 0;
  for (const _ of enumerate(TEN_MILLION, () => visits++)) valid++;
  expect(countRaw(TEN_MILLION)).toBe(10_000_000);
  expect(valid).toBe(10_000);
  expect(visits).toBeLessThan(25_000);
});

test("parameters that share no constraint are multiplied, not walked", () => {
  const wide: Space = {
    parameters: Array.from({ length: 12 }, (_, i) => ({
      name: `w${i}`,
      values: [...Array(20).keys()],
      doc: "",
    })),
    constraints: [],
  };
  expect(countValid(wide)).toBe(20 ** 12);
});

test("a constraint without parameters decides the whole space", () => {
  const never = { name: "never", doc: "", parameters: [], holds: () => false };
  const space: Space = { ...KERNEL, constraints: [never, ...KERNEL.constraints] };
  expect([...enumerate(space)]).toEqual([]);
  expect(countValid(space)).toBe(0);
  expect([...enumerate({ parameters: [], constraints: [] })]).toEqual([{}]);
});

test("a constraint on an unknown parameter is refused with the names there are", () => {
  const space: Space = {
    ...KERNEL,
    constraints: [{ name: "odd", doc: "", parameters: ["radx"], holds: () => true }],
  };
  expect(() => [...enumerate(space)]).toThrow(/constraint odd reads the unknown parameter radx.*radix/);
  expect(checkSpace(space)).toEqual(["constraint odd reads the unknown parameter radx"]);
});

test("a space check finds what ids cannot carry and constraints that read more than they declare", () => {
  expect(checkSpace(KERNEL)).toEqual([]);
  const bad: Space = {
    parameters: [
      { name: "a,b", values: [1], doc: "" },
      { name: "c", values: [1, "1"], doc: "" },
      { name: "d", values: [], doc: "" },
      { name: "d", values: ["x=y"], doc: "" },
    ],
    constraints: [],
  };
  expect(checkSpace(bad)).toHaveLength(5);
  const sly: Space = {
    ...KERNEL,
    constraints: [
      { name: "sly", doc: "", parameters: ["radix"], holds: ({ workgroup }) => workgroup !== 64 },
    ],
  };
  expect(checkSpace(sly)).toEqual(["constraint sly reads workgroup, which it does not declare"]);
});

test("neighbours differ in one parameter, adjacent values first, and are all valid", () => {
  const around = neighbours(KERNEL, { radix: 4, workgroup: 64, exchange: "split", unroll: true });
  expect(
    around.map(({ radix, workgroup, exchange, unroll }) => [radix, workgroup, exchange, unroll]),
  ).toEqual([
    [2, 64, "split", true],
    [8, 64, "split", true],
    [4, 128, "split", true],
    [4, 64, "whole", true],
    [4, 64, "split", false],
    [16, 64, "split", true],
    [4, 256, "split", true],
  ]);
});

test("neighbourhood is symmetric", () => {
  fc.assert(
    fc.property(anySpace, (space) => {
      const all = [...enumerate(space)].slice(0, 40);
      for (const config of all) {
        for (const next of neighbours(space, config)) expect(neighbours(space, next)).toContainEqual(config);
      }
    }),
    { numRuns: 50 },
  );
});

test("a bad configuration is named in one line with what exists", () => {
  const good = { radix: 4, workgroup: 64, exchange: "split", unroll: true };
  expect(checkConfig(KERNEL, good)).toBeUndefined();
  expect(checkConfig(KERNEL, { ...good, radx: 4 })).toBe(
    'unknown parameter "radx": the parameters are radix, workgroup, exchange, unroll',
  );
  expect(checkConfig(KERNEL, { ...good, radix: 3 })).toBe(
    "radix cannot be 3: choose one of 2, 4, 8, 16 points",
  );
  expect(checkConfig(KERNEL, { ...good, radix: "4" })).toBe(
    'radix cannot be "4": choose one of 2, 4, 8, 16 points',
  );
  expect(checkConfig(KERNEL, { radix: 4, workgroup: 64, unroll: true })).toBe(
    "parameter exchange is missing: choose one of whole, split",
  );
  expect(checkConfig(KERNEL, { ...good, workgroup: 256, exchange: "whole" })).toBe(
    "exchange=whole, workgroup=256 breaks the constraint whole-fits: a whole exchange needs a workgroup of at most 64",
  );
});

test("the space report tells what each constraint takes away and which values nothing reaches", () => {
  const report = reportSpace(KERNEL);
  expect(report.raw).toBe(48);
  expect(report.constraints.map(({ name, before, after }) => [name, before, after])).toEqual([
    ["registers", 48, 36],
    ["whole-fits", 36, 26],
  ]);
  expect(report.valid).toBe(bruteForce(KERNEL).length);
  expect(report.unreachable).toEqual([]);
  const tight: Space = {
    ...KERNEL,
    constraints: [
      ...KERNEL.constraints,
      { name: "big", doc: "", parameters: ["radix"], holds: ({ radix }) => radix === 16 },
    ],
  };
  expect(reportSpace(tight).unreachable.map(({ parameter, value }) => `${parameter}=${value}`)).toEqual([
    "radix=2",
    "radix=4",
    "radix=8",
    "workgroup=128",
    "workgroup=256",
  ]);
});

test("configurations of one plan hash form one group, in the order they came", async () => {
  const groups = await dedupe([5, 2, 7, 4, 10], async (n) => (n % 2 === 0 ? "even" : "odd"));
  expect(groups).toEqual([
    { hash: "odd", configs: [5, 7] },
    { hash: "even", configs: [2, 4, 10] },
  ]);
});
