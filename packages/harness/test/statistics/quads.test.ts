import type { QuadNs } from "@tunelab/contract";
import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { orderEffect } from "../../src/order-effect.ts";
import { judgeProcesses } from "../../src/processes.ts";
import { QuadMachine, runQuads } from "../../src/quad-run.ts";
import {
  BUILD_QUADS,
  firstSide,
  judgeQuads,
  type QuadSide,
  quadStatistic,
  REPORT_QUADS,
  slotSide,
  verdictOf,
} from "../../src/quads.ts";

const evenNoise = (seed: number, size: number): (() => number) => {
  const random = randomFrom(seed);
  return () => 1 + size * (random.float() - 0.5);
};

/** Compares two kernels of 1 ms, B slower by the fraction, on a device that scatters by half a percent. */
const comparison = (slower: number, noise = evenNoise(3, 0.005)) =>
  runQuads({ sample: async (side) => 1e6 * noise() * (side === "B" ? 1 + slower : 1) });

describe("a quad", () => {
  it("runs A B B A and B A A B in turns", () => {
    const order = [0, 1, 2].map((index) =>
      [0, 1, 2, 3].map((slot) => slotSide(firstSide(index), slot)).join(""),
    );
    expect(order).toEqual(["ABBA", "BAAB", "ABBA"]);
  });

  it("has the log of B over A as its statistic, whoever is first", () => {
    expect(quadStatistic({ first: "A", slotsNs: [100, 110, 110, 100] })).toBeCloseTo(Math.log(1.1), 12);
    expect(quadStatistic({ first: "B", slotsNs: [110, 100, 100, 110] })).toBeCloseTo(Math.log(1.1), 12);
  });

  it("does not see a drift that is linear in log time", () => {
    const slotsNs = [1, 1.01, 1.01 ** 2, 1.01 ** 3].map((f) => 100 * f) as unknown as QuadNs["slotsNs"];
    expect(quadStatistic({ first: "A", slotsNs })).toBeCloseTo(0, 12);
  });
});

describe("the verdict on an interval", () => {
  const rules = { gate: 0.005, equivalence: 0.01 };
  it.each([
    [0.006, 0.03, "changed"],
    [-0.03, -0.006, "changed"],
    [0.006, 0.009, "changed"],
    [-0.009, 0.009, "same"],
    [0.004, 0.009, "same"],
    [0.004, 0.02, "unresolved"],
    [-0.02, 0.02, "unresolved"],
    [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, "unresolved"],
  ] as const)("from %d to %d is %s", (low, high, verdict) => {
    expect(verdictOf({ low, high }, rules)).toBe(verdict);
  });

  it("does not depend on which side is called A", () => {
    expect(verdictOf({ low: -0.03, high: -Math.log1p(0.005) }, rules)).toBe("unresolved");
    expect(verdictOf({ low: Math.log1p(0.005), high: 0.03 }, rules)).toBe("unresolved");
  });
});

describe("a comparison", () => {
  it("sees 2% after 8 kept quads: 9 quads of 4 slots of 3 samples", async () => {
    const outcome = await comparison(0.02);
    expect(outcome).toMatchObject({
      verdict: "changed",
      ending: "ended",
      count: 8,
      samples: 108,
      confidence: 0.9875,
    });
    expect(outcome.ratio).toBeCloseTo(1.02, 3);
    expect(outcome.low).toBeGreaterThan(1.005);
    expect(outcome.quads).toHaveLength(9);
  });

  it("calls two equal kernels the same, as a claim", async () => {
    expect(await comparison(0)).toMatchObject({ verdict: "same", ending: "ended" });
  });

  it("that cannot tell says unresolved at the cap, with what it could have seen", async () => {
    const outcome = await comparison(0.004, evenNoise(5, 0.5));
    expect(outcome).toMatchObject({ verdict: "unresolved", ending: "ended", count: 64, samples: 65 * 12 });
    expect(outcome.mde).toBeGreaterThan(0.01);
  });

  it("drops the first quad, however slow it was", async () => {
    let call = 0;
    const outcome = await runQuads({
      sample: async (side) => (call++ < 12 ? 9e6 : 1e6) * (side === "B" ? 1.03 : 1),
    });
    expect(outcome.ratio).toBeCloseTo(1.03, 9);
  });

  it("takes the smallest of 3 samples for a slot, so that two outliers in three do not count", async () => {
    let call = 0;
    const outcome = await runQuads({ sample: async () => (call++ % 3 === 1 ? 1e6 : 5e6) });
    expect(outcome).toMatchObject({ verdict: "same", ratio: 1 });
  });

  it("that fails a build looks at 16 quads first, at one false alarm in three thousand a look", async () => {
    const noise = evenNoise(3, 0.005);
    const outcome = await runQuads({
      sample: async (side) => 1e6 * noise() * (side === "B" ? 1.03 : 1),
      rules: BUILD_QUADS,
    });
    expect(outcome).toMatchObject({ verdict: "changed", count: 16 });
    expect(outcome.confidence).toBeCloseTo(1 - 0.001 / 3, 12);
  });

  it("asks again for samples that are no time, and counts them", async () => {
    const bad = [Number.NaN, 0, -5, Number.POSITIVE_INFINITY];
    let call = 0;
    const outcome = await runQuads({
      sample: async () => (call++ % 5 === 4 ? bad[call % 4]! : 1e6),
    });
    expect(outcome).toMatchObject({ verdict: "same", ending: "ended", count: 8 });
    expect(outcome.rejected).toBeGreaterThan(20);
  });

  it("whose samples are all unusable ends invalid, with a reason, after a bounded number", async () => {
    const outcome = await runQuads({ sample: async (side) => (side === "B" ? Number.NaN : 1e6) });
    expect(outcome).toMatchObject({ ending: "invalid", verdict: "unresolved", samples: 9 });
    expect(outcome.reason).toBe("0 of 6 samples of B gave a time, the last NaN");
  });

  it("of which one side dies ends invalid and names it", async () => {
    const outcome = await runQuads({
      sample: async (side) => (side === "B" ? { failed: "device lost" } : 1),
    });
    expect(outcome).toMatchObject({ ending: "invalid", reason: "B failed: device lost" });
  });

  it("stopped between looks claims nothing", async () => {
    let calls = 0;
    const outcome = await runQuads({
      sample: async (side) => (side === "B" ? 2e6 : 1e6),
      stop: () => (calls++ >= 60 ? "the time is up" : undefined),
    });
    expect(outcome).toMatchObject({
      ending: "stopped",
      verdict: "unresolved",
      reason: "the time is up",
      count: 4,
    });
    expect(outcome.ratio).toBeCloseTo(2, 9);
  });

  it("stopped between looks claims nothing, though what it has would be enough at a look", async () => {
    let calls = 0;
    const outcome = await runQuads({
      rules: { ...REPORT_QUADS, looks: [64] },
      sample: async (side) => (side === "B" ? 2e6 : 1e6),
      stop: () => (calls++ >= 12 * 33 ? "enough" : undefined),
    });
    expect(outcome).toMatchObject({ verdict: "unresolved", count: 32 });
    expect(outcome.low).toBeGreaterThan(1.9);
  });
});

describe("a verdict", () => {
  const verdict = (low: number, high: number) =>
    verdictOf({ low: Math.log1p(low), high: Math.log1p(high) }, REPORT_QUADS);

  it("is changed wholly beyond the gate of 0.5%, same wholly within 1%, and else unresolved", () => {
    expect([verdict(0.0051, 0.03), verdict(-0.03, 1 / 1.0051 - 1)]).toEqual(["changed", "changed"]);
    expect([verdict(0.0049, 0.03), verdict(-0.03, 0.03)]).toEqual(["unresolved", "unresolved"]);
    expect([verdict(-0.009, 0.0099), verdict(0.001, 0.004)]).toEqual(["same", "same"]);
    expect([verdict(-0.001, 0.0101), verdict(-0.0101, 0.001)]).toEqual(["unresolved", "unresolved"]);
    // Beyond the gate and within the band: a change all the same.
    expect(verdict(0.0051, 0.0099)).toBe("changed");
  });
});

describe("an order effect", () => {
  /** B's run leaves the cache full of its own data, from which only A suffers; only the first sample after it. */
  const carryOver = (share: number) => {
    let previous: QuadSide | undefined;
    const sides: QuadSide[] = [];
    const noise = evenNoise(9, 0.004);
    return {
      sides,
      sample: async (side: QuadSide) => {
        const cost = side === "A" && sides.slice(-3).includes("B") ? share : 0;
        previous = side;
        sides.push(previous);
        return 1e6 * noise() * (1 + cost);
      },
    };
  };

  it("is found, and then the sides are run in blocks, and it is said", async () => {
    const { sample, sides } = carryOver(0.05);
    const outcome = await runQuads({ sample });
    expect(outcome).toMatchObject({ mode: "blocks", verdict: "same", ending: "ended" });
    expect(outcome.order.biased).toBe(true);
    expect(outcome.order.bias).toBeCloseTo(-0.0366, 2);
    // 9 quads thrown away, then 9 with as many untimed samples as timed ones.
    expect(sides).toHaveLength(9 * 12 + 9 * 24);
    expect(outcome.samples).toBe(sides.length);
  });

  it("would else have passed for a change: the interleaved quads alone say so", () => {
    const quads: QuadNs[] = Array.from({ length: 8 }, (_, index) =>
      index % 2 === 0
        ? { first: "A", slotsNs: [105, 100 + index / 50, 100, 105] }
        : { first: "B", slotsNs: [100, 105, 100 + index / 50, 100] },
    );
    expect(judgeQuads(quads.map(quadStatistic)).verdict).toBe("changed");
    expect(orderEffect(quads).biased).toBe(true);
  });

  it("is not seen where both sides suffer alike, for then the ratio is right", async () => {
    let last: QuadSide | undefined;
    const noise = evenNoise(2, 0.004);
    const outcome = await runQuads({
      sample: async (side) => {
        const cost = last !== undefined && last !== side ? 1.05 : 1;
        last = side;
        return 1e6 * noise() * cost;
      },
    });
    expect(outcome).toMatchObject({ mode: "interleaved", verdict: "same" });
  });
});

describe("fresh processes", () => {
  it("count one value each, however many quads they ran", () => {
    const six = [0.021, 0.018, 0.025, 0.019, 0.022, 0.02].map((centre) =>
      Array.from({ length: 8 }, () => centre),
    );
    const judged = judgeProcesses(six);
    expect(judged).toMatchObject({ verdict: "changed", count: 6, publishable: true, confidence: 0.95 });
    // mean 0.0208, s 0.00248, t(0.975, 5) 2.5706.
    expect(Math.log(judged.high) - Math.log(judged.low)).toBeCloseTo(
      (2 * 2.5706 * 0.0024833) / Math.sqrt(6),
      5,
    );
    expect(judged.p).toBeLessThan(1e-3);
  });

  it("that place their buffers differently are not outvoted by quads: two times 64 quads resolve nothing", () => {
    const two = [0.012, 0.002].map((centre) => Array.from({ length: 64 }, () => centre));
    expect(judgeProcesses(two)).toMatchObject({ verdict: "unresolved", publishable: false });
  });

  it("without a quad are left out, and one alone says nothing", () => {
    expect(judgeProcesses([[], [0.02, 0.02]])).toMatchObject({ verdict: "unresolved", count: 1, p: 1 });
    expect(judgeProcesses([])).toMatchObject({ verdict: "unresolved", count: 0 });
  });

  it("are publishable from 6 processes of 4 quads", () => {
    const quads = (count: number) => Array.from({ length: count }, () => 0.001);
    expect(judgeProcesses(Array.from({ length: 6 }, () => quads(3))).publishable).toBe(false);
    expect(judgeProcesses(Array.from({ length: 5 }, () => quads(8))).publishable).toBe(false);
  });
});

describe("rules", () => {
  it.each([
    [{ looks: [] }, /looks at no quads: give ascending whole numbers/],
    [{ looks: [16, 8] }, /looks at 16, 8 quads/],
    [{ looks: [0] }, /looks at 0 quads/],
    [{ looks: [Number.NaN] }, /looks at NaN quads/],
    [{ alpha: 0 }, /alpha 0: give a chance/],
    [{ alpha: Number.NaN }, /alpha NaN/],
    [{ gate: 0.02 }, /gate 0.02, equivalence 0.01: give fractions/],
  ])("under which nothing could end are refused: %j", (wrong, says) => {
    expect(() => new QuadMachine({ ...BUILD_QUADS, ...wrong })).toThrow(says);
  });
});

describe("the machine", () => {
  it("asks for the same sample until it is given one, and for nothing when it has ended", () => {
    const machine = new QuadMachine();
    expect(machine.next()).toEqual({ side: "A", timed: true });
    machine.take(Number.NaN);
    expect(machine.next()).toEqual({ side: "A", timed: true });
    machine.end("stopped", "enough");
    machine.take(5);
    expect(machine.next()).toBeUndefined();
    expect(machine.outcome()).toMatchObject({ count: 0, samples: 1, rejected: 1 });
  });
});
