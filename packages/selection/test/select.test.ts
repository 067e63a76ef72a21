import { DEFAULT_CAPABILITIES, type TuningTable } from "@tunelab/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explain, problemDistance, select } from "../src/index.ts";
import { ask, faultOf, tableOf, variant, variants } from "./asking.ts";
import { BIG, H200, scale } from "./made.ts";

describe("choosing a variant", () => {
  it("takes the table's order on its own device and problem, the default last", async () => {
    const selection = await select(ask());
    expect(selection.candidates.map((each) => each.variant)).toEqual([
      "plain/workgroup=256",
      "plain/workgroup=32",
      "plain/workgroup=64",
    ]);
    expect(explain(selection)).toEqual({
      variant: "plain/workgroup=256",
      table: "nvidia-h200/tint-vulkan.portable/scale.json",
      borrowed: false,
      why: "rank 1 of 10 us on this device",
      expectedUs: 10,
      refused: [],
    });
  });

  it("without a table the default runs", async () => {
    const selection = await select(ask({ tables: [] }));
    expect(selection.candidates.map((each) => each.variant)).toEqual(["plain/workgroup=64"]);
    expect(explain(selection)).toMatchObject({
      borrowed: false,
      why: expect.stringContaining("the default of plain"),
    });
  });

  it("an algorithm that does not answer the problem is not even loaded", async () => {
    const loaded: string[] = [];
    const other = async () => {
      loaded.push("other");
      return scale.algorithms.plain!();
    };
    const algorithms = { ...scale.algorithms, other };
    const asked = { tables: [], operation: { ...scale, algorithms } };
    await select(ask(asked));
    expect(loaded).toEqual(["other"]);
    const answers = (name: string): boolean => name !== "other";
    await select(ask({ ...asked, operation: { ...scale, algorithms, answers } }));
    expect(loaded).toEqual(["other"]);
  });

  it("rows over the device's limits are refused with the limit, and the next that fits is taken", async () => {
    const selection = await select(
      ask({
        capabilities: DEFAULT_CAPABILITIES,
        tables: [tableOf(H200, [variant(512, 10), variant(32, 20)])],
      }),
    );
    expect(selection.candidates[0].variant).toBe("plain/workgroup=32");
    expect(selection.refused).toMatchObject([
      { variant: "plain/workgroup=512", limit: "maxComputeWorkgroupStorageSize" },
    ]);
  });

  it("when nothing fits the fault names the default's limit with both numbers", async () => {
    const limits = { ...BIG.limits, maxComputeInvocationsPerWorkgroup: 16 };
    const fault = await faultOf(ask({ capabilities: { ...BIG, limits } }));
    expect(fault.kind).toBe("unsupported");
    expect(fault.message).toMatch(
      /workgroup=64 needs 64 invocations.*grants 16 \(maxComputeInvocationsPerWorkgroup\)/,
    );
  });

  it("a problem that the operation refuses is a usage fault", async () => {
    expect(await faultOf(ask({ problem: { n: 0 } }))).toMatchObject({
      kind: "usage",
      message: "n is 0, not positive",
    });
  });

  it("demands on accuracy and scratch refuse what does not meet them", async () => {
    const inexact = {
      ...variant(256, 10),
      verdict: { matched: 1, total: 1, sampled: 1, maxError: 9e-7, nearTies: 0 },
    };
    const request = ask({ tables: [tableOf(H200, [inexact, variant(32, 20)])], demand: { maxError: 5e-7 } });
    expect(await variants(request)).toEqual(["plain/workgroup=32"]);
    // 64 items of 8 bytes.
    expect((await faultOf(ask({ demand: { scratchBytes: 511 } }))).message).toMatch(
      /512 bytes of scratch.*511/,
    );
    expect(await variants(ask({ demand: { scratchBytes: 512 } }))).toHaveLength(3);
  });

  it("a row of an algorithm or parameter value that is gone is passed over, with the reason", async () => {
    const gone = { ...variant(256, 5), algorithm: "removed" };
    const odd = { ...variant(32, 6), config: { workgroup: 48 }, planHash: "odd" };
    const selection = await select(ask({ tables: [tableOf(H200, [gone, odd, variant(128, 20)])] }));
    expect(selection.candidates[0].variant).toBe("plain/workgroup=128");
    expect(selection.refused.map(({ limit }) => limit)).toEqual(["algorithm", "space"]);
  });

  it("the nearest measured problem stands in, and says so", async () => {
    const table = tableOf(H200, [variant(256, 10, 64), variant(32, 20, 1024)]);
    const selection = await select(ask({ tables: [table], problem: { n: 512 } }));
    expect(selection.candidates[0].variant).toBe("plain/workgroup=32");
    expect(explain(selection).why).toContain("nearest measured problem n=1024");
    expect(explain(selection).expectedUs).toBeUndefined();
  });

  it("a trait of another class never stands in; its default is assumed on both sides", () => {
    expect(problemDistance(scale.dimensions, { n: 64 }, { n: 64, kind: "dense" })).toBe(0);
    expect(problemDistance(scale.dimensions, { n: 64 }, { n: 64, kind: "sparse" })).toBeUndefined();
    expect(problemDistance(scale.dimensions, { n: 64 }, { n: 256 })).toBe(2);
  });

  it("distance is symmetric and zero only for the same problem", () => {
    const sizes = fc.integer({ min: 1, max: 1 << 20 });
    fc.assert(
      fc.property(sizes, sizes, (a, b) => {
        const apart = problemDistance(scale.dimensions, { n: a }, { n: b })!;
        expect(apart).toBeCloseTo(problemDistance(scale.dimensions, { n: b }, { n: a })!, 12);
        expect(apart === 0).toBe(a === b);
      }),
    );
  });

  it("the order in which tables are given decides nothing", async () => {
    const tables = [
      tableOf({ ...H200, vendor: "amd", device: "radeon-8060s", description: "" }, [variant(128, 1)]),
      tableOf(H200, [variant(256, 10)]),
      tableOf(H200, [variant(512, 1)], "native"),
    ];
    const forwards = await variants(ask({ tables }));
    expect(await variants(ask({ tables: [...tables].reverse() }))).toEqual(forwards);
    expect(forwards.slice(0, 2)).toEqual(["plain/workgroup=256", "plain/workgroup=512"]);
  });

  it("the caller's own table goes before a shipped one of the same device, though it is slower and its limits differ", async () => {
    const wider = { ...BIG, limits: { ...BIG.limits, maxComputeWorkgroupStorageSize: 65536 } };
    const mine = { ...tableOf(H200, [variant(128, 99)]), device: { identity: H200, capabilities: wider } };
    const request = ask({ callerTables: [mine] });
    expect((await variants(request))[0]).toBe("plain/workgroup=128");
    expect((await variants({ ...request, callerTables: [], tables: [...request.tables, mine] }))[0]).toBe(
      "plain/workgroup=256",
    );
  });

  it("the caller's table of another device does not go before a shipped one of this", async () => {
    const other = tableOf({ ...H200, device: "nvidia-a100", description: "NVIDIA A100" }, [variant(128, 1)]);
    expect((await variants(ask({ callerTables: [other] })))[0]).toBe("plain/workgroup=256");
  });
});

describe("tables that are loaded on demand", () => {
  const shelved = (table: TuningTable, load = async () => table) => {
    const loads: number[] = [];
    const { operation, profile, device } = table;
    const source = {
      ...{ operation, profile, device },
      load: () => {
        loads.push(1);
        return load();
      },
    };
    return { source, loads };
  };
  const other = { ...H200, device: "nvidia-a100", description: "NVIDIA A100" };

  it("are opened in their order until there is something to fall back on, and no further", async () => {
    const [best, second, last] = [
      shelved(tableOf(H200, [variant(256, 10)])),
      shelved(tableOf(other, [variant(128, 1)])),
      shelved(tableOf({ ...H200, vendor: "amd", device: "radeon", description: "" }, [variant(32, 1)])),
    ];
    const tables = [last, second, best].map(({ source }) => source);
    expect(await variants(ask({ tables }))).toEqual([
      "plain/workgroup=256",
      "plain/workgroup=128",
      "plain/workgroup=64",
    ]);
    expect([best, second, last].map(({ loads }) => loads.length)).toEqual([1, 1, 0]);
  });

  it("one that cannot be read is passed over and named, and the next one serves", async () => {
    const broken = shelved(tableOf(H200), async () => {
      throw new Error("its checksum differs");
    });
    const { source } = shelved(tableOf(other, [variant(128, 1)]));
    const selection = await select(ask({ tables: [broken.source, source] }));
    expect(selection.candidates[0].variant).toBe("plain/workgroup=128");
    expect(selection.unreadable).toMatchObject([
      {
        table: "nvidia-h200/tint-vulkan.portable/scale.json",
        fault: { kind: "data", message: "its checksum differs" },
      },
    ]);
  });
});
