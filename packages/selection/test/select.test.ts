import { DEFAULT_CAPABILITIES, type DeviceIdentity, type Fault, type TuningTable } from "@tunelab/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deviceDistance, explain, fold, problemDistance, type SelectRequest, select } from "../src/index.ts";
import { BIG, BOUNDS, H200, scale, session, trial } from "./made.ts";

const variant = (workgroup: number, us: number, n = 64) =>
  trial(`w${workgroup}-${n}`, us, {
    variant: `plain/workgroup=${workgroup}`,
    config: { workgroup },
    problem: { n },
    resources: { workgroupBytes: workgroup * 64, invocations: workgroup },
  });

const tableOf = (
  identity: DeviceIdentity,
  trials = [variant(256, 10), variant(32, 20)],
  profile?: "native",
): TuningTable =>
  fold([session("s", trials, { device: { identity, capabilities: BIG }, ...(profile ? { profile } : {}) })], {
    bounds: BOUNDS,
  })[0]!;

const ask = (changes: Partial<SelectRequest> = {}): SelectRequest => ({
  tables: [tableOf(H200)],
  operation: scale,
  problem: { n: 64 },
  capabilities: BIG,
  identity: H200,
  ...changes,
});
const variants = async (request: SelectRequest) =>
  (await select(request)).candidates.map((each) => each.variant);
const faultOf = async (request: SelectRequest): Promise<Fault> =>
  select(request).then(
    () => {
      throw new Error("nothing was thrown");
    },
    (fault: Fault) => fault,
  );

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

describe("a pinned variant", () => {
  const pin = (text: string, changes: Partial<SelectRequest> = {}) =>
    ask({ demand: { variant: text }, ...changes });

  it("is the only candidate, whatever the tables say", async () => {
    const selection = await select(pin("plain/workgroup=128"));
    expect(selection.candidates.map((each) => each.variant)).toEqual(["plain/workgroup=128"]);
    expect(explain(selection)).toMatchObject({ why: "pinned by the call", borrowed: false });
  });

  it("that cannot run throws with the limit instead of running something else", async () => {
    const fault = await faultOf(pin("plain/workgroup=512", { capabilities: DEFAULT_CAPABILITIES }));
    expect(fault.kind).toBe("unsupported");
    expect(fault.message).toMatch(/pinned variant plain\/workgroup=512.*32768 bytes.*WorkgroupStorageSize/);
  });

  it("that is no variant of the operation is a usage fault with what there is", async () => {
    expect(await faultOf(pin("clever/workgroup=64"))).toMatchObject({
      kind: "usage",
      message: expect.stringContaining("it has plain"),
    });
    expect((await faultOf(pin("plain/workgroup=7"))).message).toMatch(/workgroup cannot be 7.*32, 64/);
  });
});

describe("the winner of a race on the device itself", () => {
  const calibrated = { variant: "plain/workgroup=128", problem: { n: 64 }, us: 7, raced: 3 };

  it("goes before every table and says what it was raced on", async () => {
    const selection = await select(ask({ calibrated }));
    expect(explain(selection)).toMatchObject({
      variant: "plain/workgroup=128",
      expectedUs: 7,
      why: "fastest of 3 that raced on this device: 7 us",
    });
    const other = explain(await select(ask({ calibrated, problem: { n: 128 } })));
    expect(other.why).toContain("at n=64");
    expect(other.expectedUs).toBeUndefined();
  });

  it("gives way, with the reason, where it no longer exists or the call demands another", async () => {
    const gone = await select(ask({ calibrated: { ...calibrated, variant: "plain/workgroup=7" } }));
    expect(gone.candidates[0].variant).toBe("plain/workgroup=256");
    expect(gone.refused).toMatchObject([{ source: "calibrated", limit: "space" }]);
    const pinned = await select(ask({ calibrated, demand: { variant: "plain/workgroup=32" } }));
    expect(pinned.candidates.map((each) => each.variant)).toEqual(["plain/workgroup=32"]);
  });
});

describe("a run that goes into the caller's encoder", () => {
  it("takes no plan with a loop that the host drives", async () => {
    const plain = await scale.algorithms.plain!();
    const looping = {
      ...scale,
      algorithms: {
        plain: async () => ({
          ...plain,
          plan: (...args: Parameters<typeof plain.plan>) => {
            const plan = plain.plan(...args);
            if (args[1].workgroup === 64) return plan;
            const until = { buffer: "spare", offset: 0, equals: 1 };
            const loop = { kind: "loop", stage: "scale", maximum: 2, checkEvery: 1, until } as const;
            return { ...plan, steps: [{ ...loop, steps: plan.steps as never }] };
          },
        }),
      },
    };
    const selection = await select(ask({ operation: looping, demand: { encodable: true } }));
    expect(selection.candidates.map((each) => each.variant)).toEqual(["plain/workgroup=64"]);
    expect(selection.refused.map(({ limit }) => limit)).toEqual(["encodable", "encodable"]);
  });
});

describe("accuracy that was measured elsewhere", () => {
  const plain = scale.algorithms.plain!;
  /** The operation, with a variant of 256 threads that leans on the device's own cosines. */
  const leaning = {
    ...scale,
    algorithms: {
      plain: async () => {
        const made = await plain();
        return {
          ...made,
          resources: (
            problem: Parameters<typeof made.resources>[0],
            config: Parameters<typeof made.resources>[1],
          ) => ({
            ...made.resources(problem, config),
            looseBuiltins: config.workgroup === 256 ? ["cos"] : [],
          }),
        };
      },
    },
  };
  const other = { ...H200, vendor: "amd", device: "radeon-x", architecture: "" };

  it("stands on the device that measured it", async () => {
    expect(await variants(ask({ operation: leaning }))).toContain("plain/workgroup=256");
  });

  it("is not borrowed by another device, which runs the next row and says why", async () => {
    const selection = await select(ask({ operation: leaning, identity: other }));
    expect(selection.candidates[0].variant).toBe("plain/workgroup=32");
    expect(selection.refused).toMatchObject([
      { variant: "plain/workgroup=256", limit: "accuracy", reason: expect.stringContaining("cos") },
    ]);
  });
});

describe("devices that say little about themselves", () => {
  const masked: DeviceIdentity = {
    ...H200,
    implementation: "",
    compiler: "",
    backend: "",
    device: "",
    description: "",
    driver: "",
    adapterType: "unknown",
  };
  const closeness = (asked: DeviceIdentity, known: DeviceIdentity) =>
    deviceDistance({ identity: asked, capabilities: BIG }, { identity: known, capabilities: BIG }).closeness;
  const ampere = { ...H200, architecture: "ampere", device: "rtx-3090", description: "" };

  it("Chromium's masked H200, whose architecture is empty, borrows from its vendor", async () => {
    expect(closeness(masked, H200)).toBe("vendor");
    const selection = await select(ask({ identity: masked }));
    expect(explain(selection)).toMatchObject({ borrowed: true, why: expect.stringContaining("same vendor") });
  });

  it("an architecture is closer than a vendor", async () => {
    const asked = { ...masked, architecture: "ampere" };
    expect(closeness(asked, ampere)).toBe("architecture");
    expect(closeness(asked, H200)).toBe("vendor");
    const tables = [tableOf(H200), tableOf(ampere, [variant(128, 99)])];
    expect((await variants(ask({ tables, identity: asked })))[0]).toBe("plain/workgroup=128");
  });

  it("Safari's `apple` everywhere is a vendor and no device, even against a table of the same mask", () => {
    const safari = {
      ...masked,
      vendor: "apple",
      architecture: "apple",
      device: "apple",
      description: "apple",
    };
    expect(closeness(safari, safari)).toBe("vendor");
    expect(closeness(safari, { ...H200, vendor: "apple", architecture: "metal-3", device: "apple-m4" })).toBe(
      "vendor",
    );
  });

  it("Deno's decimal ids are the same device by its description, under another compiler", async () => {
    const deno = { ...H200, compiler: "naga", vendor: "4318", device: "9013" };
    expect(closeness(deno, H200)).toBe("device");
    expect(closeness({ ...deno, description: "NVIDIA A100" }, H200)).toBe("vendor");
    expect(explain(await select(ask({ identity: deno })))).toMatchObject({
      borrowed: true,
      why: expect.stringContaining("another compiler"),
    });
  });

  it("an unnamed device borrows by subgroup size and limits, and software is nobody's likeness", () => {
    const unknown = { ...masked, vendor: "", architecture: "" };
    expect(closeness(unknown, H200)).toBe("similar");
    expect(closeness({ ...unknown, adapterType: "cpu" }, H200)).toBe("any");
    const narrow = { ...BIG, subgroup: { minimum: 8, maximum: 8 } };
    const info = { identity: H200, capabilities: BIG };
    expect(deviceDistance({ identity: unknown, capabilities: narrow }, info).closeness).toBe("any");
    expect(deviceDistance({ capabilities: BIG }, info).closeness).toBe("similar");
  });

  it("a software GPU is known by its own name whatever reports it", () => {
    const software = { vendor: "google", architecture: "swiftshader", adapterType: "cpu" } as const;
    const swiftshader = { ...H200, ...software, device: "SwiftShader Device (LLVM 16)" };
    const page = { ...masked, ...software };
    expect(closeness(page, swiftshader)).toBe("device");
  });
});
