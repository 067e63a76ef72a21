import { describe, expect, it } from "vitest";
import { judgeSample } from "../src/reject.ts";

const GPU = { clock: "gpu", tickNs: 1 } as const;
const sample = (begin: bigint, end: bigint, wallMs = 10) => ({ passes: [{ begin, end }], wallMs });

describe("a sample", () => {
  it("is the sum of its passes: a flush or restore between them is not the kernel's time", () => {
    const passes = [
      { begin: 1_000n, end: 3_000n },
      { begin: 900_000n, end: 901_500n },
    ];
    expect(judgeSample({ passes, wallMs: 2 }, 2, GPU)).toEqual({ ns: 3_500 });
  });

  it.each([
    ["zero", sample(5n, 5n), "end-before-begin"],
    ["negative", sample(9n, 5n), "end-before-begin"],
    ["wrapped", sample(2n ** 64n - 5n, 100n), "wrapped"],
    ["subtracted unsigned", sample(1n, 2n ** 64n - 9n), "wrapped"],
    ["NaN", sample(5n, 9n, Number.NaN), "not-a-number"],
    ["read before it was resolved", sample(0n, 0n), "begin-zero"],
    ["without timestamps", { passes: [], wallMs: 3 }, "no-timestamps"],
    ["longer than the wall clock saw", sample(1n, 20_000_001n, 10), "over-wall"],
  ])("of a difference that is %s is thrown away", (_what, raw, rejected) => {
    expect(judgeSample(raw, 1, GPU)).toEqual({ rejected });
  });

  it("that repeats the last one's timestamps is stale", () => {
    const last = sample(1_000n, 5_000n);
    expect(judgeSample(sample(1_000n, 5_000n), 1, GPU, last)).toEqual({ rejected: "stale" });
    expect(judgeSample(sample(5_000n, 9_000n), 1, GPU, last)).toEqual({ ns: 4_000 });
  });

  it("may have passes of no length under a coarse clock, as long as their sum has one", () => {
    const passes = [
      { begin: 65_536n, end: 65_536n },
      { begin: 65_536n, end: 131_072n },
    ];
    expect(judgeSample({ passes, wallMs: 1 }, 2, { clock: "gpu", tickNs: 65_536 })).toEqual({ ns: 65_536 });
  });

  it("over 103% of the measured FMA peak is thrown away, at 102% it is not", () => {
    const rules = { ...GPU, fmaFlopsPerSecond: 1e12 };
    const ran = sample(1_000n, 2_000n); // 1 us: 1e6 FLOPs at the peak
    expect(judgeSample(ran, 1, { ...rules, flops: 1.04e6 })).toEqual({ rejected: "over-fma-peak" });
    expect(judgeSample(ran, 1, { ...rules, flops: 1.02e6 })).toEqual({ ns: 1_000 });
    expect(judgeSample(ran, 2, { ...rules, flops: 0.6e6 })).toEqual({ rejected: "over-fma-peak" });
  });

  it("by the wall has nothing subtracted, so a short run cannot turn negative", () => {
    const rules = { clock: "wall", tickNs: 1_000 } as const;
    expect(judgeSample({ passes: [], wallMs: 0.004 }, 1, rules)).toEqual({ ns: 4_000 });
    expect(judgeSample({ passes: [], wallMs: -1 }, 1, rules)).toEqual({ rejected: "end-before-begin" });
  });
});
