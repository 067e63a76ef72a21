import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { attend } from "../src/attend.ts";
import { deadlineOf, LOST_GRACE_MS } from "../src/deadlines.ts";
import { failedOutcome, reasonOf, statusOf } from "../src/outcome.ts";
import type { Exit } from "../src/spawn.ts";

const never = new Promise<never>(() => {});
const quiet = { exited: never, lastWords: () => [] };
const limits = { start: 30, compile: 100, verify: 50, measure: 10 };
const phases = (phase: Parameters<typeof deadlineOf>[0]) => deadlineOf(phase, limits);

describe("waiting for a host's answer", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("starts the clock anew when the phase changes, not when it is told again", async () => {
    const attendance = attend(quiet, never, phases);
    attendance.phase("compile");
    await vi.advanceTimersByTimeAsync(90);
    attendance.phase("verify");
    await vi.advanceTimersByTimeAsync(40);
    attendance.phase("verify");
    await vi.advanceTimersByTimeAsync(11);
    expect(await attendance.result).toMatchObject({
      failure: { kind: "deadline", phase: "verify", milliseconds: 50 },
    });
  });

  it("takes an answer that comes in time, and what the host rejects with", async () => {
    expect(await attend(quiet, Promise.resolve(7), phases).result).toEqual({ answer: 7 });
    await expect(attend(quiet, Promise.reject(new Error("refused")), phases).result).rejects.toThrow(
      "refused",
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends when the host exits, with the subject it named and its last words", async () => {
    let exit: (how: Exit) => void = () => {};
    const exited = new Promise<Exit>((resolve) => {
      exit = resolve;
    });
    const attendance = attend({ exited, lastWords: () => ["gone"] }, never, phases);
    const subject = {
      variant: "a/b=1",
      planHash: "0123456789abcdef",
      epoch: 1,
      work: { flops: 1, bytes: 1, items: 1 },
    };
    attendance.subject(subject);
    attendance.phase("warm-up");
    exit({ code: null, signal: "SIGSEGV" });
    expect(await attendance.result).toMatchObject({
      subject,
      failure: { kind: "exit", phase: "warm-up", words: ["gone"] },
    });
  });

  it("gives a host whose device is lost a moment to answer by itself", async () => {
    const answered = attend(
      quiet,
      new Promise((resolve) => setTimeout(resolve, LOST_GRACE_MS - 1, "own")),
      () => 9e6,
    );
    const silent = attend(quiet, never, () => 9e6);
    answered.lost("unknown: gone");
    silent.lost("unknown: gone");
    await vi.advanceTimersByTimeAsync(LOST_GRACE_MS);
    expect(await answered.result).toEqual({ answer: "own" });
    expect(await silent.result).toMatchObject({ failure: { kind: "lost", reason: "unknown: gone" } });
  });
});

describe("what a failure makes of a trial", () => {
  it("is compile-timeout in the compile phase, hung in any other", () => {
    const late = { kind: "deadline", milliseconds: 60_000 } as const;
    expect(statusOf({ ...late, phase: "compile" })).toBe("compile-timeout");
    for (const phase of ["plan", "verify", "warm-up", "measure"] as const) {
      expect(statusOf({ ...late, phase })).toBe("hung");
    }
    expect(reasonOf({ ...late, phase: "measure" })).toBe(
      "no answer in phase measure after 60 s; the host was ended",
    );
  });

  it("tells the line that speaks of the error, not the stack below it", () => {
    const words = ["warming up", "FATAL ERROR: out of memory", " 1: 0xabc node::Abort", "  [node]"];
    const reason = reasonOf({ kind: "exit", phase: "compile", exit: { code: 134, signal: null }, words });
    expect(reason).toMatch(/exited with code 134 in phase compile: /);
    expect(reason).not.toContain("[node]");
  });

  it("keeps the request's own fields when the host died before it named the variant", () => {
    const request = {
      operation: "fft",
      algorithm: "fused",
      problem: { n: 8 },
      config: { radix: 2 },
      isDefault: false,
      grade: "screened",
      seeds: [1],
      oracleSample: 1,
    } as const;
    const failure = { kind: "lost", phase: "plan", reason: "gone" } as const;
    expect(failedOutcome(request, undefined, failure)).toMatchObject({
      operation: "fft",
      variant: "fused/radix=2",
      planHash: "",
      status: "device-lost",
      seeds: [],
    });
  });
});
