import type { ProbeReading } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { ceilingsOf } from "../src/ceilings.ts";
import { estimateUnits } from "../src/units.ts";

/** g workgroups on a device of so many units, each 1 ms alone; noise by a fixed pattern of +-`spread`. */
function staircase(units: number, spread = 0): { time: (g: number) => Promise<number>; calls: number[] } {
  const calls: number[] = [];
  return {
    calls,
    time: async (workgroups) => {
      const pattern = 1 + spread * Math.sin(7 * calls.push(workgroups));
      return 1e6 * Math.ceil(workgroups / units) * pattern;
    },
  };
}

describe("compute units", () => {
  it.each([1, 2, 3, 64, 84, 132, 4_000])("%i are counted exactly, in few looks", async (units) => {
    const { time, calls } = staircase(units);
    expect(await estimateUnits(time)).toEqual({ value: units, source: "estimated" });
    expect(calls.length).toBeLessThan(30);
  });

  it("are counted through 10% of noise", async () => {
    expect((await estimateUnits(staircase(132, 0.1).time))?.value).toBe(132);
  });

  it("are absent where time grows smoothly with the workgroups", async () => {
    // A device whose one workgroup already shares the whole of it: U would be 1 by doubling, and is by rate too,
    // but a fixed cost of launching hides the first of them.
    expect(await estimateUnits(async (g) => 1e6 + 1e5 * g)).toBeUndefined();
  });

  it("are absent where the clock says nothing and where time never grows", async () => {
    expect(await estimateUnits(async () => 0)).toBeUndefined();
    expect(await estimateUnits(async () => Number.NaN)).toBeUndefined();
    expect(await estimateUnits(async () => 1e6)).toBeUndefined();
  });
});

describe("ceilings", () => {
  it("are the best reading of each kind; dispatches become times; kinds do not mix", () => {
    const reading = (ceiling: ProbeReading["ceiling"], perSecond?: number): ProbeReading => ({
      name: `${ceiling} ${perSecond}`,
      ceiling,
      samples: 8,
      cv: 0,
      ...(perSecond === undefined ? { reason: "no" } : { perSecond }),
    });
    expect(
      ceilingsOf([
        reading("fma", 3e9),
        reading("fma", 5e9),
        reading("fma"),
        reading("read", 9e9),
        reading("copy"),
        reading("dispatch", 1e6),
        reading("dispatch-alone", 2e5),
        reading("indirect", 5e5),
      ]),
    ).toEqual({
      fmaFlopsPerSecond: 5e9,
      readBytesPerSecond: 9e9,
      dispatchOverheadNs: 1_000,
      dispatchAloneNs: 5_000,
      indirectDispatchNs: 2_000,
    });
  });
});
