import { describe, expect, it } from "vitest";
import { type Claim, judgeClaim, judgeRun, overall } from "../src/index.ts";
import { experiment, run } from "./made.ts";

const claim = (predicted: number, more: Partial<Claim> = {}): Claim => ({
  text: "a takes so many times b",
  figure: "time",
  of: "a",
  over: "b",
  predicted,
  ...more,
});
/** Eight rounds around a time, a permille apart. */
const around = (us: number, spread = 0.001): number[] =>
  Array.from({ length: 8 }, (_, round) => us * (1 + spread * (round - 3.5)));
const verdict = (one: Claim, a: readonly (number | null)[], b: readonly (number | null)[], more = {}) =>
  judgeClaim(one, run({ a, b }, more)).verdict;

describe("a claim of a difference", () => {
  it("is kept when it is there and at least half as large as predicted, in log ratio", () => {
    expect(verdict(claim(2), around(20), around(10))).toBe("kept");
    expect(verdict(claim(2), around(15), around(10))).toBe("kept"); // 1.5 is over the square root of 2
    expect(verdict(claim(0.5), around(5), around(10))).toBe("kept"); // and in the other direction
    expect(verdict(claim(2), around(80), around(10))).toBe("kept"); // more than predicted
  });

  it("is ruled out when even half of it is not there, or it goes the other way", () => {
    expect(verdict(claim(2), around(13), around(10))).toBe("ruled out");
    expect(verdict(claim(2), around(10), around(10))).toBe("ruled out");
    expect(verdict(claim(2), around(10), around(20))).toBe("ruled out");
    expect(verdict(claim(0.5), around(20), around(10))).toBe("ruled out");
  });

  it("is inside the noise when the rounds scatter over both answers", () => {
    const wild = [10, 30, 8, 28, 9, 31, 10, 29];
    expect(verdict(claim(2), wild, around(14))).toBe("inside the noise");
  });

  it("is inside the noise below what the device can tell, however well the rounds agree", () => {
    expect(verdict(claim(1.2), around(12), around(10))).toBe("kept");
    expect(verdict(claim(1.2), around(12), around(10), { software: true })).toBe("inside the noise");
    expect(verdict(claim(1.2), around(12), around(10), { gateReachable: false })).toBe("inside the noise");
    expect(verdict(claim(3), around(30), around(10), { software: true })).toBe("kept");
  });

  it("needs six rounds for any verdict but noise", () => {
    expect(verdict(claim(2), [20, 20, 20, 20, 20], [10, 10, 10, 10, 10])).toBe("inside the noise");
    expect(verdict(claim(2), [20, 20, 20, 20, 20, 20], [10, 10, 10, 10, 10, 10])).toBe("kept");
  });
});

describe("a claim of equality", () => {
  const same = claim(1, { within: 0.1 });
  it("is kept inside its band, ruled out beyond it, and else inside the noise", () => {
    expect(verdict(same, around(10.2), around(10))).toBe("kept");
    expect(verdict(same, around(13), around(10))).toBe("ruled out");
    expect(verdict(same, around(7), around(10))).toBe("ruled out");
    expect(verdict(same, around(11, 0.01), around(10))).toBe("inside the noise");
    expect(verdict(same, around(10), around(10), { software: true })).toBe("inside the noise");
  });
});

describe("figures", () => {
  it("a round in which an arm has no time counts for nothing; without any the claim is not measured and says why", () => {
    const gap = [...around(20).slice(0, 7), null];
    expect(verdict(claim(2), gap, around(10))).toBe("kept");
    const none = run({ a: [null, null], b: [1, 1] });
    const arms = none.arms.map((arm, index) =>
      index === 0 ? { ...arm, status: "inaccurate", reason: "errs by 1e-3" } : arm,
    );
    expect(judgeClaim(claim(2), { ...none, arms })).toMatchObject({
      verdict: "not measured",
      why: "a is inaccurate: errs by 1e-3",
    });
    expect(judgeClaim(claim(2, { of: "z" }), none).verdict).toBe("not measured");
  });

  it("time per item divides each arm's time by its own items", () => {
    const one = run({ a: around(10), b: around(100) });
    const arms = [one.arms[0]!, { ...one.arms[1]!, items: 80 }];
    const judged = judgeClaim(claim(2, { figure: "time-per-item" }), { ...one, arms });
    expect(judged.ratio).toBeCloseTo(2, 6); // 2.5 us an item against 1.25
    expect(judged.verdict).toBe("kept");
  });

  it("errors have no interval and no noise, on a noisy device too", () => {
    const one = run({ a: [1], b: [1] }, { software: true });
    const arms = [{ ...one.arms[0]!, error: 5e-7 }, one.arms[1]!];
    const errors = claim(5, { figure: "error" });
    expect(judgeClaim(errors, { ...one, arms })).toMatchObject({ verdict: "kept", ratio: 5 });
    expect(judgeClaim(errors, one).verdict).toBe("ruled out");
    expect(judgeClaim(errors, { ...one, arms: [{ ...one.arms[0]!, error: 0 }, one.arms[1]!] }).verdict).toBe(
      "not measured",
    );
  });
});

it("an experiment is kept when all of its claims are, and ruled out by any", () => {
  const claims = [claim(2), claim(2, { of: "c" })];
  const times = { a: around(20), b: around(10), c: around(20) };
  const judge = (more: object) => overall(judgeRun(experiment({ claims }), run({ ...times, ...more })));
  expect(judge({})).toBe("kept");
  expect(judge({ c: around(10) })).toBe("ruled out");
  expect(judge({ c: [null] })).toBe("not measured");
  expect(judge({ c: [5, 40, 6, 41, 7, 44, 5, 43] })).toBe("inside the noise");
});
