import { describe, expect, it } from "vitest";
import type { Failure } from "../src/outcome.ts";
import { overdue, untilAfter, within } from "../src/until.ts";

const clock = () => {
  let ms = 1_000;
  return { now: () => ms, pass: (more: number) => (ms += more) };
};

const deadline: Failure = { kind: "deadline", phase: "verify", milliseconds: 2_000 };

describe("a caller's time for a request", () => {
  it("cuts the deadline of a phase shorter once less is left of it, and never lengthens one", () => {
    const time = clock();
    const until = untilAfter(25_000, time.now);
    const phases = within((phase) => (phase === "verify" ? 60_000 : 10_000), until);
    expect([phases("verify"), phases("measure")]).toEqual([25_000, 10_000]);
    time.pass(20_000);
    expect([phases("verify"), phases("measure")]).toEqual([5_000, 5_000]);
    time.pass(20_000);
    expect(phases("verify")).toBe(0);
    expect(within(() => 60_000, undefined)("verify")).toBe(60_000);
  });

  it("that is over is told in one line with the phase and what there was, and no other failure is", () => {
    const time = clock();
    const until = untilAfter(25_000, time.now);
    expect(overdue(deadline, until)).toBeUndefined(); // the phase's own deadline
    time.pass(25_000);
    expect(overdue(deadline, until)).toBe("no answer in phase verify within the 25.0 s that were left");
    expect(overdue({ ...deadline, phase: "idle" }, until)).toMatch(/^no answer before any work/);
    const exit: Failure = { kind: "exit", phase: "verify", exit: { code: 1, signal: null }, words: [] };
    expect(overdue(exit, until)).toBeUndefined();
    expect(overdue(deadline, undefined)).toBeUndefined();
  });
});
