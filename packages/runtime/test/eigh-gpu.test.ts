import { beforeAll, describe, expect, it } from "vitest";
import { driver, reportOf } from "../../../test/embedded.ts";

interface Judged {
  readonly matched: number;
  readonly maxError: number;
  readonly variant: string;
  readonly backend: string;
  readonly nonFinite: readonly number[];
  readonly sweeps: number;
}

interface Report {
  readonly kinds: number;
  readonly plain: Judged;
  readonly shuffled: Judged;
  readonly blocks: Judged;
  readonly bound: {
    readonly found: readonly (readonly number[])[];
    readonly last: readonly number[];
    readonly short: string;
    readonly read: readonly number[];
    readonly sweeps: number;
    readonly variant: string;
  };
  readonly calibrated: string;
}

describe.skipIf(!driver)("the eigensolver on the embedded software GPU", () => {
  let report: Report;
  beforeAll(async () => {
    report = await reportOf(new URL("eigh.child.ts", import.meta.url));
  }, 70_000);

  it("answers every kind of matrix without a table, and names those that are not finite", () => {
    const { plain, kinds } = report;
    expect(plain).toMatchObject({ matched: kinds, backend: "gpu", nonFinite: [kinds - 2, kinds - 1] });
    expect(plain.maxError).toBeLessThan(10);
    expect(plain.sweeps).toBeGreaterThan(1);
  });

  it("runs the variant that a call pins, host-driven loops among them", () => {
    for (const one of [report.shuffled, report.blocks]) {
      expect(one.matched).toBe(report.kinds);
      expect(one.maxError).toBeLessThan(10);
    }
    expect(report.shuffled.variant).toMatch(/^one-sided\//);
    expect(report.blocks.variant).toMatch(/^block\//);
  });

  it("is encoded among the caller's own commands, from and into the caller's buffers, and takes shared memory", () => {
    const { found, last, read, sweeps, variant } = report.bound;
    for (const [round, expected] of [
      [1, 3, 3, 7],
      [6, 8, 7, 11],
    ].entries()) {
      for (const [at, value] of expected.entries()) expect(found[round]![at]).toBeCloseTo(value, 4);
    }
    expect(last).toEqual(found[1]);
    expect(read).toEqual([1, 3]);
    expect(sweeps).toBe(1);
    expect(variant).not.toMatch(/^block\//);
  });

  it("refuses a buffer of no whole number of matrices in one line", () => {
    expect(report.bound.short).toBe(
      "matrices has 8 floats, not a positive multiple of 9 (n = 3, pad 0, gap 0)",
    );
  });

  it("races its variants on the device in hand", () => {
    expect(report.calibrated).toMatch(/^(scalar|one-sided|block|tridiagonal)\//);
  });
});
