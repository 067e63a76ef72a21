import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { type RaceOptions, runRace } from "../../src/race.ts";
import { behind, scores } from "../../src/race-cuts.ts";

interface Kernel {
  readonly id: string;
  readonly keep?: boolean;
  readonly ns: number;
  readonly bytes?: number;
}

const simpler = (a: Kernel, b: Kernel): number =>
  (a.bytes ?? 0) - (b.bytes ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Races kernels on a device that scatters by half a percent; what was asked for is kept. */
async function race(kernels: readonly Kernel[], more: Partial<RaceOptions<Kernel>> & { seed?: number } = {}) {
  const random = randomFrom(more.seed ?? 1);
  const run: string[] = [];
  const heats: string[][] = [];
  const outcome = await runRace<Kernel>({
    entries: kernels,
    shuffle: random.shuffle,
    simpler,
    sample: async ({ id, ns }) => {
      run.push(id);
      return ns * (1 + 0.005 * random.float());
    },
    prepare: async (heat) => {
      heats.push(heat.map(({ id }) => id));
    },
    ...more,
  });
  const place = Object.fromEntries(outcome.standings.map((one) => [one.entry.id, one]));
  const runs = (id: string) => run.filter((one) => one === id).length;
  return { ...outcome, run, heats, place, runs };
}

const field = (count: number, gap: number): Kernel[] =>
  Array.from({ length: count }, (_, index) => ({ id: `k${index}`, ns: 1e6 * (1 + gap * index) }));

describe("a race", () => {
  it("finds the fastest, and drops whoever is 15% slower after 3 rounds", async () => {
    const { winner, runs, place, run } = await race(field(12, 0.2));
    expect(winner?.id).toBe("k0");
    expect(runs("k5")).toBe(3);
    expect(place.k5).toMatchObject({
      place: "dropped",
      rounds: 3,
      reason: "over 1.15x the leader's time after 3 rounds",
    });
    expect(run.slice(0, 36)).not.toEqual([...run.slice(0, 36)].sort());
  });

  it("drops who is a percent slower after 6 rounds, not before", async () => {
    const { runs, place, rounds } = await race(field(8, 0.02));
    expect(runs("k7")).toBe(6);
    expect(place.k7!.reason).toMatch(/^1[34]\.\d\d% slower than the leader after 6 rounds$/);
    expect(rounds).toBe(6);
  });

  it("runs every live entry once a round, in another order each time", async () => {
    const { run } = await race(field(8, 0.02));
    const rounds = [0, 1, 2].map((round) => run.slice(8 * round, 8 * round + 8));
    for (const round of rounds) expect(new Set(round).size).toBe(8);
    expect(rounds[0]).not.toEqual(rounds[1]);
  });

  it("keeps the incumbent and the default to the end, however slow", async () => {
    const kernels = [...field(6, 0.3), { id: "default", ns: 9e6, keep: true }];
    const { runs, place, rounds } = await race(kernels);
    expect(runs("default")).toBe(rounds);
    expect(place.default).toMatchObject({ place: "behind" });
    expect(place.default!.ratio).toBeCloseTo(9, 0);
  });

  it("sends those that its rounds cannot tell apart to quads", async () => {
    const { meetings, winner, place, rounds } = await race([...field(3, 0.002), { id: "far", ns: 2e6 }]);
    expect(rounds).toBe(24);
    expect(meetings.length).toBeGreaterThan(0);
    expect(winner?.id).toBe("k0");
    expect(place.k1).toMatchObject({ place: "tie" });
    expect(place.k1!.ratio).toBeCloseTo(1.002, 2);
  });

  it("thins a crowd of near ties to 16 after 6 rounds and 8 after 12, and calls those left out ties", async () => {
    const crowd = Array.from({ length: 40 }, (_, index) => ({
      id: `c${index}`,
      ns: 1e6,
      keep: index === 39,
    }));
    const { runs, place, standings, samples } = await race(crowd);
    const rounds = crowd.map(({ id }) => runs(id));
    expect(rounds.filter((count) => count === 6).length).toBeGreaterThan(20);
    expect(rounds.filter((count) => count > 12).length).toBeLessThanOrEqual(9);
    expect(place.c39!.rounds).toBe(24);
    expect(standings.every(({ place }) => place === "tie" || place === "winner")).toBe(true);
    expect(samples).toBeLessThan(1_000);
  });

  it("needs no quads when its rounds leave one", async () => {
    expect(await race(field(8, 0.02))).toMatchObject({ meetings: [], rounds: 6 });
  });

  it("ends after at most 24 rounds with a field that cannot be told apart, and at most 6 meet in quads", async () => {
    const random = randomFrom(4);
    const { rounds, meetings, winner } = await race(field(14, 0), {
      sample: async () => 1e6 * (1 + 0.3 * random.float()),
    });
    expect(rounds).toBe(24);
    expect(meetings).toHaveLength(5);
    expect(winner).toBeDefined();
  });

  it("gives a tie to the simpler variant, whatever the order of the list", async () => {
    const kernels = [
      { id: "split", ns: 1e6, bytes: 4096 },
      { id: "plain", ns: 1e6, bytes: 0 },
      { id: "slow", ns: 1.4e6 },
    ];
    for (const entries of [kernels, [...kernels].reverse()]) {
      for (const seed of [1, 2, 3]) {
        const { winner, place } = await race(entries, { seed });
        expect(winner?.id).toBe("plain");
        expect(place.split!.place).toBe("tie");
      }
    }
  });

  it("is not decided by the order of the list when nothing can be seen", async () => {
    const kernels = ["c", "a", "b"].map((id) => ({ id, ns: 1e6 }));
    const same = { sample: async () => 65_536 };
    expect((await race(kernels, same)).winner?.id).toBe("a");
    expect((await race([...kernels].reverse(), same)).winner?.id).toBe("a");
  });
});

describe("two processes that pick different winners", () => {
  it("have declared the other's winner a tie", async () => {
    const near = field(4, 0.003).map((kernel, index) => ({ ...kernel, bytes: 4 - index }));
    const kernels = [
      ...near,
      ...field(4, 0.3)
        .slice(1)
        .map((k) => ({ ...k, id: `slow-${k.id}` })),
    ];
    let different = 0;
    const outcomes = [];
    for (let seed = 0; seed < 24; seed += 1) outcomes.push(await race(kernels, { seed }));
    for (const one of outcomes) {
      for (const other of outcomes) {
        if (one.winner!.id === other.winner!.id) continue;
        different += 1;
        expect(one.place[other.winner!.id]!.place).toBe("tie");
      }
    }
    expect(different).toBeGreaterThan(0);
  });
});

describe("drift and clock states", () => {
  it("hit all of a round alike and cancel: a device that slows down by half picks the same winner", async () => {
    let calls = 0;
    const { winner } = await race(field(10, 0.02), {
      sample: async ({ ns }) => ns * (1 + 0.002 * calls++),
    });
    expect(winner?.id).toBe("k0");
  });
});

describe("a large field", () => {
  it("runs in heats of at most 64, the leader in each of them", async () => {
    const { heats, winner, run } = await race(field(150, 0.01));
    expect(Math.max(...heats.map((heat) => heat.length))).toBeLessThanOrEqual(64);
    expect(winner?.id).toBe("k0");
    const leaders = heats.slice(0, 3).map((heat) => new Set(heat));
    const inAll = [...leaders[0]!].filter((id) => leaders.every((heat) => heat.has(id)));
    expect(inAll).toHaveLength(1);
    // Each of the others once in the first round.
    expect(new Set(run.slice(0, 152)).size).toBe(150);
  });

  it("goes on when the leader fails in one of its heats", async () => {
    let calls = 0;
    const { winner, place } = await race(field(150, 0.01), {
      sample: async ({ id, ns }) => (id === "k0" && ++calls > 2 ? { failed: "device lost" } : ns),
    });
    expect(place.k0).toMatchObject({ place: "failed", reason: "device lost" });
    expect(winner?.id).toBe("k1");
  });
});

describe("entries that fail", () => {
  it("leave the race with their reason, and the race goes on", async () => {
    const { winner, place } = await race(field(6, 0.1), {
      sample: async ({ id, ns }) => (id === "k0" ? { failed: "hung" } : id === "k1" ? Number.NaN : ns),
    });
    expect(winner?.id).toBe("k2");
    expect(place.k0).toMatchObject({ place: "failed", reason: "hung" });
    expect(place.k1).toMatchObject({ place: "failed", reason: "no time in 2 tries, the last NaN" });
  });

  it("in the finals hand over: a champion that dies does not win", async () => {
    let calls = 0;
    const { winner, place } = await race(field(3, 0.001), {
      sample: async ({ id, ns }) => (id === "k0" && ++calls > 10 ? { failed: "crashed" } : ns),
    });
    expect(place.k0!.place).toBe("failed");
    expect(winner?.id).toBe("k1");
  });

  it("all of them leave no winner, and so does no entry at all", async () => {
    const { winner, standings } = await race(field(3, 0.1), { sample: async () => ({ failed: "hung" }) });
    expect(winner).toBeUndefined();
    expect(standings.map(({ place }) => place)).toEqual(["failed", "failed", "failed"]);
    expect((await race([])).winner).toBeUndefined();
  });
});

describe("a race that is stopped", () => {
  it("says why and names the leader so far, or nobody before the first round ended", async () => {
    let calls = 0;
    const until = (count: number) => ({ stop: () => (calls++ >= count ? "the time is up" : undefined) });
    const early = await race(field(6, 0.1), until(4));
    expect(early).toMatchObject({ reason: "the time is up", rounds: 0, samples: 4 });
    expect(early.winner).toBeUndefined();
    calls = 0;
    const late = await race(field(6, 0.1), until(14));
    expect(late.winner?.id).toBe("k0");
    expect(late.rounds).toBe(2);
  });
});

describe("the cuts", () => {
  const level = (log: number, rounds: number): number[] => new Array<number>(rounds).fill(log);

  it("keep who is slower on average only by two wild rounds of six", () => {
    expect(behind([[0.001, 0, 2, 0.001, 2, 0.001]], level(0, 6))).toEqual([undefined]);
  });

  it("drop who is slower although the leader had a wild round", () => {
    const [cut] = behind([level(0.02, 6), level(0.03, 6)], [0, 0, 0, 3, 0, 0]);
    expect(cut!.reason).toMatch(/^2\.02% slower/);
  });

  it("take the field's scatter for an entry whose own six rounds agree by chance", () => {
    const leader = level(0, 6);
    const calm = level(0.01, 6);
    expect(behind([calm], leader)[0]).toBeDefined();
    const restless = [1, 2, 3].map((k) => [0.03 * k, -0.03, 0.05, -0.02 * k, 0.01, -0.04]);
    expect(behind([calm, ...restless], leader)[0]).toBeUndefined();
  });

  it("keep who is slower by less than the margin, however sure that is", () => {
    expect(behind([level(0.0029, 24)], level(0, 24))).toEqual([undefined]);
    expect(behind([level(0.004, 24)], level(0, 24))[0]).toMatchObject({ least: 0.004 });
  });

  it("score by what is left when each round's median is taken out", () => {
    const [a, b, c] = scores([
      [0, 0.5, 0.1],
      [0.01, 0.51, 0.11],
      [0.02, 0.52, 0.12],
    ]);
    expect(a).toBeCloseTo(-0.01, 12);
    expect(b).toBe(0);
    expect(c).toBeCloseTo(0.01, 12);
  });
});
