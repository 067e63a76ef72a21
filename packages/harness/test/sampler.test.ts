import { describe, expect, it } from "vitest";
import { type FakeTimeableOptions, fakeClock, fakeTimeable } from "../src/fake.ts";
import { CERTIFYING } from "../src/gate.ts";
import type { StoppingRule } from "../src/rules.ts";
import { RACING, SCREENING } from "../src/rules.ts";
import { type SampleOptions, takeSamples } from "../src/sampler.ts";

/** Samples a fake of known lengths. */
async function sampled(
  fake: Omit<FakeTimeableOptions, "clock">,
  rule: StoppingRule = SCREENING,
  more: Partial<SampleOptions> = {},
) {
  const clock = fakeClock();
  const timeable = fakeTimeable({ ...fake, clock });
  const outcome = await takeSamples(timeable, {
    clock: "gpu",
    tickNs: fake.tickNs ?? 1,
    time: clock,
    rule,
    ...more,
  });
  return { ...outcome, calls: timeable.calls, elapsedMs: clock.now() };
}

describe("sampling", () => {
  it("takes 3 samples when screening and 8 when racing", async () => {
    expect((await sampled({ repeatNs: () => 1e6 })).timing.samplesNs).toEqual([1e6, 1e6, 1e6]);
    expect((await sampled({ repeatNs: () => 1e6 }, RACING)).timing.samplesNs).toHaveLength(8);
  });

  it("gives integer nanoseconds of all repeats together", async () => {
    const { timing } = await sampled({ repeatNs: () => 30.25 });
    expect(timing.repeats).toBe(Math.ceil(200 / 30.25));
    for (const ns of timing.samplesNs) {
      expect(Number.isInteger(ns)).toBe(true);
      expect(ns / timing.repeats).toBeCloseTo(30.25, 0);
    }
  });

  it("spends under half a second screening a kernel of 50 ms", async () => {
    expect((await sampled({ repeatNs: () => 50e6 })).elapsedMs).toBeLessThan(500);
  });

  it("certifies a steady kernel on 12 samples", async () => {
    const { status, timing } = await sampled({ repeatNs: () => 1e6 }, CERTIFYING);
    expect(status).toBe("ok");
    expect(timing.samplesNs).toHaveLength(12);
  });

  it("does not count an asynchronous compile as run time", async () => {
    const { timing } = await sampled({ repeatNs: (call) => (call === 0 ? 400e6 : 1e6) });
    expect(timing.samplesNs).toEqual([1e6, 1e6, 1e6]);
  });
});

describe("a clock so coarse that every candidate reads 0", () => {
  it("gives unresolved and no samples, so that no candidate can win by being listed first", async () => {
    const outcome = await sampled({
      repeatNs: () => 900,
      tickNs: 65_536,
      distort: ({ wallMs }) => ({ wallMs, passes: [{ begin: 65_536n, end: 65_536n }] }),
    });
    expect(outcome.status).toBe("unresolved");
    expect(outcome.reason).toMatch(/less than one tick of 65536 ns/);
    expect(outcome.timing.samplesNs).toEqual([]);
  });

  it("still tells kernels apart that fill 200 ticks with repeats", async () => {
    const one = await sampled({ repeatNs: () => 40_000, tickNs: 65_536 });
    const two = await sampled({ repeatNs: () => 44_000, tickNs: 65_536 });
    const best = ({ timing }: typeof one) => Math.min(...timing.samplesNs) / timing.repeats;
    expect(best(two) / best(one)).toBeCloseTo(1.1, 2);
  });
});

describe("bad samples", () => {
  it("are counted by reason and replaced", async () => {
    const { status, timing } = await sampled({
      repeatNs: () => 1e6,
      distort: (raw, call) => (call === 2 ? { ...raw, passes: [{ begin: 0n, end: 0n }] } : raw),
    });
    expect(status).toBe("ok");
    expect(timing.samplesNs).toEqual([1e6, 1e6, 1e6]);
    expect(timing.rejected).toEqual({ "begin-zero": 1 });
  });

  it("that are all discarded make the trial invalid, after a bounded number of tries", async () => {
    const { status, reason, timing, calls } = await sampled({
      repeatNs: () => 1e6,
      distort: (raw, call) => (call < 1 ? raw : { ...raw, wallMs: 0.001 }),
    });
    expect(status).toBe("invalid");
    expect(reason).toBe("0 of 3 samples survived: 6 over-wall");
    expect(timing.samplesNs).toEqual([]);
    expect(calls.length).toBeLessThan(10);
  });

  it("over the FMA peak make the trial invalid", async () => {
    const peak = { flops: 2e6, fmaFlopsPerSecond: 1e9 };
    const { status, reason } = await sampled({ repeatNs: () => 1e6 }, SCREENING, peak);
    expect(status).toBe("invalid");
    expect(reason).toMatch(/over-fma-peak/);
  });
});

describe("noise that never converges", () => {
  it("ends noisy at 64 samples", async () => {
    const { status, reason, timing } = await sampled(
      { repeatNs: (k) => 1e6 * (1 + 0.3 * ((k * 5) % 7)) },
      CERTIFYING,
    );
    expect(status).toBe("noisy");
    expect(reason).toMatch(/^spread: .* after 64 samples$/);
    expect(timing.samplesNs).toHaveLength(64);
  });

  it("ends noisy in bounded time when the kernel is slow, on no fewer than 12 samples", async () => {
    const { status, timing, elapsedMs } = await sampled(
      { repeatNs: (k) => 1e9 * (1 + 0.3 * ((k * 5) % 7)) },
      CERTIFYING,
    );
    expect(status).toBe("noisy");
    expect(timing.samplesNs.length).toBeGreaterThanOrEqual(12);
    expect(elapsedMs).toBeLessThan(60_000);
  });
});

describe("load", () => {
  it("never shrinks N: time taken by others costs no sample", async () => {
    const busy = { repeatNs: () => 1e6, overheadMs: 30_000 };
    expect((await sampled(busy)).timing.samplesNs).toHaveLength(3);
    expect((await sampled(busy, RACING)).timing.samplesNs).toHaveLength(8);
    expect((await sampled(busy, CERTIFYING)).timing.samplesNs).toHaveLength(12);
  });
});

describe("where rounding exceeds half a percent", () => {
  it("samples start at scattered phases, so that their mean is right where their minimum is not", async () => {
    const clock = fakeClock();
    const tickNs = 1e6;
    // 90.75 ticks are all that the cap allows, and back to back each sample would begin at the same phase and read 90.
    const timeable = fakeTimeable({ clock, repeatNs: () => 90.75e6, tickNs, overheadMs: 0.25 });
    const { timing, rounding } = await takeSamples(timeable, {
      clock: "gpu",
      tickNs,
      time: clock,
      rule: { minimum: 64, maximum: 64, extensionMs: 0, unmet: () => undefined },
    });
    expect(rounding).toBeGreaterThan(0.005);
    const mean = timing.samplesNs.reduce((sum, ns) => sum + ns, 0) / 64 / timing.repeats;
    expect(Math.abs(mean / 90.75e6 - 1)).toBeLessThan(0.002);
    expect(new Set(timing.samplesNs).size).toBeGreaterThan(1);
  });
});

describe("an anchor", () => {
  it("stands before each sample and after the last", async () => {
    const clock = fakeClock();
    const anchor = fakeTimeable({ clock, repeatNs: () => 5e5 });
    const order: string[] = [];
    const logged = (name: string, timeable: typeof anchor) => ({
      sample: (repeats: number) => {
        order.push(name);
        return timeable.sample(repeats);
      },
    });
    const kernel = fakeTimeable({ clock, repeatNs: () => 1e6 });
    const { timing } = await takeSamples(logged("x", kernel), {
      clock: "gpu",
      tickNs: 1,
      time: clock,
      rule: SCREENING,
      anchor: { name: "fma", timeable: logged("a", anchor), repeats: 2, amount: 64 },
    });
    expect(order.join("")).toBe("xaxaxaxa");
    expect(timing.anchor).toEqual({ name: "fma", samplesNs: [1e6, 1e6, 1e6, 1e6], amount: 64 });
  });

  it("that reads nonsense is left out, and the trial kept", async () => {
    const broken = fakeTimeable({
      clock: fakeClock(),
      repeatNs: () => 1e6,
      distort: (raw) => ({ ...raw, passes: [] }),
    });
    const anchor = { name: "fma", timeable: broken, repeats: 1, amount: 64 };
    const { status, timing } = await sampled({ repeatNs: () => 1e6 }, SCREENING, { anchor });
    expect(status).toBe("ok");
    expect(timing.anchor).toBeUndefined();
  });
});
