import { beforeAll, describe, expect, it } from "vitest";
import { driver, reportOf } from "../../../test/embedded.ts";
import { type Calibration, type Explanation, NO_PEAK } from "../src/index.ts";
import { TABLED } from "./made-table.ts";

interface Summary {
  readonly indices: readonly number[];
  readonly magnitudes: readonly number[];
  readonly variant: string;
  readonly table?: string;
}

interface Report {
  readonly n: number;
  readonly lags: readonly number[];
  readonly events: readonly { readonly kind: string }[];
  readonly plain: Summary;
  readonly chosen: Summary;
  readonly first: Summary;
  readonly again: Summary;
  readonly alive: Summary;
  readonly onCpu: Summary & { readonly values: readonly number[] };
  readonly onGpu: Summary & { readonly values: readonly number[] };
  readonly auto: { readonly backend: string; readonly why: string; readonly indices: readonly number[] };
  readonly thresholded: readonly Summary[];
  readonly transform: {
    readonly raced: { readonly winner: string; readonly runs: string; readonly why: string };
    readonly variant: string;
    readonly backends: readonly string[];
    readonly fromCpu: number;
    readonly fromInput: number;
  };
  readonly calibration: {
    readonly found: Calibration;
    readonly after: Explanation;
    readonly remembered: Explanation;
    readonly elsewhere: Explanation;
    readonly keys: readonly string[];
  };
  readonly longest: {
    readonly n: number;
    readonly lags: readonly number[];
    readonly gpu: Summary;
    readonly cpu: Summary;
  };
  readonly spoiled: { readonly gpu: Summary; readonly cpu: Summary };
  readonly zeroCopy: { readonly once: number[]; readonly turned: number[]; readonly again: Summary };
}

describe.skipIf(!driver)("on the embedded software GPU", () => {
  let report: Report;
  beforeAll(async () => {
    report = await reportOf(new URL("swiftshader.child.ts", import.meta.url));
  }, 70_000);
  const diagonal = ({ indices }: Summary) => [indices[0], indices[4], indices[8]];

  it("every planted lag is found, at the magnitude n of a unit-power match", () => {
    expect(report.plain.indices).toHaveLength(9);
    expect(diagonal(report.plain)).toEqual(report.lags);
    for (const at of [0, 4, 8]) expect(report.plain.magnitudes[at]).toBeCloseTo(report.n, 2);
    expect(Math.max(...[1, 2, 3, 5, 6, 7].map((at) => report.plain.magnitudes[at]!))).toBeLessThan(
      report.n / 2,
    );
  });

  it("a NaN in one datum takes the peak of its three pairs, on either side, and leaves the six others as they are", () => {
    const { gpu, cpu } = report.spoiled;
    for (const [at, index] of report.plain.indices.entries()) {
      const hit = at >= 3 && at < 6;
      expect([gpu.indices[at], cpu.indices[at]]).toEqual(hit ? [NO_PEAK, NO_PEAK] : [index, index]);
      expect(gpu.magnitudes[at]).toBe(hit ? 0 : report.plain.magnitudes[at]);
    }
  });

  it("spectra longer than a workgroup holds run in steps, and in pieces where memory is short, with the CPU's peaks", () => {
    const { n, lags, gpu, cpu } = report.longest;
    expect(gpu.variant).toMatch(/^four-step\//);
    expect([gpu.indices[0], gpu.indices[3]]).toEqual(lags);
    expect(gpu.indices).toEqual(cpu.indices);
    for (const [at, magnitude] of gpu.magnitudes.entries()) {
      expect(Math.abs(magnitude / cpu.magnitudes[at]! - 1)).toBeLessThan(2e-6);
    }
    expect(gpu.magnitudes[0]! / n).toBeCloseTo(1, 5);
  });

  it("chosen pairs come back in the order in which they were given", () => {
    expect(report.chosen.indices).toEqual([report.lags[2], report.lags[0]]);
  });

  it("without a table of this problem the default runs, with one the table's row that fits", () => {
    expect(report.first.variant).toBe(TABLED);
    expect(report.first.table).toMatch(/matched-filter\.json$/);
    expect(diagonal(report.first)).toEqual(report.lags);
    expect(report.again).toEqual(report.first);
  });

  it("the caller's own buffers are used in place, in the caller's encoder, and stay usable", () => {
    const { once, turned, again } = report.zeroCopy;
    expect(once).toEqual(report.lags);
    // With the templates turned round, only the middle datum meets its own template.
    expect(turned[1]).toBe(report.lags[1]);
    expect([turned[0], turned[2]]).not.toEqual([report.lags[0], report.lags[2]]);
    expect(diagonal(again)).toEqual(report.lags);
  });

  it("the CPU gives the same peaks, values and magnitudes, within the operation's bound", () => {
    const { onCpu, onGpu } = report;
    expect(onCpu.indices).toEqual(onGpu.indices);
    for (const [at, magnitude] of onGpu.magnitudes.entries()) {
      expect(Math.abs(onCpu.magnitudes[at]! / magnitude - 1)).toBeLessThan(2e-6);
      for (const part of [2 * at, 2 * at + 1]) {
        expect(Math.abs(onCpu.values[part]! - onGpu.values[part]!)).toBeLessThan(1e-5 * magnitude);
      }
    }
  });

  it("auto weighs the GPU's time, its round trip and transfer against the CPU's, and says so", () => {
    expect(report.auto.why).toMatch(/^auto: .* on the (CPU|GPU)|measured by this call/);
    expect(report.auto.indices).toEqual(report.onGpu.indices);
  });

  it("a calibration races variants, each verified, and later calls of the length run its winner", () => {
    const { found, after } = report.calibration;
    const ran = found.raced.filter(({ samples }) => samples > 0);
    expect(ran.length).toBeGreaterThan(1);
    const winner = ran.find(({ variant }) => variant === found.variant)!;
    expect(winner.us).toBe(found.us);
    for (const { us } of ran) expect(us! * 1.03).toBeGreaterThanOrEqual(found.us);
    expect(after).toMatchObject({
      variant: found.variant,
      why: expect.stringMatching(/raced on this device at/),
    });
  });

  it("is remembered by the cache for this device, tables and profile, and no other", () => {
    const { found, remembered, elsewhere, keys } = report.calibration;
    expect(found.stored).toBe(true);
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatch(/^tunelab matched-filter n=64 [0-9a-f]{16} [0-9a-f]{16}$/);
    expect(remembered).toMatchObject({ variant: found.variant, expectedUs: found.us });
    expect(elsewhere.why).not.toMatch(/raced/);
  });

  it("the Fourier transform gives what the CPU gives, and comes back n times the input", () => {
    const { variant, backends, fromCpu, fromInput } = report.transform;
    expect(variant).toMatch(/^one-workgroup\//);
    expect(backends).toEqual(["gpu", "cpu"]);
    expect(fromCpu).toBeLessThan(2e-6);
    expect(fromInput).toBeLessThan(4e-6);
  });

  it("under a threshold the GPU and the CPU report the same three peaks and nothing else", () => {
    const [gpu, cpu] = report.thresholded as [Summary, Summary];
    expect(gpu.indices).toEqual(cpu.indices);
    expect(gpu.indices.filter((index) => index !== NO_PEAK)).toHaveLength(3);
    for (const at of [0, 4, 8]) expect(gpu.magnitudes[at]).toBeCloseTo(256, 2);
    expect(gpu.magnitudes[1]).toBe(0);
  });

  it("a race of transforms is answered rightly, and its winner runs other batches of the length", () => {
    const { winner, runs, why } = report.transform.raced;
    expect(winner).toMatch(/^(one-workgroup|four-step)\//);
    expect(runs).toBe(winner);
    expect(why).toMatch(/raced on this device/);
  });

  it("disposing of a runtime leaves the caller's device alive, and nothing was worth an event", () => {
    expect(diagonal(report.alive)).toEqual(report.lags);
    expect(report.events.filter(({ kind }) => kind === "fallback")).toEqual([]);
  });
});
