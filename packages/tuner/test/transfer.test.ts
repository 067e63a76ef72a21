import type { DeviceInfo, TuningTable } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { startFrom } from "../src/transfer.ts";
import { session, variantsOf } from "./bed.ts";
import { DEVICE } from "./fakes.ts";
import { algorithmNamed, toySuite } from "./toy.ts";

const STRANGER: DeviceInfo = {
  ...DEVICE,
  identity: { ...DEVICE.identity, vendor: "other", device: "elsewhere" },
};

/** A table with one entry a problem, whose rows are x values, best first. */
function table(device: DeviceInfo, entries: Readonly<Record<number, readonly number[]>>): TuningTable {
  return {
    operation: "toy",
    device,
    entries: Object.entries(entries).map(([n, xs]) => ({
      problem: { n: Number(n) },
      rows: xs.map((x, index) => ({
        rank: index + 1,
        algorithm: "only",
        config: { x, label: "a", memory: 0 },
      })),
    })),
  } as unknown as TuningTable;
}

const { operation } = toySuite();
const spaces = [{ algorithm: "only", space: algorithmNamed("only").space({ n: 8 }) }];
const xs = (...tables: readonly TuningTable[]): readonly unknown[] =>
  startFrom(tables, { operation, problem: { n: 8 }, spaces, device: DEVICE }).map(({ config }) => config.x);

describe("what a search begins with", () => {
  it("is the best of the nearest problem first, two of each, none twice, six at most", () => {
    expect(xs(table(DEVICE, { 64: [5, 6, 7], 16: [1, 2, 3], 8: [2, 9], 1024: [11, 12] }))).toEqual([
      2, 9, 1, 5, 6, 11,
    ]);
  });

  it("prefers this device to a stranger with the same problem's neighbour", () => {
    expect(xs(table(STRANGER, { 8: [14] }), table(DEVICE, { 16: [4] }))).toEqual([4, 14]);
  });

  it("leaves out what is not valid here, other operations and unknown algorithms", () => {
    const foreign = { ...table(DEVICE, { 8: [3] }), operation: "other" };
    expect(xs(foreign, table(DEVICE, { 8: [99, 4] }))).toEqual([4]);
    expect(
      startFrom([table(DEVICE, { 8: [3] })], { operation, problem: { n: 8 }, spaces: [], device: DEVICE }),
    ).toEqual([]);
  });

  it("completes rows that are older than a parameter of the space", () => {
    const [{ algorithm, space }] = spaces as [(typeof spaces)[0]];
    const added = { name: "vector", values: [true, false], doc: "", absent: false };
    const later = { algorithm, space: { ...space, parameters: [...space.parameters, added] } };
    const sought = { operation, problem: { n: 8 }, spaces: [later], device: DEVICE };
    expect(startFrom([table(DEVICE, { 8: [3] })], sought)).toEqual([
      { algorithm: "only", config: { x: 3, label: "a", memory: 0, vector: false } },
    ]);
  });

  it("is screened right after the defaults", async () => {
    const { sink } = await session({
      tune: { strategy: "model", tables: [table(STRANGER, { 4: [13, 17] })] },
    });
    expect(variantsOf(sink.trials).slice(0, 3)).toEqual([
      "screened only/x=7,label=a,memory=0",
      "screened only/x=13,label=a,memory=0",
      "screened only/x=17,label=a,memory=0",
    ]);
  });
});
