import type { ExperimentRun } from "@tunelab/experiment";
import { describe, expect, it } from "vitest";
import { type DueOn, dueOn } from "../src/experiment-due.ts";

const COMMIT = "a".repeat(40);
const run = (more: Partial<ExperimentRun> = {}): ExperimentRun =>
  ({
    ...{ session: "01M8", commit: COMMIT, dirty: false, rounds: 8 },
    ...{ deviceSlug: "swiftshader", compiler: "tint", backend: "vulkan", profile: "portable" },
    ...more,
  }) as ExperimentRun;

const on = (more: Partial<DueOn> = {}): DueOn =>
  ({
    target: {
      info: {
        identity: { compiler: "tint", backend: "vulkan", architecture: "swiftshader", adapterType: "cpu" },
      },
    },
    ...{ profile: "portable", rounds: 8, dirty: false, history: { commits: new Set([COMMIT]) } },
    ...more,
  }) as DueOn;
const none = new Map();

describe("an experiment", () => {
  it("is not due where its run stands on this history", () => {
    expect(dueOn([run()], none, on())).toBeUndefined();
  });

  it("is due where nothing was measured on this device and profile", () => {
    expect(dueOn([], none, on())).toMatch(/not measured/);
    expect(dueOn([run({ profile: "native" })], none, on())).toMatch(/not measured/);
    expect(dueOn([run({ deviceSlug: "nvidia-h200" })], none, on())).toMatch(/not measured/);
    expect(dueOn([run({ compiler: "naga" })], none, on())).toMatch(/not measured/);
  });

  it("is due where the definition or a kernel changed, in the words of its standing", () => {
    const standing = (mismatches: string[], stale: string[]) => new Map([["01M8", { mismatches, stale }]]);
    expect(dueOn([run()], standing(["it has the arms a"], []), on())).toBe("it has the arms a");
    expect(dueOn([run()], standing([], ["the kernels of a have changed"]), on())).toMatch(/kernels of a/);
  });

  it("is due where its run is short of rounds, and not where it has more", () => {
    expect(dueOn([run({ rounds: 3 })], none, on())).toMatch(/3 rounds of 8/);
    expect(dueOn([run({ rounds: 12 })], none, on())).toBeUndefined();
  });

  it("is due where its commit is gone, and where that cannot be known it is not", () => {
    const commit = "b".repeat(40);
    expect(dueOn([run({ commit })], none, on())).toMatch(/bbbbbbbbbbbb, which is not in this history/);
    expect(dueOn([run({ commit })], none, on({ history: { unknown: "shallow" } }))).toBeUndefined();
  });

  it("measured with uncommitted changes is due only in a clean tree: else every run would find it due again", () => {
    expect(dueOn([run({ dirty: true })], none, on())).toMatch(/uncommitted/);
    expect(dueOn([run({ dirty: true })], none, on({ dirty: true }))).toBeUndefined();
  });
});
