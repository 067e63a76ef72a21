import type { Trial } from "@tunelab/contract";
import type { TuneResult } from "@tunelab/tuner";
import { expect, it } from "vitest";
import { shortText, spentText, trialsText } from "../src/summary.ts";

const trial = (status: Trial["status"]): Trial =>
  ({ status, ...(status === "ok" ? { timing: { samplesNs: [5], repeats: 1 } } : {}) }) as unknown as Trial;

const result = (trials: readonly Trial[]): TuneResult => ({
  trials,
  reused: 1,
  problems: [
    { refused: { subgroups: 2, maxComputeWorkgroupStorageSize: 1 } },
  ] as unknown as TuneResult["problems"],
  unreached: [],
  ceilings: {},
  spentMs: {},
});

it("trials that failed are counted by how they failed, the most frequent first", () => {
  const trials = ["ok", "hung", "inaccurate", "inaccurate"].map((status) => trial(status as Trial["status"]));
  expect(trialsText(result(trials))).toBe(
    "4 trials (3 failed: 2 inaccurate, 1 hung; 3 do not fit the device, 1 reused).",
  );
});

it("a session without failures says so", () => {
  expect(trialsText(result([trial("ok")]))).toContain("none failed");
});

it("the time is told in all and by what it went into, the largest part first", () => {
  expect(spentText({ compile: 3_000, measure: 6_000, idle: 10, host: 1_000 })).toBe(
    "Time: 10s: measure 6.0s (60%), compile 3.0s (30%), host starts and messages 1.0s (10%)",
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
  expect(shortText({ ...short, trials: [trial("wrong")] })).toMatch(/every variant tried failed/);
});
