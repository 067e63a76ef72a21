import type { Ceilings, MeasurePhase, Noise, RaceReport, TrialOutcome } from "@tunelab/contract";
import { beforeAll, describe, expect, it } from "vitest";
import { driver, reportOf } from "../../../test/embedded.ts";

interface Report {
  readonly tickNs: number;
  readonly noise: Noise;
  readonly ceilings: Ceilings;
  readonly trials: Readonly<Record<string, TrialOutcome & { tookMs: number; phases: MeasurePhase[] }>>;
  readonly race: RaceReport;
  readonly turns: readonly number[];
  readonly hurried: RaceReport;
  readonly counts: { readonly inputs: number; readonly oracles: number; readonly checks: number };
}

describe.skipIf(!driver)("on the embedded software GPU", () => {
  let report: Report;
  beforeAll(async () => {
    report = await reportOf(new URL("swiftshader-child.ts", import.meta.url));
  }, 70_000);
  const trial = (name: string) => report.trials[name]!;

  it("timestamps have a fine tick", () => {
    expect(report.tickNs).toBeGreaterThan(0);
    expect(report.tickNs).toBeLessThan(65_536);
  });

  it("a right variant is verified on every seed and timed by the GPU's clock", () => {
    expect(trial("right")).toMatchObject({
      status: "ok",
      seeds: [1, 2, 3],
      verdict: { matched: 3 * 65_536, total: 3 * 65_536, maxError: 0 },
      timing: { clock: "gpu", tickNs: report.tickNs, rejected: {} },
    });
    expect(trial("right").timing!.samplesNs).toHaveLength(3);
    const phases = ["plan", "compile", "verify", "warm-up", "measure", "verify", "idle"];
    expect(trial("right").phases).toEqual(phases);
  });

  it.each([
    ["wrong", "wrong", /seed 1: 0\/65536 right/],
    ["half", "wrong", /32768 of 65536 words of port sum were never written/],
    ["nan", "wrong", /0\/65536 right/],
    ["inaccurate", "inaccurate", /relative error 1.00e-3 is over the bound/],
    ["untyped", "compile-failed", /unresolved value 'nothing'/],
    ["huge", "refused", /buffer huge needs/],
  ])("a variant that is %s ends %s, however fast it is", (name, status, reason) => {
    expect(trial(name).status).toBe(status);
    expect(trial(name).reason).toMatch(reason);
    expect(trial(name).timing).toBeUndefined();
  });

  it("a variant that finds its work already done is caught by the next seed", () => {
    expect(trial("once")).toMatchObject({ status: "wrong", seeds: [1, 2] });
  });

  it("and with one seed by what the last timed submission left", () => {
    expect(trial("onceWithOneSeed").status).toBe("wrong");
    expect(trial("onceWithOneSeed").reason).toMatch(/^after \d+ timed repeats: 0\/65536 right/);
    expect(trial("onceWithOneSeed").timing).toBeUndefined();
  });

  it("repeats of an in-place variant under a coarse clock all start from the same input", () => {
    const { status, timing, verdict } = trial("quantized");
    expect(timing!.tickNs).toBe(65_536);
    expect(timing!.repeats).toBeGreaterThan(1);
    expect(["ok", "noisy"]).toContain(status);
    expect(verdict).toMatchObject({ matched: 4_096, total: 4_096 });
    for (const ns of timing!.samplesNs) expect(ns % 65_536).toBe(0);
  });

  it("a device without timestamps is timed by the wall, and the trial says so", () => {
    expect(trial("wall")).toMatchObject({ status: "ok", timing: { clock: "wall", rejected: {} } });
    expect(trial("wall").timing!.samplesNs).toHaveLength(3);
  });

  it("a certified trial has 12 to 64 samples with anchors around each, and ends ok or noisy", () => {
    const { status, timing } = trial("certified");
    expect(["ok", "noisy"]).toContain(status);
    const count = timing!.samplesNs.length;
    expect(count).toBeGreaterThanOrEqual(12);
    expect(count).toBeLessThanOrEqual(64);
    expect(timing!.anchor).toMatchObject({ name: "toy-fma" });
    expect(timing!.anchor!.samplesNs).toHaveLength(count + 1);
  });

  it("trials of every grade stand between anchors whose work is known, host-driven loops by the wall", () => {
    for (const name of ["right", "certified", "looped"]) {
      const { anchor, samplesNs } = trial(name).timing!;
      expect(anchor, name).toMatchObject({ name: "toy-fma" });
      expect(anchor!.samplesNs).toHaveLength(samplesNs.length + 1);
      expect(anchor!.amount).toBeGreaterThan(0);
      expect(Math.min(...anchor!.samplesNs)).toBeGreaterThan(0);
    }
  });

  it("a certified variant of two stages has their times apart from the total", () => {
    const { stagesNs, samplesNs } = trial("staged").timing!;
    expect(Object.keys(stagesNs!)).toEqual(["mark", "add"]);
    for (const times of Object.values(stagesNs!)) {
      expect(times).toHaveLength(5);
      for (const ns of times) expect(ns).toBeGreaterThan(0);
    }
    expect(samplesNs.length).toBeGreaterThanOrEqual(12);
  });

  it("a host-driven loop runs once a sample, by the wall", () => {
    expect(trial("looped")).toMatchObject({
      status: "ok",
      timing: { clock: "wall", repeats: 1, rejected: {} },
    });
    expect(trial("looped").timing!.samplesNs).toHaveLength(8);
  });

  it("noise and ceilings come from probes whose outputs were checked", () => {
    expect(report.noise.samplesNs).toHaveLength(15);
    expect(report.noise.cv).toBeGreaterThan(0);
    expect(report.ceilings.fmaFlopsPerSecond).toBeGreaterThan(1e7);
  });

  it("a race is won by the fastest that is right; what is wrong never runs in it, however fast", () => {
    const [slow, wrong, right, once] = report.race.outcomes;
    expect(report.race.leaders[0]).toBe(right!.planHash);
    expect(report.race.leaders).not.toContain(wrong!.planHash);
    for (const one of [wrong, once]) {
      expect(one).toMatchObject({ status: "wrong", grade: "raced" });
      expect(one!.timing).toBeUndefined();
    }
    for (const one of [slow, right]) {
      expect(one).toMatchObject({ status: "ok", seeds: [1, 2, 3], verdict: { matched: 3 * 8_192 } });
      expect(["raced", "certified"]).toContain(one!.grade);
      expect(one!.timing!.samplesNs.length).toBeGreaterThanOrEqual(6);
      expect(one!.timing!.samplesNs.every(Number.isSafeInteger)).toBe(true);
    }
    // Kept to the end: as many rounds as the winner, so that minima compare at equal N.
    expect(slow!.timing!.samplesNs).toHaveLength(right!.timing!.samplesNs.length);
    const each = ({ timing }: TrialOutcome) => Math.min(...timing!.samplesNs) / timing!.repeats;
    expect(each(slow!)).toBeGreaterThan(each(right!));
    expect(report.turns.slice(0, 5)).toEqual([0, 1, 2, 3, -1]);
  });

  it("a race without time says so, and blames no variant for it", () => {
    expect(report.hurried).toMatchObject({ reason: "the time was up", rounds: 0, leaders: [], duels: [] });
    // JSON has no undefined: an entry without a trial arrives as null.
    expect(report.hurried.outcomes).toEqual([null, null]);
  });

  it("inputs and oracles are computed once for all variants of the problem", () => {
    expect(report.counts).toMatchObject({ inputs: 3, oracles: 3 });
  });

  it("a lost device gives device-lost", () => {
    expect(trial("lost")).toMatchObject({
      status: "device-lost",
      planHash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });
});
