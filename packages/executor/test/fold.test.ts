import { Fault } from "@tunelab/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldGroups } from "../src/index.ts";

describe("foldGroups", () => {
  it("leaves a count within the limit in x", () => {
    expect(foldGroups(0, 65_535)).toEqual([0, 1, 1]);
    expect(foldGroups(1, 65_535)).toEqual([1, 1, 1]);
    expect(foldGroups(65_535, 65_535)).toEqual([65_535, 1, 1]);
  });

  it("spreads one more over two even rows", () => {
    expect(foldGroups(65_536, 65_535)).toEqual([32_768, 2, 1]);
  });

  it("covers every count, within the limit, wasting less than a row a slice", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 65_535 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (limit, part) => {
          const count = Math.floor(part * Math.min(limit ** 3, 2 ** 31));
          const [x, y, z] = foldGroups(count, limit);
          for (const side of [x, y, z]) expect(side).toBeLessThanOrEqual(limit);
          expect(x * y * z).toBeGreaterThanOrEqual(count);
          expect(x * y * z - count).toBeLessThanOrEqual((y + 1) * z + x * y);
        },
      ),
    );
  });

  it.each([
    [9, 2, /over 8 \(maxComputeWorkgroupsPerDimension cubed\)/],
    [2 ** 32 + 1, 65_535, /u32 workgroup indexes/],
    [-1, 65_535, /non-negative integer/],
    [Number.NaN, 65_535, /non-negative integer/],
  ])("refuses %d groups at a limit of %d", (count, limit, words) => {
    expect(() => foldGroups(count, limit)).toThrow(Fault);
    expect(() => foldGroups(count, limit)).toThrow(words);
  });
});
