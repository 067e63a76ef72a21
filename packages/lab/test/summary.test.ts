import type { Trial } from "@tunelab/contract";
import type { ProblemResult, TuneResult } from "@tunelab/tuner";
import { describe, expect, it } from "vitest";
import { absenceText, absentFrom, failureLines, nothingVerified } from "../src/failures-text.ts";
import { shortText, spentText, trialsText } from "../src/summary.ts";

const trial = (status: Trial["status"]): Trial =>
  ({ status, ...(status === "ok" ? { timing: { samplesNs: [5], repeats: 1 } } : {}) }) as unknown as Trial;

const problem = (more: Partial<ProblemResult> = {}): ProblemResult => ({
  operation: "toy",
  problem: { n: 64 },
  screened: 0,
  certified: 0,
  failures: [],
  cut: [],
  identical: 0,
  refused: {},
  complete: true,
  ...more,
});

const result = (trials: readonly Trial[], problems: readonly ProblemResult[] = []): TuneResult => ({
  trials,
  reused: 1,
  problems,
  unreached: [],
  ceilings: {},
  spentMs: {},
});

const inaccurate = (n: number) =>
  ({ variant: `only/x=${n}`, status: "inaccurate", reason: `error ${n} is over the bound 1` }) as const;

it("trials that failed are counted by how they failed, the most frequent first", () => {
  const trials = ["ok", "hung", "inaccurate", "inaccurate"].map((status) => trial(status as Trial["status"]));
  const refused = problem({ refused: { subgroups: 2, maxComputeWorkgroupStorageSize: 1 } });
  expect(trialsText(result(trials, [refused]))).toBe(
    "4 trials (3 failed: 2 inaccurate, 1 hung; 3 do not fit the device, 1 reused).",
  );
  const unplanned = problem({ refused: { plan: 2, maxComputeWorkgroupStorageSize: 1 } });
  expect(trialsText(result(trials, [unplanned]))).toContain(
    "; 2 cannot be planned, 1 do not fit the device,",
  );
});

it("a session without failures says so", () => {
  expect(trialsText(result([trial("ok")]))).toContain("none failed");
  expect(failureLines(result([], [problem()]), "01J")).toEqual([]);
});

it("variants that failed are named with their reasons, five at most, and the others are counted", () => {
  const some = problem({ failures: [inaccurate(2), { variant: "only/x=3", status: "hung" }] });
  expect(failureLines(result([], [some]), "01J")).toEqual([
    "  only/x=2: inaccurate, error 2 is over the bound 1",
    "  only/x=3: hung",
  ]);
  const many = problem({ failures: [1, 2, 3, 4, 5, 6, 7].map(inaccurate) });
  const lines = failureLines(result([], [many]), "01J");
  expect(lines).toHaveLength(6);
  expect(lines.at(-1)).toMatch(/and 2 more: .*results show 01J/);
});

describe("a problem without an entry in the table", () => {
  it("says what became of its variants", () => {
    const refused = { maxComputeWorkgroupStorageSize: 2, plan: 1 };
    const failures = [inaccurate(2)];
    expect(absenceText(problem({ screened: 1, failures, refused }))).toBe(
      "no verified variant: 2 refused (2 maxComputeWorkgroupStorageSize), 1 cannot be planned, 1 inaccurate",
    );
    expect(absenceText(problem({ screened: 5, failures }))).toBe(
      "no certified variant: 4 timed once, but the budget ended before any could be certified; give a longer --budget (1 inaccurate)",
    );
    expect(absenceText(problem({ screened: 1 }), "--trials")).toBe(
      "no certified variant: 1 timed once, but --trials ended before any could be certified; give more",
    );
    expect(absenceText(problem())).toBe("no verified variant: none was tried");
  });

  it("is found by its problem, and so is one that no time was left for", () => {
    const table = { entries: [{ problem: { n: 64 } }] } as never;
    const tried = { ...result([], [problem(), problem({ problem: { n: 128 } })]) };
    const late = { ...tried, unreached: [{ operation: "toy", problem: { n: 256 } }] };
    expect(absentFrom(table, "toy", late)).toEqual([
      { problem: { n: 128 }, why: "no verified variant: none was tried" },
      { problem: { n: 256 }, why: "not reached: no time was left" },
    ]);
    expect(absentFrom(undefined, "toy", late)).toHaveLength(3);
    expect(absentFrom(undefined, "other", late)).toEqual([]);
  });
});

describe("a session that verified nothing", () => {
  it("fails in one line that names the variant and the reason", () => {
    const only = problem({ screened: 1, failures: [inaccurate(2)] });
    expect(nothingVerified(result([], [only]))?.message).toBe(
      "nothing was verified: only/x=2: inaccurate, error 2 is over the bound 1",
    );
    const more = problem({ screened: 2, failures: [inaccurate(2), inaccurate(3)] });
    expect(nothingVerified(result([], [more]))?.message).toMatch(/over the bound 1 \(and 1 more failed\)$/);
    const cut = [{ variant: "only/x=9", reason: "no answer in phase verify within the 26 s that were left" }];
    const late = problem({ cut });
    expect(nothingVerified(result([], [late]))?.message).toBe(
      "nothing was verified: only/x=9: no answer in phase verify within the 26 s that were left; give a longer --budget or a smaller problem",
    );
    expect(absenceText(late)).toBe("no verified variant: 1 given up for time");
    const none = problem({ refused: { plan: 4 } });
    expect(nothingVerified(result([], [none]))?.message).toMatch(/no verified variant: 4 cannot be planned$/);
  });

  it("is not one in which anything was timed, nor one that was stopped", () => {
    const failed = problem({ screened: 1, failures: [inaccurate(2)] });
    expect(nothingVerified(result([], [failed, problem({ screened: 1 })]))).toBeUndefined();
    expect(nothingVerified({ problems: [failed], stopped: { reason: "interrupted" } })).toBeUndefined();
  });
});

it("the time is told in all and by what it went into, the largest part first", () => {
  expect(spentText({ compile: 2_000, waiting: 1_000, measure: 6_000, idle: 10, host: 1_000 })).toBe(
    "Time: 10s: measure 6.0s (60%), compile 2.0s (20%), waiting for compilers 1.0s (10%), host starts and messages 1.0s (10%)",
  );
  expect(spentText({})).toBe("Time: 0s");
});

it("a budget that certified nothing is told in one line, with what would do", () => {
  const screened = { ...trial("ok"), grade: "screened" } as Trial;
  const short = { ...result([screened, screened]), reused: 0, spentMs: { calibrate: 4_000, measure: 1_000 } };
  expect(shortText(short)).toBe(
    "The budget was too small to certify anything: the probes took 4s, a trial 0.5s; give --budget 10s or more.",
  );
  expect(shortText({ ...short, trials: [screened, { ...screened, grade: "certified" }] })).toBeUndefined();
  expect(shortText({ ...short, trials: [trial("wrong")] })).toBeUndefined();
});

it("trials that were too few to certify anything are told as such, and not as a budget", () => {
  const screened = { ...trial("ok"), grade: "screened" } as Trial;
  const short = { ...result([screened], [problem(), problem()]), reused: 0, spentMs: { calibrate: 4_000 } };
  expect(shortText(short, 1)).toBe(
    "--trials 1 was too few to certify anything: a variant takes two, one to time it and one to certify it; give --trials 20 or more.",
  );
  expect(shortText(short, 5)).toMatch(/^The budget was too small/);
});
