import { describe, expect, it } from "vitest";
import { findPlateau } from "../src/plateau.ts";

/** g workgroups on 132 units, each 1 us, and 5 us of launching. */
const device = (workgroups: number) => ({
  workgroups,
  nsPerItem: (5_000 + 1_000 * Math.ceil(workgroups / 132)) / workgroups,
});

describe("the plateau of a sweep", () => {
  it("is the first batch from which on the time per item stays near the best", () => {
    const sweep = [1, 32, 132, 1_024, 4_096, 16_384, 65_536].map(device);
    const plateau = findPlateau(sweep)!;
    expect(plateau).toMatchObject({ workgroups: 16_384, beyond: 1 });
    expect(plateau.nsPerItem).toBe(Math.min(...sweep.map(({ nsPerItem }) => nsPerItem)));
    expect(findPlateau([...sweep].reverse())).toEqual(plateau);
  });

  it("is not where the time dips and rises again", () => {
    const times = [10, 1, 9, 1.2, 1.01, 1];
    const sweep = times.map((nsPerItem, index) => ({ workgroups: 2 ** index, nsPerItem }));
    expect(findPlateau(sweep)).toEqual({ workgroups: 16, nsPerItem: 1, beyond: 1 });
  });

  it("is wider where the device repeats no better", () => {
    const times = [10, 1.2, 1.1, 1];
    const sweep = times.map((nsPerItem, index) => ({ workgroups: 2 ** index, nsPerItem }));
    expect(findPlateau(sweep)?.workgroups).toBe(8);
    expect(findPlateau(sweep, 0.25)?.workgroups).toBe(2);
  });

  it("is the last batch, with none beyond, where the time still falls", () => {
    const sweep = [4, 3, 2, 1].map((nsPerItem, index) => ({ workgroups: index + 1, nsPerItem }));
    expect(findPlateau(sweep)).toEqual({ workgroups: 4, nsPerItem: 1, beyond: 0 });
  });

  it("does not exist where the largest batch is slower again, nor without a time", () => {
    expect(findPlateau([1, 2].map((nsPerItem) => ({ workgroups: nsPerItem, nsPerItem })))).toBeUndefined();
    expect(findPlateau([])).toBeUndefined();
    expect(findPlateau([{ workgroups: 1, nsPerItem: Number.NaN }])).toBeUndefined();
  });
});
