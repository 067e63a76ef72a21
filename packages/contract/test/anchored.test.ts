import { describe, expect, it } from "vitest";
import {
  anchorDrift,
  anchored,
  anchoredRatio,
  type Timing,
  type Trial,
  untrustedReason,
} from "../src/index.ts";

const timing = (more: Partial<Timing> = {}): Timing => ({
  clock: "gpu",
  tickNs: 1,
  repeats: 4,
  samplesNs: [300, 330],
  rejected: {},
  anchor: { name: "fma", samplesNs: [100, 100, 120], amount: 5e9 },
  ...more,
});

/** Trials whose anchor, of work 1000, takes these times. */
const trials = (anchorNs: readonly number[], name = "fma"): Trial[] =>
  anchorNs.map(
    (ns, sequence) =>
      ({
        sequence,
        timing: timing({ anchor: { name, samplesNs: [ns, ns, ns], amount: 1_000 } }),
      }) as Trial,
  );

const steps = (count: number, of: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => of(index));

describe("a time against its anchor", () => {
  it("survives a device that slows down by half", () => {
    const pace = [1, 1, 1.2, 1.2, 1.5, 1.5, 1.5];
    const samples = pace.slice(0, 6).map((p) => 300 * p);
    const anchors = pace.map((p) => 100 * p);
    expect(anchoredRatio(samples, anchors)).toBeCloseTo(3, 1);
    expect(anchoredRatio(samples, anchors.slice(1))).toBeUndefined();
  });

  it("is the anchor's work in one repeat's time, whatever scale the session gave the anchor", () => {
    // Ratios 3 and 3 of samples; 5e9 FLOPs an anchor sample, 4 repeats: 3.75e9 a repeat.
    const one = anchored(timing());
    expect(one).toEqual({ anchor: "fma", work: 3.75 });
    const doubled = { name: "fma", samplesNs: [200, 200, 240], amount: 10e9 };
    expect(anchored(timing({ anchor: doubled }))).toEqual(one);
    expect(anchored(timing({ repeats: 8, samplesNs: [600, 660] }))).toEqual(one);
  });

  it("is absent without an anchor whose work is known", () => {
    const { anchor: _, ...bare } = timing();
    expect(anchored(bare)).toBeUndefined();
    expect(anchored(timing({ anchor: { name: "fma", samplesNs: [1, 1, 1] } }))).toBeUndefined();
    expect(anchored(timing({ anchor: { name: "fma", samplesNs: [1, 1], amount: 1 } }))).toBeUndefined();
  });
});

describe("drift of the anchors", () => {
  it("is the slowest quarter of a session against the fastest, also when the middle is slow", () => {
    const throttled = trials(steps(16, (index) => (index >= 8 && index < 12 ? 140 : 100)));
    expect(anchorDrift(throttled)).toEqual({ anchor: "fma", drift: expect.closeTo(0.4, 6) });
    expect(untrustedReason(throttled)).toMatch(/anchor fma drifted by 40% .* more than 25%/);
  });

  it("of exactly a quarter is still trusted", () => {
    expect(untrustedReason(trials(steps(16, (index) => (index < 8 ? 100 : 125))))).toBeUndefined();
    expect(untrustedReason(trials(steps(16, (index) => (index < 8 ? 100 : 126))))).toBeDefined();
  });

  it("is not seen in single slow trials, nor where too few met the anchor", () => {
    expect(anchorDrift(trials(steps(40, (index) => (index % 10 === 5 ? 300 : 100))))!.drift).toBe(0);
    expect(anchorDrift(trials(steps(7, (index) => 100 * (index + 1))))).toBeUndefined();
    expect(anchorDrift([])).toBeUndefined();
  });

  it("is looked at anchor by anchor and in the order of the trials, however they are listed", () => {
    const copy = trials(
      steps(8, (index) => 100 + 20 * index),
      "copy",
    );
    const fma = trials(steps(8, () => 100));
    expect(anchorDrift([...copy, ...fma])?.anchor).toBe("copy");
    expect(anchorDrift([...copy].reverse())).toEqual(anchorDrift(copy));
  });

  it("ignores trials from before anchors told their work", () => {
    const old = trials(steps(20, (index) => 100 * (index + 1))).map(
      (trial) => ({ ...trial, timing: timing({ anchor: { name: "fma", samplesNs: [1, 2, 3] } }) }) as Trial,
    );
    expect(anchorDrift(old)).toBeUndefined();
  });
});
