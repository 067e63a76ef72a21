import { describe, expect, it } from "vitest";
import { fakeClock } from "../src/fake.ts";
import { SETTLE } from "../src/protocol.ts";
import { Settler } from "../src/settle.ts";

/** A device whose clock rises with uninterrupted work and falls when it idles, as an H200's does. */
function governed(options: { scatter?: number } = {}) {
  const clock = fakeClock();
  let heat = 0;
  let seen = clock.now();
  let bursts = 0;
  const burst = async (): Promise<number> => {
    const idle = clock.now() - seen;
    heat = Math.max(0, heat - idle * 5);
    const slow = heat >= 300 ? 1 : 5.7;
    await clock.sleep(20);
    heat = Math.min(400, heat + 20);
    seen = clock.now();
    bursts += 1;
    return slow * (1 + (options.scatter ?? 0.001) * ((bursts * 7919) % 2));
  };
  return { clock, settler: new Settler(burst, clock), bursts: () => bursts };
}

describe("settling the device's clock", () => {
  it("does not stop on the plateau of a clock that has not risen yet", async () => {
    const { clock, settler } = governed();
    const start = clock.now();
    await settler.settle();
    expect(clock.now() - start).toBeGreaterThanOrEqual(1_000);
    expect(await settler.held()).toBe(true);
  });

  it("brings a clock that fell while the host was busy elsewhere back before anything is timed", async () => {
    const { clock, settler } = governed();
    await settler.settle();
    await clock.sleep(5_000);
    expect(await settler.held()).toBe(false);
    await settler.settle();
    expect(await settler.held()).toBe(true);
  });

  it("costs a few bursts where the clock held", async () => {
    const { settler, bursts } = governed();
    await settler.settle();
    const before = bursts();
    await settler.settle();
    expect(bursts() - before).toBeLessThanOrEqual(4);
  });

  it("costs a screening one burst where the clock held, and as many as bring it back where it fell", async () => {
    const { clock, settler, bursts } = governed();
    await settler.settle();
    let before = bursts();
    await settler.settle(SETTLE.screeningMs);
    expect(bursts() - before).toBe(1);
    await clock.sleep(5_000);
    before = bursts();
    await settler.settle(SETTLE.screeningMs);
    expect(bursts() - before).toBeGreaterThan(10);
    expect(await settler.held()).toBe(true);
  });

  it("gives up in bounded time on a clock that never comes back", async () => {
    const clock = fakeClock();
    let value = 1;
    const settler = new Settler(async () => {
      await clock.sleep(20);
      return value;
    }, clock);
    await settler.settle();
    value = 5;
    const start = clock.now();
    await settler.settle();
    expect(clock.now() - start).toBeLessThan(3_000);
    expect(await settler.held()).toBe(false);
  });

  it("leaves a device alone whose steady bursts scatter by more than the tolerance", async () => {
    const { settler, bursts } = governed({ scatter: 0.3 });
    await settler.settle();
    const before = bursts();
    await settler.settle();
    expect(await settler.held()).toBe(true);
    expect(bursts()).toBe(before);
  });
});
