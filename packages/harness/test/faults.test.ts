/**
 * Faults of clocks, devices and people that have fooled benchmarks, each with what must come of it. Those of a single reading
 * (wrapped, negative, stale, over the wall, over the FMA peak, a flush inside) stand in reject.test.ts, of the tick in
 * tick.test.ts, of verification in verify.test.ts, null-device.test.ts and swiftshader.test.ts.
 */
import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { type FakeTimeableOptions, fakeClock, fakeTimeable } from "../src/fake.ts";
import { CERTIFYING } from "../src/gate.ts";
import { MAXIMUM_REPEATS, SETTLE, STUCK_LOOKS } from "../src/protocol.ts";
import { runQuads } from "../src/quad-run.ts";
import { runRace } from "../src/race.ts";
import type { Racer } from "../src/race-rounds.ts";
import { RACING, SCREENING, type StoppingRule } from "../src/rules.ts";
import { takeSamples } from "../src/sampler.ts";
import { Settler } from "../src/settle.ts";
import { warmUp } from "../src/warmup.ts";

/** Samples a fake by one clock or the other. */
function sampled(
  fake: Omit<FakeTimeableOptions, "clock">,
  kind: "gpu" | "wall" = "gpu",
  rule: StoppingRule = SCREENING,
) {
  const clock = fakeClock();
  const timeable = fakeTimeable({ ...fake, clock });
  return takeSamples(timeable, { clock: kind, tickNs: fake.tickNs ?? 1, time: clock, rule });
}

const simpler = (a: Racer, b: Racer): number => (a.id < b.id ? -1 : 1);
const { shuffle } = randomFrom(1);

describe("a clock that never advances", () => {
  it("on the GPU leaves the trial unresolved, with a reason", async () => {
    const outcome = await sampled({
      repeatNs: () => 1e3,
      distort: ({ wallMs }) => ({ wallMs, passes: [{ begin: 7n, end: 7n }] }),
    });
    expect(outcome).toMatchObject({ status: "unresolved", timing: { samplesNs: [] } });
    expect(outcome.reason).toMatch(/last less than one tick/);
    expect(outcome.timing.repeats).toBeLessThanOrEqual(MAXIMUM_REPEATS);
  });

  it("on the wall does so too", async () => {
    const outcome = await sampled(
      { repeatNs: () => 1e3, distort: () => ({ passes: [], wallMs: 0 }) },
      "wall",
    );
    expect(outcome).toMatchObject({ status: "unresolved", timing: { samplesNs: [] } });
  });

  it("ends a warm-up whose times never settle, and a device that never regains its pace", async () => {
    const still = { now: () => 5 };
    let falling = 1e9;
    const { runs, steady } = await warmUp(async () => falling--, still);
    expect(runs).toBeLessThanOrEqual(STUCK_LOOKS + 1);
    expect(steady).toBe(false);

    const clock = fakeClock();
    let burstMs = SETTLE.burstMs;
    let moves = true;
    const settler = new Settler(async () => {
      if (moves) clock.advance(burstMs);
      return burstMs;
    }, clock);
    await settler.settle();
    burstMs *= 2;
    moves = false;
    await settler.settle();
    expect(await settler.held()).toBe(false);
  });

  it("reading 0 for every candidate gives a race no winner, least of all the first listed", async () => {
    const entries = ["first", "second", "third"].map((id) => ({ id }));
    const { winner, standings } = await runRace({ entries, shuffle, simpler, sample: async () => 0 });
    expect(winner).toBeUndefined();
    expect(standings.map(({ place }) => place)).toEqual(["failed", "failed", "failed"]);
    expect(standings[0]!.reason).toBe("no time in 2 tries, the last 0");
  });
});

describe("a clock that runs backwards", () => {
  it("makes the trial invalid when it always does, and is replaced when it did once", async () => {
    const swapped =
      (share: (call: number) => boolean): FakeTimeableOptions["distort"] =>
      (raw, call) =>
        share(call)
          ? { ...raw, passes: raw.passes.map(({ begin, end }) => ({ begin: end, end: begin })) }
          : raw;
    const always = await sampled({ repeatNs: () => 1e6, distort: swapped((call) => call >= 1) });
    expect(always).toMatchObject({
      status: "invalid",
      reason: "0 of 3 samples survived: 6 end-before-begin",
    });
    const once = await sampled({ repeatNs: () => 1e6, distort: swapped((call) => call === 3) });
    expect(once).toMatchObject({ status: "ok", timing: { rejected: { "end-before-begin": 1 } } });
  });

  it("between samples is seen as timestamps from before the last", async () => {
    const outcome = await sampled({
      repeatNs: () => 1e6,
      distort: (raw, call) =>
        call < 2
          ? raw
          : {
              ...raw,
              passes: raw.passes.map(({ begin, end }) => ({
                begin: begin - 10n ** 8n,
                end: end - 10n ** 8n,
              })),
            },
    });
    expect(outcome.timing.rejected).toEqual({ stale: 1 });
    expect(outcome.status).toBe("ok");
  });

  it("on the wall gives no negative time", async () => {
    const outcome = await sampled(
      { repeatNs: () => 1e6, distort: (raw, call) => (call < 1 ? raw : { passes: [], wallMs: -3 }) },
      "wall",
    );
    expect(outcome).toMatchObject({ status: "invalid", timing: { samplesNs: [] } });
  });
});

describe("a clock that jumps", () => {
  it("forward inside a sample is caught by the wall, which did not", async () => {
    const hour = 3_600n * 10n ** 9n;
    const outcome = await sampled({
      repeatNs: () => 1e6,
      distort: (raw, call) =>
        call === 3
          ? { ...raw, passes: raw.passes.map(({ begin, end }) => ({ begin, end: end + hour })) }
          : raw,
    });
    expect(outcome).toMatchObject({ status: "ok", timing: { rejected: { "over-wall": 1 } } });
  });

  it("by an hour while a trial is certified costs no sample: it ends noisy on at least 12, or certified", async () => {
    const clock = fakeClock();
    let calls = 0;
    const timeable = fakeTimeable({
      clock,
      repeatNs: (call) => 1e6 * (1 + 0.3 * ((call * 5) % 7)),
    });
    const jumping = {
      sample: (repeats: number) => {
        calls += 1;
        if (calls === 15) clock.advance(3_600_000);
        return timeable.sample(repeats);
      },
    };
    const { status, reason, timing } = await takeSamples(jumping, {
      clock: "gpu",
      tickNs: 1,
      time: clock,
      rule: CERTIFYING,
    });
    expect(status).toBe("noisy");
    expect(reason).toMatch(/after \d+ samples$/);
    expect(timing.samplesNs.length).toBeGreaterThanOrEqual(12);
  });
});

describe("numbers that are none", () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    "a wall clock that says %d makes the trial invalid",
    async (wallMs) => {
      const outcome = await sampled({ repeatNs: () => 1e6, distort: () => ({ passes: [], wallMs }) }, "wall");
      expect(outcome).toMatchObject({ status: "invalid", reason: "0 of 3 samples survived: 6 not-a-number" });
    },
  );

  it("never reach the statistics of a comparison or a race", async () => {
    const values = [Number.NaN, 1e6, 0, 1e6, -1, 1e6, Number.POSITIVE_INFINITY, 1e6];
    let call = 0;
    const sample = async () => values[call++ % values.length]!;
    const quads = await runQuads({ sample });
    expect(quads).toMatchObject({ verdict: "same", ratio: 1, low: 1, high: 1 });
    const { standings } = await runRace({ entries: [{ id: "a" }, { id: "b" }], shuffle, simpler, sample });
    for (const { samplesNs, ratio } of standings) {
      expect(samplesNs.every((ns) => ns === 1e6)).toBe(true);
      expect(ratio).toBe(1);
    }
  });
});

describe("zero samples", () => {
  it("make a trial invalid with the reason of each loss", async () => {
    const outcome = await sampled({
      repeatNs: () => 1e6,
      distort: (raw, call) => (call < 1 ? raw : { ...raw, passes: call % 2 ? [] : [{ begin: 0n, end: 0n }] }),
    });
    expect(outcome.status).toBe("invalid");
    expect(outcome.reason).toBe("0 of 3 samples survived: 3 no-timestamps, 3 begin-zero");
  });

  it("make a comparison invalid, and its figures no numbers that could pass for some", async () => {
    const outcome = await runQuads({ sample: async () => Number.NaN });
    expect(outcome).toMatchObject({ ending: "invalid", verdict: "unresolved", count: 0 });
    expect(outcome.ratio).toBeNaN();
    expect(outcome.mde).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a single dispatch longer than a submission may be", () => {
  it("runs once a sample, never in repeats, and is timed all the same", async () => {
    const clock = fakeClock();
    const timeable = fakeTimeable({ clock, repeatNs: () => 400e6, tickNs: 65_536 });
    const { status, timing } = await takeSamples(timeable, {
      clock: "gpu",
      tickNs: 65_536,
      time: clock,
      rule: RACING,
    });
    expect(status).toBe("ok");
    expect(new Set(timeable.calls)).toEqual(new Set([1]));
    expect(timing.samplesNs).toHaveLength(8);
  });

  it("ends noisy with a reason when it cannot be certified in bounded time", async () => {
    const outcome = await sampled({ repeatNs: (call) => 900e6 * (1 + (call % 3)) }, "gpu", CERTIFYING);
    expect(outcome.status).toBe("noisy");
    expect(outcome.reason).toMatch(/^spread: .* after \d+ samples$/);
  });
});

describe("a candidate that cannot be launched", () => {
  it("is never the best, though it is first in the list and would be the fastest", async () => {
    const entries = [
      { id: "a-broken", ns: 1 },
      { id: "b", ns: 1e6 },
      { id: "c", ns: 2e6 },
    ];
    const { winner, standings } = await runRace({
      entries,
      shuffle,
      simpler,
      sample: async ({ id, ns }) => (id === "a-broken" ? { failed: "workgroup too large" } : ns),
    });
    expect(winner?.id).toBe("b");
    expect(standings.at(-1)).toMatchObject({ place: "failed", reason: "workgroup too large", samplesNs: [] });
  });
});

describe("a device lost in the middle", () => {
  it("leaves a comparison invalid, with the quads that it has", async () => {
    let calls = 0;
    const outcome = await runQuads({ sample: async () => (++calls > 50 ? { failed: "device lost" } : 1e6) });
    expect(outcome).toMatchObject({
      ending: "invalid",
      verdict: "unresolved",
      reason: "A failed: device lost",
    });
    expect(outcome.quads).toHaveLength(4);
  });

  it("ends a race whose every entry fails from then on with no winner", async () => {
    let calls = 0;
    const { winner, standings } = await runRace({
      entries: [{ id: "a" }, { id: "b" }],
      shuffle,
      simpler,
      sample: async () => (++calls > 5 ? { failed: "device lost" } : 1e6),
    });
    expect(winner).toBeUndefined();
    expect(standings.map(({ place }) => place)).toEqual(["failed", "failed"]);
  });
});

describe("load from elsewhere", () => {
  it("shrinks neither a comparison nor a race: a stop between samples claims nothing it has not earned", async () => {
    const clock = fakeClock();
    const late = () => (clock.now() > 1_000 ? "the time is up" : undefined);
    const outcome = await runQuads({
      sample: async (side) => {
        clock.advance(40);
        return side === "B" ? 2e6 : 1e6;
      },
      stop: late,
    });
    expect(outcome).toMatchObject({ ending: "stopped", verdict: "unresolved", reason: "the time is up" });
  });
});
