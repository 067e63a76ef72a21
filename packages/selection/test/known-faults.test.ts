import { type Algorithm, DEFAULT_LIMITS, type DeviceIdentity, type Operation } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { select } from "../src/index.ts";
import { amended, KNOWN_FAULTS, knownFaultsOf } from "../src/known-faults/ledger.ts";
import { REPRODUCERS } from "../src/known-faults/reproducers.ts";
import { faultOf } from "./asking.ts";
import { BIG, H200, scale } from "./made.ts";

const wide = { ...BIG, limits: { ...BIG.limits, maxStorageBufferBindingSize: 2 ** 32 - 4 } };

/** The small operation with another text, as an algorithm that needs `invocations` that share memory. */
async function withText(wgsl: string, invocations = 64): Promise<Operation> {
  const plain = await scale.algorithms.plain!();
  const changed: Algorithm = {
    ...plain,
    resources: (...args) => ({ ...plain.resources(...args), invocations, workgroupBytes: 64 }),
    plan: (...args) => ({ ...plain.plan(...args), modules: [{ name: "scale", wgsl }] }),
  };
  return { ...scale, algorithms: { plain: async () => changed } };
}

const asking = (operation: Operation, identity: DeviceIdentity, vendor: string, compiler: string) => ({
  ...{ tables: [], operation, problem: { n: 64 }, capabilities: BIG, identity },
  faults: knownFaultsOf(vendor, compiler),
});

/** Texts that run into a fault, and the same without what provokes it. */
const TEXTS: readonly [
  id: string,
  vendor: string,
  compiler: string,
  hits: string,
  spared: string,
  lanes: number,
][] = [
  [
    "apple-barrier-in-part-of-a-simdgroup",
    ...([
      "apple",
      "",
      "if (t >= 25u) { return; } x();",
      "if (pair >= extents.items) { return; } x();",
      25,
    ] as const),
  ],
  [
    "apple-naga-uniform-load",
    ...([
      "apple",
      "naga",
      "let more = workgroupUniformLoad(&going);",
      "let more = going; // no workgroupUniformLoad",
      64,
    ] as const),
  ],
  ["apple-u32-remainder", "apple", "tint", "let r = x % extents.rows;", "let r = x % 48u + y % ROWS;", 64],
  [
    "qualcomm-clamp-of-nan",
    "qualcomm",
    "",
    "let y = clamp(x, low, high);",
    "let y = clamp(x, 1u, 253u);",
    64,
  ],
];

describe("the ledger of known faults", () => {
  it("gives each fault a cause, a public report, a workaround that does something, and a reproducer", () => {
    for (const fault of KNOWN_FAULTS) {
      expect(fault.source).toMatch(/^https:\/\//);
      expect(fault.amend ?? fault.hits, fault.id).toBeDefined();
      expect(Math.min(fault.cause.length, fault.workaround.length)).toBeGreaterThan(20);
    }
    expect(REPRODUCERS.map(({ fault }) => fault).sort()).toEqual(KNOWN_FAULTS.map(({ id }) => id).sort());
  });

  it("NVIDIA's bindings end below 2 GiB, other vendors' do not", () => {
    const { limits } = amended(wide, knownFaultsOf("nvidia", "tint"));
    expect(limits.maxStorageBufferBindingSize).toBe(2 ** 31 - 4);
    expect(limits).toEqual({ ...wide.limits, maxStorageBufferBindingSize: 2 ** 31 - 4 });
    expect(amended(wide, knownFaultsOf("amd", "tint"))).toBe(wide);
    expect(amended(BIG, knownFaultsOf("nvidia", "tint")).limits).toEqual({
      ...DEFAULT_LIMITS,
      ...BIG.limits,
    });
  });

  it("Intel's subgroups may be as narrow as 8, whatever they say, and none are made up", () => {
    const says = { ...BIG, subgroup: { minimum: 16, maximum: 32 } };
    expect(amended(says, knownFaultsOf("intel", "")).subgroup).toEqual({ minimum: 8, maximum: 32 });
    const { subgroup: _, ...without } = BIG;
    expect(amended(without, knownFaultsOf("intel", "")).subgroup).toBeUndefined();
  });

  it.each(TEXTS)(
    "%s: a text that runs into it is refused with the report, one that does not runs",
    async (id, vendor, compiler, hits, spared, lanes) => {
      const identity = { ...H200, vendor, compiler };
      const refused = await faultOf(asking(await withText(hits, lanes), identity, vendor, compiler));
      const { source } = KNOWN_FAULTS.find((fault) => fault.id === id)!;
      expect(refused.kind).toBe("unsupported");
      expect(refused.message).toContain(`(${id})`);
      expect(refused.message).toContain(source);
      const { candidates } = await select(asking(await withText(spared, lanes), identity, vendor, compiler));
      expect(candidates).toHaveLength(1);
      // Elsewhere the same text is nobody's business.
      expect(
        (await select(asking(await withText(hits, lanes), H200, "nvidia", "tint"))).candidates,
      ).toHaveLength(1);
    },
  );

  it("a compiler that does not have the fault is spared", () => {
    const ids = (compiler: string) => knownFaultsOf("apple", compiler).map(({ id }) => id);
    expect(ids("naga")).toContain("apple-naga-uniform-load");
    for (const compiler of ["tint", "webkit", ""])
      expect(ids(compiler)).not.toContain("apple-naga-uniform-load");
    expect(knownFaultsOf("", "naga")).toEqual([]);
  });
});

describe("the reproducers", () => {
  const wrongOf = (id: string, words: readonly number[], capabilities = BIG) =>
    REPRODUCERS.find(({ fault }) => fault === id)!.wrong(Uint32Array.from(words), capabilities);

  it("tell the symptom that each report describes", () => {
    expect(wrongOf("nvidia-binding-over-2-gib", [0, 0])).toMatch(/word 0 is 0, not 262143/);
    expect(wrongOf("nvidia-binding-over-2-gib", [262143, 0])).toMatch(/word 1 is 0, not 3/);
    expect(wrongOf("intel-narrow-subgroups", [32, 8])).toMatch(/thread 1 ran among 8 lanes/);
    expect(wrongOf("apple-barrier-in-part-of-a-simdgroup", Array(25).fill(1))).toMatch(/word 0/);
    expect(wrongOf("apple-naga-uniform-load", [3, 3, 0])).toMatch(/word 2 is 0, not 3/);
    expect(wrongOf("apple-u32-remainder", [4294967295])).toMatch(/word 0 is 4294967295, not 2/);
    expect(wrongOf("qualcomm-clamp-of-nan", [0x7fc00000])).toMatch(/word 0/);
  });
});
