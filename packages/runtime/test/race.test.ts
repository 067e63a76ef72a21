import { Fault } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { type Lane, type Racer, race } from "../src/calibrate/race.ts";

/** Racers on a clock that they advance themselves: getting ready and each sample cost what is told, in ms. */
function track(costs: Record<string, { readyMs: number; us: number | readonly number[]; fault?: Fault }>) {
  let now = 0;
  const disposed: string[] = [];
  const racers = Object.entries(costs).map(([variant, { readyMs, us, fault }]): Racer => {
    let taken = 0;
    return {
      variant,
      ready: async (): Promise<Lane> => {
        now += readyMs;
        if (fault) throw fault;
        return {
          sample: async () => {
            const each = typeof us === "number" ? us : us[Math.min(taken++, us.length - 1)]!;
            now += each / 1000;
            return each * 1000;
          },
          dispose: () => void disposed.push(variant),
        };
      },
    };
  });
  return { racers, disposed, now: () => now };
}

describe("a race", () => {
  it("is won by the fastest, and those far behind are sent off after three rounds", async () => {
    const { racers, disposed, now } = track({
      incumbent: { readyMs: 10, us: 100 },
      slow: { readyMs: 10, us: 300 },
      fast: { readyMs: 10, us: 80 },
    });
    const { winner, us, raced } = await race(racers, { maxMilliseconds: 1000, now });
    expect([winner, us]).toEqual(["fast", 80]);
    expect(raced.map(({ samples }) => samples)).toEqual([3, 3, 16]);
    expect(raced[1]).toMatchObject({ us: 300, out: "3.75 times the best after 3 rounds" });
    expect(disposed).toEqual(["incumbent", "slow", "fast"]);
  });

  it("leaves the incumbent in place unless it is beaten by 3%, and takes the least of the samples", async () => {
    const close = track({ incumbent: { readyMs: 1, us: 100 }, other: { readyMs: 1, us: 98 } });
    expect((await race(close.racers, { maxMilliseconds: 100, now: close.now })).winner).toBe("incumbent");
    const clear = track({ incumbent: { readyMs: 1, us: 100 }, other: { readyMs: 1, us: [500, 96, 110] } });
    expect((await race(clear.racers, { maxMilliseconds: 100, now: clear.now })).winner).toBe("other");
  });

  it("stops in time: what there is no time to compile is left out, and one round is always run", async () => {
    const { racers, now } = track({
      incumbent: { readyMs: 50, us: 1000 },
      second: { readyMs: 50, us: 900 },
      third: { readyMs: 50, us: 1 },
    });
    const { winner, raced, spentMs } = await race(racers, { maxMilliseconds: 100, now });
    expect(winner).toBe("second");
    expect(raced[2]).toEqual({ variant: "third", samples: 0, out: "no time was left to compile it" });
    expect(raced.map(({ samples }) => samples)).toEqual([1, 1, 0]);
    expect(spentMs).toBeCloseTo(101.9, 6);
  });

  it("a variant that fails or is wrong never wins, and is told with its reason", async () => {
    const wrong = new Fault("validation", "its answer is wrong: pair 3");
    const { racers, now } = track({
      incumbent: { readyMs: 1, us: 100, fault: wrong },
      other: { readyMs: 1, us: 200 },
    });
    const { winner, raced } = await race(racers, { maxMilliseconds: 100, now });
    expect(winner).toBe("other");
    expect(raced[0]).toEqual({ variant: "incumbent", samples: 0, out: "its answer is wrong: pair 3" });
  });

  it("of none that runs rejects with the incumbent's failure; a lost device and an abort end it", async () => {
    const faultOf = async (fault: Fault, signal?: AbortSignal): Promise<unknown> => {
      const { racers, now } = track({ only: { readyMs: 1, us: 1, fault } });
      const options = { maxMilliseconds: 9, now, ...(signal ? { signal } : {}) };
      return race(racers, options).catch((error) => error);
    };
    const refused = new Fault("validation", "no pipeline");
    expect(await faultOf(refused)).toBe(refused);
    const lost = new Fault("device-lost", "gone");
    expect(await faultOf(lost)).toBe(lost);
    expect(await faultOf(refused, AbortSignal.abort())).toMatchObject({ kind: "usage" });
  });
});
