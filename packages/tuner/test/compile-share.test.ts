import { describe, expect, it } from "vitest";
import { FINALISTS } from "../src/index.ts";
import { certified, screened } from "./bed.ts";
import { H200, type Machine, virtualSession } from "./virtual.ts";

const MINUTES = 60_000;

/** A session on virtual time: parts of its time by account, and what was measured in how long. */
async function sharesOf(machine: Machine, compilers: number, budgetMs: number) {
  const { result, tookMs } = await virtualSession(machine, compilers, { budgetMs });
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

  it("is measuring for more than half of it with compilers on all cores but two, and tries five times as many variants", async () => {
    const alone = await sharesOf(H200, 0, 5 * MINUTES);
    const beside = await sharesOf(H200, 14, 5 * MINUTES);
    expect(alone.share("measure")).toBeLessThan(0.2);
    expect(beside.share("measure")).toBeGreaterThan(0.55);
    expect(beside.variants).toBeGreaterThan(4.5 * alone.variants);
    // The strategy thinks for 25 ms a proposal, while the device measures.
    expect(beside.share("idle")).toBeLessThan(0.02);
    for (const { tookMs } of [alone, beside]) expect(tookMs).toBeLessThanOrEqual(5.5 * MINUTES);
  });

  it("that compilers leave is used to certify rows of the table, and no row twice", async () => {
    const { share, finals, variants } = await sharesOf(H200, 4, 5 * MINUTES);
    expect(finals).toBeGreaterThan(3 * FINALISTS);
    expect(finals).toBeLessThan(variants / 4);
    const busy = await sharesOf(H200, 14, 5 * MINUTES);
    expect(busy.finals).toBeLessThan(finals);
    expect(share("measure")).toBeGreaterThan(0.2);
  });

  it("waits for no kernel of half a minute while others are ready", async () => {
    const heavy: Machine = {
      ...H200,
      compileMs: [
        [0, 100],
        [0.9, 300],
        [1, 46_000],
      ],
    };
    const { share } = await sharesOf(heavy, 14, 5 * MINUTES);
    expect(share("measure")).toBeGreaterThan(0.5);
  });

  it("takes ready kernels from the driver's cache side by side", async () => {
    const slow: Machine = { ...H200, cachedMs: 200 };
    const { share } = await sharesOf(slow, 14, 5 * MINUTES);
    // One after another they would take 200 of every 315 ms.
    expect(share("compile")).toBeLessThan(0.5);
  });
});
