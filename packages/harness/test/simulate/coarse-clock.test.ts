import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { estimate } from "../../src/estimate.ts";
import { fakeClock } from "../../src/fake.ts";
import { MAXIMUM_ROUNDING } from "../../src/protocol.ts";
import { runQuads } from "../../src/quad-run.ts";
import { runRace } from "../../src/race.ts";
import { judgeSample } from "../../src/reject.ts";
import { fixed, RACING, type StoppingRule } from "../../src/rules.ts";
import { type Sampled, takeSamples } from "../../src/sampler.ts";
import { COARSE_TICK_NS, repeatsFor, simulatedDevice, simulatedTimeable } from "../../src/simulate/device.ts";
import { type NoiseKind, noiseSource } from "../../src/simulate/noise.ts";

const tickNs = COARSE_TICK_NS;

/** A device whose timestamps have Chrome's tick; its wall time between samples is always the same, the worst for phases. */
function coarseDevice(kind: NoiseKind, seed: number) {
  const clock = fakeClock();
  const noise = noiseSource(kind, randomFrom(seed).float, 2_000);
  const device = simulatedDevice({ clock, noise, tickNs });
  return { clock, device };
}

/** Times a kernel as a trial does. */
async function timed(
  ns: number,
  kind: NoiseKind,
  seed: number,
  rule: StoppingRule = RACING,
): Promise<Sampled> {
  const { clock, device } = coarseDevice(kind, seed);
  return takeSamples(simulatedTimeable(device, clock, ns), { clock: "gpu", tickNs, time: clock, rule });
}

const rankOf = ({ timing, rounding }: Sampled): number =>
  estimate(timing.samplesNs, timing.repeats, rounding)!.rankNs;

/** One accepted sample in ns of one repeat, as a host gives it. */
function sampleOf({ clock, device }: ReturnType<typeof coarseDevice>, ns: number): number {
  const repeats = repeatsFor(ns, tickNs);
  const before = clock.now();
  const { begin, end } = device.run(ns, repeats);
  const passes = [{ begin: BigInt(begin) + 1n, end: BigInt(end) + 1n }];
  const judged = judgeSample({ passes, wallMs: clock.now() - before }, repeats, { clock: "gpu", tickNs });
  return judged.ns === undefined ? Number.NaN : judged.ns / repeats;
}

describe("a kernel of 5 us under a tick of 65,536 ns", () => {
  it("is repeated until it fills 200 ticks, and timed to half a percent", async () => {
    const { status, timing, rounding } = await timed(5_000, "iid", 1);
    expect(status).toBe("ok");
    expect(timing.repeats).toBeGreaterThan(2_500);
    expect(rounding).toBeLessThanOrEqual(0.0051);
    expect(rankOf({ status, timing, rounding }) / 5_000).toBeCloseTo(1, 2);
  });

  it("ranks right among kernels that are 2% apart, whichever is timed first", async () => {
    const lengths = [5_000, 5_100, 5_202, 5_306, 5_412];
    for (const order of [lengths, [...lengths].reverse()]) {
      const ranks = new Map<number, number>();
      for (const [index, ns] of order.entries()) ranks.set(ns, rankOf(await timed(ns, "ar", 20 + index)));
      expect([...lengths].sort((a, b) => ranks.get(a)! - ranks.get(b)!)).toEqual(lengths);
    }
  });

  it("is told from one that is 2% slower in quads, in either direction, and from itself it is not", async () => {
    for (const [a, b, verdict] of [
      [5_000, 5_100, "changed"],
      [5_100, 5_000, "changed"],
      [5_000, 5_000, "same"],
    ] as const) {
      const machine = coarseDevice("clock", 31);
      const outcome = await runQuads({ sample: async (side) => sampleOf(machine, side === "A" ? a : b) });
      expect(outcome).toMatchObject({ verdict, ending: "ended", rejected: 0 });
      expect(outcome.ratio).toBeCloseTo(b / a, 2);
    }
  });

  it("wins a race against eleven that are 3% and more slower, last in the list and under switching clocks", async () => {
    const entries = Array.from({ length: 12 }, (_, index) => ({
      id: `k${index}`,
      ns: 5_000 * (1 + 0.03 * (11 - index)),
    }));
    for (const seed of [1, 2, 3]) {
      const machine = coarseDevice("clock", seed);
      const { winner } = await runRace({
        entries,
        shuffle: randomFrom(seed).shuffle,
        simpler: (one, other) => other.ns - one.ns,
        sample: async ({ ns }) => sampleOf(machine, ns),
      });
      expect(winner?.id).toBe("k11");
    }
  });
});

describe("a kernel so short that no submission fills 200 ticks", () => {
  const MANY = fixed(64);

  it("is ranked by the mean of samples that begin at scattered phases, and right among some 2% apart", async () => {
    const lengths = [400, 408, 416];
    const ranks: number[] = [];
    for (const [index, ns] of lengths.entries()) {
      const sampled = await timed(ns, "iid", 50 + index, MANY);
      expect(sampled.rounding).toBeGreaterThan(MAXIMUM_ROUNDING);
      ranks.push(rankOf(sampled));
      expect(rankOf(sampled) / (ns * 1.004)).toBeCloseTo(1, 2);
    }
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
  });

  it("has slots that are means in quads, for a minimum there is a tick's, not the kernel's", async () => {
    // Back to back at one phase both sides read 15 ticks; at any phase their means differ by the 3% that they are apart.
    const phase = randomFrom(6).float;
    const read = (ticks: number): number => {
      const begin = phase();
      return Math.floor(begin + ticks) * tickNs;
    };
    const sample = async (side: "A" | "B") => read(side === "A" ? 15.2 : 15.66);
    const means = await runQuads({ sample, rounding: 1 / 15 });
    expect(means.ratio).toBeCloseTo(15.66 / 15.2, 2);
    const minima = await runQuads({ sample });
    expect(Math.abs(minima.ratio - 15.66 / 15.2)).toBeGreaterThan(0.01);
  });
});
