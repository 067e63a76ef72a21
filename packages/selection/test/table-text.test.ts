import { Fault, TABLE_SCHEMA } from "@tunelab/contract";
import { expect, it } from "vitest";
import { fold, parseTable, serialiseTable } from "../src/index.ts";
import { BOUNDS, session, trial } from "./made.ts";

const table = fold([session("a", [trial("p", 10), trial("q", 20)])], { bounds: BOUNDS })[0]!;
const text = serialiseTable(table);

const faultOf = (broken: string): Fault => {
  try {
    parseTable(broken, "tables/x.json");
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error("no fault was thrown");
};

it("key order of the input does not show, each row has a line, and the text ends in a newline", () => {
  const backwards = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(backwards)
      : value && typeof value === "object"
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, part]) => [key, backwards(part)]),
          )
        : value;
  expect(serialiseTable(backwards(table) as typeof table)).toBe(text);
  expect(text.split("\n").filter((line) => line.includes('"variant"'))).toHaveLength(2);
  expect(text.endsWith("}\n")).toBe(true);
});

it("a newer schema is refused by name, with both numbers", () => {
  const fault = faultOf(text.replace(/"schema": \d+/, '"schema": 99'));
  expect(fault.kind).toBe("data");
  expect(fault.message).toContain(
    `tables/x.json was written by a newer tunelab (schema 99, this one reads ${TABLE_SCHEMA})`,
  );
});

it("truncated, foreign and damaged files are named faults, each with its place", () => {
  expect(faultOf(text.slice(0, 200)).message).toMatch(/tables\/x.json is not JSON/);
  expect(faultOf("[]").message).toMatch(/is not a tuning table: it is not an object/);
  expect(faultOf("null").message).toMatch(/is not a tuning table/);
  expect(faultOf("{}").message).toMatch(/schema is missing/);
  expect(faultOf(text.replace('"minUs": 20', '"minUs": "20"')).message).toMatch(
    /entries\[0\]\.rows\[1\]\.minUs is missing or not a number/,
  );
  expect(faultOf(text.replace('"capabilities"', '"abilities"')).message).toMatch(/device.capabilities/);
});
