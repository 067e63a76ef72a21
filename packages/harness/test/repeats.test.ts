import { describe, expect, it } from "vitest";
import { fakeClock, fakeTimeable } from "../src/fake.ts";
import { MAXIMUM_REPEATS } from "../src/protocol.ts";
import { equalRepeats, findRepeats } from "../src/repeats.ts";

const TICK = 65_536;

describe("inner repeats", () => {
  it("fill 200 ticks, so that rounding is at most half a percent", async () => {
    for (const ns of [5_000, 37_000, 700_000, 20_000_000]) {
      const timeable = fakeTimeable({ clock: fakeClock(), repeatNs: () => ns, tickNs: TICK });
      const { repeats, rounding, resolved } = await findRepeats(timeable, "gpu", TICK);
      expect(resolved).toBe(true);
      expect(repeats * ns).toBeGreaterThanOrEqual(199 * TICK);
      expect((repeats - 1) * ns).toBeLessThan(201 * TICK);
      expect(rounding).toBeLessThanOrEqual(0.00503);
    }
  });

  it("are found by doubling from one, never overshooting what they reach by more than twice", async () => {
    const timeable = fakeTimeable({ clock: fakeClock(), repeatNs: () => 100_000, tickNs: TICK });
    await findRepeats(timeable, "gpu", TICK);
    expect(timeable.calls).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
  });

  it("do not grow into the billions on a clock that shows nothing", async () => {
    const timeable = fakeTimeable({ clock: fakeClock(), repeatNs: () => 0.001, tickNs: TICK });
    const { repeats, resolved } = await findRepeats(timeable, "gpu", TICK);
    expect(repeats).toBeLessThanOrEqual(MAXIMUM_REPEATS);
    expect(timeable.calls.length).toBeLessThan(20);
    expect(resolved).toBe(false);
  });

  it("leave a reading under one tick unresolved, though it is not 0", async () => {
    const timeable = fakeTimeable({
      clock: fakeClock(),
      repeatNs: () => 1,
      distort: () => ({ passes: [], wallMs: 0.01 }),
    });
    expect(await findRepeats(timeable, "wall", TICK)).toMatchObject({ resolved: false, ns: 10_000 });
  });

  it("keep a submission under its cap by the wall even when GPU timestamps show nothing", async () => {
    const timeable = fakeTimeable({
      clock: fakeClock(),
      repeatNs: () => 4e6,
      distort: ({ wallMs }) => ({ wallMs, passes: [{ begin: 7n, end: 7n }] }),
    });
    const { repeats } = await findRepeats(timeable, "gpu", TICK);
    expect(repeats * 4).toBeLessThanOrEqual(100);
    expect(Math.max(...timeable.calls) * 4).toBeLessThanOrEqual(100);
  });

  it("do not let the wall's constant part (a poll of 100 ms) stop the doubling", async () => {
    const timeable = fakeTimeable({
      clock: fakeClock(),
      repeatNs: () => 10_000,
      tickNs: TICK,
      overheadMs: 100,
    });
    expect((await findRepeats(timeable, "gpu", TICK)).repeats).toBeGreaterThan(1_000);
  });

  it("take one repeat where an untimed run showed that it suffices", async () => {
    const timeable = fakeTimeable({ clock: fakeClock(), repeatNs: () => 50e6 });
    const untimed = await timeable.sample(1);
    expect(await findRepeats(timeable, "gpu", 1, untimed)).toMatchObject({ repeats: 1, resolved: true });
    expect(timeable.calls).toEqual([1]);
  });

  it("stop at once on a wall clock that says NaN", async () => {
    const timeable = fakeTimeable({
      clock: fakeClock(),
      repeatNs: () => 1_000,
      distort: () => ({ passes: [], wallMs: Number.NaN }),
    });
    expect(await findRepeats(timeable, "wall", TICK)).toMatchObject({ resolved: true, repeats: 1 });
  });

  it("know that rounding of many short passes adds up", async () => {
    const one = fakeTimeable({ clock: fakeClock(), repeatNs: () => 500_000, tickNs: TICK });
    const many = fakeTimeable({ clock: fakeClock(), repeatNs: () => 500_000, tickNs: TICK, passes: "each" });
    expect((await findRepeats(one, "gpu", TICK)).rounding).toBeLessThan(0.0051);
    expect((await findRepeats(many, "gpu", TICK)).rounding).toBeGreaterThan(0.02);
  });
});

describe("repeats at which several are compared", () => {
  it("are the most that any needs: what a pass costs beside the kernel is then shared out alike", () => {
    // A kernel of 5 us in passes of 1.4 us: 6.4 us with one repeat, 5.7 us a repeat with two.
    expect(
      equalRepeats([
        { repeats: 1, ns: 6_410 },
        { repeats: 2, ns: 11_400 },
      ]),
    ).toEqual([2, 2]);
    expect(equalRepeats([{ repeats: 3, ns: 9_000 }])).toEqual([3]);
    expect(equalRepeats([])).toEqual([]);
  });

  it("are no more than twice those of whoever is far slower, nor a submission over its cap", () => {
    expect(
      equalRepeats([
        { repeats: 16, ns: 1_000 },
        { repeats: 1, ns: 70_000 },
        { repeats: 10, ns: 70_000_000 },
        { repeats: 1, ns: 400_000_000 },
      ]),
    ).toEqual([16, 2, 14, 1]);
  });

  it("stay as they are where the clock saw nothing", () => {
    expect(
      equalRepeats([
        { repeats: 4, ns: 0 },
        { repeats: 8, ns: 100 },
      ]),
    ).toEqual([4, 8]);
  });
});
