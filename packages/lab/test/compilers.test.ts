import { describe, expect, it } from "vitest";
import { compilersFor, MOST_COMPILERS } from "../src/compilers.ts";

describe("compilers beside a timing", () => {
  it.each([
    ["discrete", 16, 14],
    ["discrete", 8, 6],
    ["discrete", 128, MOST_COMPILERS],
    ["discrete", 7, 0],
    ["integrated", 16, 0],
    ["cpu", 64, 0],
    ["unknown", 64, 0],
  ])("of a %s GPU and %i cores are %i unless somebody says how many", (adapterType, cores, count) => {
    expect(compilersFor(adapterType, cores)).toBe(count);
  });
});
