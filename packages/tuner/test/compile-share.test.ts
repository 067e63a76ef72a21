import { describe, expect, it } from "vitest";
import { FINALISTS, type StrategyName } from "../src/index.ts";
import { certified, screened } from "./bed.ts";
import { H200, H200_BESIDE, type Machine, virtualSession } from "./virtual.ts";

const MINUTES = 60_000;

/** A session on virtual time: parts of its time by account, and what was measured in how long. */
async function sharesOf(
  machine: Machine,
  compilers: number,
  budgetMs: number,
  strategy: StrategyName = "random",
) {
  const { result, tookMs } = await virtualSession(machine, compilers, { budgetMs, strategy });
  const { spentMs, trials } = result;
  const total = Object.values(spentMs).reduce((sum, ms) => sum + ms, 0);
  const share = (account: string): number => spentMs[account]! / total;
  return { share, tookMs, variants: screened(trials).length, finals: certified(trials).length };
}

describe("the time of a session on an H200, in simulation", { timeout: 60_000 }, () => {
  it("goes as it was measured there when the timing host compiles in batches: 63% compiling, 15% measuring", async () => {
    const { share, variants } = await sharesOf(H200, 0, 71_000);
    expect(share("compile")).toBeGreaterThan(0.58);
    expect(share("compile")).toBeLessThan(0.68);
    expect(share("measure")).toBeGreaterThan(0.12);
    expect(share("measure")).toBeLessThan(0.2);
    expect(variants).toBeGreaterThan(75); // 87 there
    expect(variants).toBeLessThan(110);
  });

  it.each(["exhaustive", "random"] as const)(
    "is measuring for more than half of it with compilers on all cores but two, %s, and tries three times as many variants",
    async (strategy) => {
      const alone = await sharesOf(H200_BESIDE, 0, 5 * MINUTES, strategy);
      const beside = await sharesOf(H200_BESIDE, 14, 5 * MINUTES, strategy);
      expect(alone.share("measure")).toBeLessThan(0.25);
      expect(beside.share("measure")).toBeGreaterThan(0.65);
      expect(beside.variants).toBeGreaterThan(3 * alone.variants);
      expect(beside.share("waiting")).toBeLessThan(0.05);
      // The strategy thinks for 40 ms a proposal, while the device measures.
      expect(beside.share("idle")).toBeLessThan(0.02);
      for (const { tookMs } of [alone, beside]) expect(tookMs).toBeLessThanOrEqual(5.25 * MINUTES);
    },
  );

  it("is measuring for half of what the probes leave in a session of 80 s, too", async () => {
    // There: 77 and 85 trials, measuring 15% and 18% of the time after the probes; the host that times had compiled everything again.
    const { share, variants } = await sharesOf(H200_BESIDE, 14, 80_000);
    expect(share("measure") / (1 - share("calibrate"))).toBeGreaterThan(0.5);
    expect(variants).toBeGreaterThan(170);
  });

  it("that compilers leave is used to certify rows of the table, and no row twice", async () => {
    const { share, finals, variants } = await sharesOf(H200_BESIDE, 4, 5 * MINUTES);
    expect(finals).toBeGreaterThan(3 * FINALISTS);
    expect(finals).toBeLessThan(variants / 4);
    const busy = await sharesOf(H200_BESIDE, 14, 5 * MINUTES);
    expect(busy.finals).toBeLessThan(finals);
    expect(share("measure")).toBeGreaterThan(0.2);
  });

  it("waits for no kernel of half a minute while others are ready", async () => {
    const heavy: Machine = {
      ...H200_BESIDE,
      compileMs: [
        [0, 100],
        [0.9, 300],
        [1, 46_000],
      ],
    };
    const { share } = await sharesOf(heavy, 14, 5 * MINUTES);
    expect(share("measure")).toBeGreaterThan(0.5);
    expect(share("waiting")).toBeLessThan(0.1);
  });

  it("is not lost to a strategy that now and then thinks for a second", async () => {
    const { share } = await sharesOf({ ...H200_BESIDE, refitMs: 1_000 }, 14, 5 * MINUTES);
    expect(share("measure")).toBeGreaterThan(0.5);
  });
});
