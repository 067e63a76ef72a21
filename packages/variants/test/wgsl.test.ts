import { EXTENTS_WORDS, Fault } from "@tunelab/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  formatF32,
  formatU32,
  indent,
  linearGroup,
  lines,
  times,
} from "../src/index.ts";

test("lines drops what a condition left out and keeps deliberate empty lines", () => {
  expect(lines("a", false, ["b", undefined, ["c"]], "", "d")).toBe("a\nb\nc\n\nd");
});

test("indent and block nest and leave empty lines without trailing spaces", () => {
  expect(block("fn f()", "a;", "", block("if (x)", "b;"))).toBe(
    "fn f() {\n  a;\n\n  if (x) {\n    b;\n  }\n}",
  );
  expect(block("fn g()")).toBe("fn g() {\n}");
  expect(indent("a\nb")).toBe("  a\n  b");
});

test("times unrolls from zero", () => {
  expect(lines(times(3, (i) => `x${i};`))).toBe("x0;\nx1;\nx2;");
});

test("an f32 literal reads back as exactly the same bits", () => {
  const bits = (value: number) => new Uint32Array(new Float32Array([value]).buffer)[0];
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const literal = formatF32(value);
      expect(literal).toMatch(/^(\(-\d+(\.\d+)?(e[+-]\d+)?f\)|\d+(\.\d+)?(e[+-]\d+)?f)$/);
      expect(literal).toMatch(/[.e]/);
      expect(bits(Number(literal.replace(/[()f]/g, "")))).toBe(bits(value));
    }),
    { numRuns: 5000 },
  );
});

test("f32 literals are the shortest decimals, with negatives in parentheses", () => {
  expect([0, -0, 1, 0.1, -1.5, Math.PI, 1e21, 1.17549435e-38, 3.4028234663852886e38].map(formatF32)).toEqual([
    "0.0f",
    "(-0.0f)",
    "1.0f",
    "0.1f",
    "(-1.5f)",
    "3.1415927f",
    "1e+21f",
    "1.1754944e-38f",
    "3.4028234663852886e+38f",
  ]);
});

test("values without a literal are refused by name", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 3.5e38]) {
    expect(() => formatF32(value)).toThrow(Fault);
  }
  expect(() => formatU32(-1)).toThrow("-1 is no u32");
  expect(() => formatU32(2 ** 32)).toThrow(Fault);
  expect(formatU32(4294967295)).toBe("4294967295u");
});

test("the extents struct lists the built-in words and then the plan's own", () => {
  const text = extentsStruct({ templates: 3 });
  expect([...text.matchAll(/(\w+): u32,/g)].map((match) => match[1])).toEqual([
    ...EXTENTS_WORDS,
    "templates",
  ]);
  expect(extentsStruct(["templates"])).toBe(text);
  expect(() => extentsStruct(["items"])).toThrow("two extents are named items");
  expect(() => extentsStruct(["two words"])).toThrow("no WGSL identifier");
});

test("bindings are numbered from one and need a type each", () => {
  const bindings = [
    { buffer: "data", access: "read" },
    { buffer: "peaks", access: "read-write" },
  ] as const;
  expect(bindingDeclarations(bindings, { data: "array<vec2f>", peaks: "array<u32>" })).toBe(
    "@group(0) @binding(1) var<storage, read> data: array<vec2f>;\n" +
      "@group(0) @binding(2) var<storage, read_write> peaks: array<u32>;",
  );
  expect(() => bindingDeclarations(bindings, { data: "array<f32>" })).toThrow("peaks");
});

test("the linear workgroup index counts every folded group once", () => {
  const index = new Function("group", "groups", `return ${linearGroup()}`) as (
    group: object,
    groups: object,
  ) => number;
  const seen: number[] = [];
  for (let z = 0; z < 2; z++)
    for (let y = 0; y < 3; y++)
      for (let x = 0; x < 5; x++) seen.push(index({ x, y, z }, { x: 5, y: 3, z: 2 }));
  expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => i));
});
