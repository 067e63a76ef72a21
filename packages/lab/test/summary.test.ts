import type { Trial } from "@tunelab/contract";
import type { TuneResult } from "@tunelab/tuner";
import { expect, it } from "vitest";
import { trialsText } from "../src/summary.ts";

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
