import { expect, it } from "vitest";
import { driftOf } from "../src/drift.ts";

const wanted = '{ "schema": 1, "entries": [{ "rows": [{ "minUs": 4.1 }, { "minUs": 5 }] }] }\n';

it("a file that is what the evidence gives has no drift", () => {
  expect(driftOf("tables/a.json", wanted, wanted)).toBeUndefined();
});

it("a table edited by hand is told with the place, what stands there and what the evidence gives", () => {
  const edited = wanted.replace("4.1", "3.2");
  expect(driftOf("tables/a.json", edited, wanted)).toBe(
    "tables/a.json: entries[0].rows[0].minUs is 3.2, the evidence gives 4.1",
  );
  expect(driftOf("tables/a.json", wanted.replace(', { "minUs": 5 }', ""), wanted)).toBe(
    'tables/a.json: entries[0].rows[1] is gone, the evidence gives {"minUs":5}',
  );
  expect(driftOf("tables/a.json", wanted.replace('"schema"', '"mine": 7, "schema"'), wanted)).toBe(
    "tables/a.json: mine is 7, the evidence gives no such value",
  );
  expect(driftOf("tables/a.json", wanted.replace(/\[.*\]/, "{}"), wanted)).toMatch(
    /entries is {}, .* gives \[/,
  );
  expect(driftOf("tables/a.json", wanted.trim(), wanted)).toContain(
    "the values are right, their layout is not",
  );
});

it("a table that is no JSON any more says where it breaks, in one line", () => {
  const drift = driftOf("tables/a.json", wanted.slice(0, 40), wanted)!;
  expect(drift).toMatch(/^tables\/a\.json: not JSON \(.+\)$/);
  expect(drift.split("\n")).toHaveLength(1);
});

it("a missing file, a left-over one and a changed page are each told apart", () => {
  expect(driftOf("reports/a.md", undefined, "x")).toBe("reports/a.md is missing");
  expect(driftOf("reports/a.md", "x", undefined)).toContain("left over");
  expect(driftOf("reports/a.md", "a\nb\nX\n", "a\nb\nc\n")).toBe("reports/a.md differs from line 3 on");
  expect(driftOf("reports/a.md", "a\nb\nc\nd\n", "a\nb\nc\n")).toMatch(/differs from line 4 on/);
});

it("a long value is cut short in the message", () => {
  const long = driftOf("a.json", '{"x": 1}', JSON.stringify({ x: "y".repeat(500) }))!;
  expect(long.length).toBeLessThan(160);
});
