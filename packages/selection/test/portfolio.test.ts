import type { Fault } from "@tunelab/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { borrowing, judge, type Member, portfolio, portfolioOfAtMost } from "../src/index.ts";

const member = (name: string, times: Record<string, number>): Member => ({
  name,
  times: new Map(Object.entries(times)),
});
const A = member("a", { fast: 10, even: 10.2, odd: 30 });
const B = member("b", { fast: 20, even: 10.2, odd: 10 });

describe("the smallest portfolio", () => {
  it("is one variant where one is within the fraction everywhere, though it is best nowhere", () => {
    const found = portfolio([A, B], 0.03);
    expect(found).toMatchObject({ variants: ["even"], smallest: true });
    expect(found.worst).toBeCloseTo(10 / 10.2, 12);
  });

  it("holds each member's best when nothing is given away", () => {
    expect(portfolio([A, B], 0).variants).toEqual(["fast", "odd"]);
  });

  it("counts a variant that failed on a member as no help there", () => {
    const only = member("c", { special: 5 });
    expect(portfolio([A, B, only], 0.03).variants).toEqual(["even", "special"]);
    expect(judge(["even"], [only]).efficiency).toEqual([0]);
  });

  it("of no member is empty, and of one that has no time a usage fault that names it", () => {
    expect(portfolio([], 0.03).variants).toEqual([]);
    for (const [members, within, words] of [
      [[A, member("void", {})], 0.03, /nothing was measured on void/],
      [[A], 1, /within is 1/],
    ] as const) {
      expect(() => portfolio(members, within)).toThrow(words);
    }
  });

  it("is as small as trying every set says, and as good as promised", () => {
    const names = ["p", "q", "r", "s", "t"];
    const spaces = fc.array(fc.array(fc.integer({ min: 100, max: 140 }), { minLength: 5, maxLength: 5 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(spaces, (rows) => {
        const members = rows.map((row, index) =>
          member(`m${index}`, Object.fromEntries(row.map((time, at) => [names[at]!, time]))),
        );
        const found = portfolio(members, 0.05);
        expect(found.worst).toBeGreaterThanOrEqual(0.95);
        const sizes = Array.from({ length: 31 }, (_, set) =>
          names.filter((_name, bit) => (set + 1) & (1 << bit)),
        )
          .filter((set) => judge(set, members).worst >= 0.95)
          .map(({ length }) => length);
        expect(found.variants.length).toBe(Math.min(...sizes));
      }),
    );
  });
});

describe("the best portfolio of at most so many", () => {
  it("is the variant of the best worst case, then better with every place", () => {
    const one = portfolioOfAtMost([A, B], 1);
    expect(one.variants).toEqual(["even"]);
    expect(portfolioOfAtMost([A, B], 2)).toMatchObject({ variants: ["fast", "odd"], worst: 1 });
  });

  it("when too few places are given for variants that run everywhere, says so", () => {
    const apart = [member("x", { left: 1 }), member("y", { right: 1 })];
    expect(() => portfolioOfAtMost(apart, 1)).toThrow(/no 1 variants run on every member/);
    expect(
      (() => {
        try {
          portfolioOfAtMost(apart, 0);
        } catch (error) {
          return error;
        }
      })(),
    ).toMatchObject({
      kind: "usage",
    } satisfies Partial<Fault>);
  });
});

describe("borrowing", () => {
  it("judges each member by sets chosen without it, and each member's best everywhere", () => {
    const C = member("c", { fast: 11, even: 10, odd: 40 });
    const { leftOut, borrowed, smallest } = borrowing([A, B, C], 0.03, 2);
    expect(smallest.variants).toEqual(["even"]);
    // Without b, `even` serves a and c; on b it reaches 10 of 10.2.
    expect(leftOut[1]!.set.efficiency).toBeCloseTo(10 / 10.2, 12);
    expect(borrowed[0]).toEqual([1, 0.5, 10 / 11]);
  });
});
