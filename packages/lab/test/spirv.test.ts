import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_CAPABILITIES } from "@tunelab/contract";
import { chooseDevice } from "@tunelab/devices";
import type { PlacedClamp } from "@tunelab/variants/spirv";
import { describe, expect, it } from "vitest";
import { tablesBelow } from "../src/known-tables.ts";
import { requireCheckout } from "../src/places.ts";
import { loadSuite } from "../src/registry.ts";
import { PAGE, readData, shippingKernels } from "../src/spirv/data.ts";
import { look } from "../src/spirv/inspect.ts";
import { KNOWN, knownFor, loopsKnown } from "../src/spirv/known.ts";
import { spirvPage } from "../src/spirv/page.ts";
import { complaints, forgotten, isExperiment, type Row, rowsOf } from "../src/spirv/rows.ts";
import { standInFor } from "../src/spirv/stand-in.ts";
import { lengthsOf, merged, type Subject, type SubjectText, sampleOf, textsOf } from "../src/spirv/texts.ts";
import { readToggleTimes } from "../src/spirv/toggle-times.ts";
import { subjectFor, variantOf } from "../src/subject.ts";
import { lab } from "./collect.ts";

const embedded = process.platform === "linux" && process.arch === "x64";
const GPU_MS = 120_000;

/** A text of the matched filter at n = 256: 64 threads, an exchange in chunks, subgroup or tree reduction. */
const subject = (variant: string): Subject => ({
  kernel: "matched-filter",
  problem: { n: 256, data: 4, templates: 8, pairs: 32 },
  variant,
  sources: ["sample"],
});
const textOf = async (variant: string): Promise<SubjectText> =>
  (await textsOf((await loadSuite("matched-filter")).operation, subject(variant)))[0]!;

const quiet = { out: () => {}, note: () => {}, interactive: false, signal: new AbortController().signal };

describe("what a variant's texts are taken from", () => {
  it("a variant's texts are those of its plan, one a dispatch", async () => {
    const kernel = await subjectFor("fft", { problem: "n=65536" });
    const { algorithm, config } = variantOf(kernel, "four-step");
    const plan = algorithm.plan(kernel.problem, config, DEFAULT_CAPABILITIES);
    const texts = await textsOf(kernel.operation, {
      ...{ kernel: "fft", problem: kernel.problem, sources: [] },
      variant: "four-step",
    });
    expect(texts.map(({ stage }) => stage)).toEqual(["columns", "rows"]);
    expect(texts.map(({ wgsl }) => wgsl)).toEqual(plan.modules.map(({ wgsl }) => wgsl));
  });

  it("a sample is the same for a seed, of every algorithm, and another for another seed", async () => {
    const suites = await Promise.all(["fft", "matched-filter"].map(loadSuite));
    const [first, again, other] = [
      await sampleOf(suites, 12, 3),
      await sampleOf(suites, 12, 3),
      await sampleOf(suites, 12, 4),
    ];
    expect(first).toHaveLength(12);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    const algorithms = new Set(first.map(({ kernel, variant }) => `${kernel} ${variant.split("/")[0]}`));
    expect(algorithms.size).toBeGreaterThanOrEqual(4);
  });

  it("workloads give each length once, whatever the number of items, and once more with a threshold", async () => {
    const suite = await loadSuite("matched-filter");
    const all = lengthsOf(suite);
    const [plain, thresholds] = [
      all.filter(({ threshold }) => threshold === undefined),
      all.filter(({ threshold }) => threshold !== undefined),
    ].map((some) => some.map(({ n }) => n));
    for (const list of [plain!, thresholds!]) expect(new Set(list).size).toBe(list.length);
    expect(thresholds).not.toEqual([]);
    expect(plain).toEqual(expect.arrayContaining([64, 128, 4096, 16_384]));
  });

  it("a variant that is there for two reasons is looked at once", () => {
    const one = subject("fused");
    expect(merged([one, { ...one, sources: ["default"] }])).toEqual([
      { ...one, sources: ["sample", "default"] },
    ]);
  });
});

const LIMITS = { maxComputeInvocationsPerWorkgroup: 256, maxComputeWorkgroupStorageSize: 32_768 };

describe("a text that stands in for one that a device cannot hold", () => {
  it("is the text itself where the device holds it", async () => {
    const { wgsl } = await textOf("fused/radix=4,workgroup=64");
    expect(standInFor(wgsl, LIMITS)).toEqual({ wgsl, stoodIn: false, moved: [], movedBytes: 0 });
  });

  it("keeps the range of the invocation's number and the lengths of arrays", async () => {
    const { wgsl } = await textOf("fused/radix=4,workgroup=64");
    const standIn = standInFor(wgsl, {
      maxComputeInvocationsPerWorkgroup: 16,
      maxComputeWorkgroupStorageSize: 1024,
    })!;
    expect(standIn.wgsl).toContain("@workgroup_size(16)");
    expect(standIn.wgsl).toContain("let t = (t_here + group.x) % 64u;");
    expect(standIn.moved).toEqual(["stage"]);
    const array = /stage: (array<[^>]+>)/.exec(wgsl)![1]!;
    expect(standIn.wgsl).toContain(`@group(1) @binding(0) var<storage, read_write> stage: ${array};`);
  });

  it("is none where the text has no form for it", () => {
    expect(standInFor("@compute @workgroup_size(512) fn main() {\n}", LIMITS)).toBeUndefined();
    expect(standInFor("var<workgroup> odd: array<vec3f, 4096>;\n@workgroup_size(64)", LIMITS)?.moved).toEqual(
      ["odd"],
    );
  });

  it.skipIf(!embedded)(
    "has the clamps of the text itself, at the same lines, with and without masks in its indexes",
    async () => {
      const target = await chooseDevice("swiftshader");
      const small = {
        ...target,
        info: {
          ...target.info,
          capabilities: {
            ...target.info.capabilities,
            limits: {
              ...target.info.capabilities.limits,
              maxComputeInvocationsPerWorkgroup: 16,
              maxComputeWorkgroupStorageSize: 1024,
            },
          },
        },
      };
      const plain = await textOf("fused/radix=4,workgroup=64,chunk=2,padding=16,gap=2,reduction=tree");
      const masked = {
        ...plain,
        wgsl: plain.wgsl.replace(/\(t % (\d+)u\)/g, (_, d) => `(t & ${Number(d) - 1}u)`),
      };
      expect(masked.wgsl).not.toBe(plain.wgsl);
      const onWorkgroup = (clamps: readonly PlacedClamp[]): readonly PlacedClamp[] =>
        clamps.filter(({ space }) => space === "workgroup");
      for (const text of [plain, masked]) {
        const [real, instead] = [await look(target, "portable", text), await look(small, "portable", text)];
        expect([real!.stoodIn, instead!.stoodIn]).toEqual([false, true]);
        expect(onWorkgroup(instead!.inspection.clamps)).toEqual(onWorkgroup(real!.inspection.clamps));
        expect(instead!.inspection.safety).toEqual(real!.inspection.safety);
        // One addition and one remainder, and where they come from: the group's number is read for the first time in none of these.
        expect(Math.abs(instead!.inspection.total - real!.inspection.total)).toBeLessThan(60);
      }
      const [few, many] = [await look(target, "portable", plain), await look(target, "portable", masked)];
      expect(onWorkgroup(many!.inspection.clamps).length).toBeGreaterThan(
        onWorkgroup(few!.inspection.clamps).length,
      );
    },
    GPU_MS,
  );
});

describe.skipIf(!embedded)("rows", () => {
  it(
    "name every instruction of portable beyond native, and complain of nothing that is in the ledger",
    async () => {
      const target = await chooseDevice("swiftshader");
      const rows = await rowsOf(
        target,
        [
          subject("fused/radix=8,workgroup=32,reduction=tree"),
          subject("corr-reduce/scan=64,reduction=subgroup"),
        ],
        quiet,
      );
      expect(rows.map(({ stage }) => stage)).toEqual(["fused", "correlate", "reduce"]);
      expect(rows.map(({ unnamed }) => unnamed)).toEqual([0, 0, 0]);
      // Five levels of a tree over 32 threads, a key and an index each.
      expect(rows[0]!.portable.avoidable).toBe(10);
      expect(rows.every(({ native }) => native.avoidable + native.data + native.runtime === 0)).toBe(true);
      expect(complaints(rows)).toEqual([]);
    },
    GPU_MS,
  );
});

describe.skipIf(!embedded)("a text", () => {
  const of = (n: number, variant: string): Subject => ({
    ...{ kernel: "eigh", variant, sources: ["sample"] },
    problem: { n, batch: 8, vectors: "yes", pad: 0, gap: 0, spectrum: "random" },
  });

  it(
    "of the eigensolver has no index that is clamped and no instruction without a name, at orders that divide no workgroup too",
    async () => {
      const rows = await rowsOf(
        await chooseDevice("swiftshader"),
        [
          of(8, "scalar/threads=32,matrices=1,memory=both"),
          of(11, "scalar/threads=4,matrices=4,memory=both,padding=1"),
          of(11, "one-sided/workgroup=64,split=2,exchange=memory,chunk=2"),
          of(11, "one-sided/workgroup=64,split=2,exchange=subgroup,chunk=4"),
          of(20, "block/block=4,workgroup=32,split=2,exchange=memory,chunk=1"),
          of(18, "tridiagonal/threads=32,memory=workgroup,reduction=subgroup,sweeps=2"),
          of(18, "tridiagonal/threads=32,memory=global,reduction=workgroup,sweeps=1"),
        ],
        quiet,
      );
      const tridiagonal = ["reduce", "form", "ql", "finish"];
      expect(rows.map(({ stage }) => stage)).toEqual([
        ...["jacobi", "jacobi", "jacobi", "jacobi"],
        ...["start", "round", "check", "finish"],
        ...tridiagonal,
        ...tridiagonal,
      ]);
      expect(complaints(rows)).toEqual([]);
      // The implicit QL finds out where it works as it goes: its indexes are words of memory.
      const jacobi = rows.filter(({ variant }) => !variant.startsWith("tridiagonal"));
      expect(jacobi.map(({ portable }) => portable.data)).toEqual(jacobi.map(() => 0));
    },
    GPU_MS,
  );

  it(
    "of a transform whose threads own neighbouring butterflies is proven in range where a chunk is less than a butterfly",
    async () => {
      const variants = ["chunk=2,padding=0", "chunk=2,padding=16", "chunk=4,padding=8"].map(
        (rest): Subject => ({
          ...{ kernel: "fft", problem: { n: 64, batch: 4, direction: "forward" }, sources: ["sample"] },
          variant: `one-workgroup/radix=8,workgroup=4,loads=vector,${rest}`,
        }),
      );
      const rows = await rowsOf(await chooseDevice("swiftshader"), variants, quiet);
      expect(rows.map(({ portable, unnamed }) => [portable.avoidable, unnamed])).toEqual(
        rows.map(() => [0, 0]),
      );
    },
    GPU_MS,
  );
});

describe("a check", () => {
  const clamp: PlacedClamp = {
    ...{ bound: "fixed", origin: "known", by: "min", array: "stage", space: "workgroup" },
    line: { number: 7, text: "stage[t & 63u] = x;" },
  };
  const figures = {
    ...{ instructions: 10, avoidable: 0, data: 0, runtime: 0 },
    ...{ guardedLoops: 0, checkedDivisions: 0, shuffleGuards: 0, zeroedBytes: 0 },
  };
  const row: Row = {
    ...subject("fused"),
    ...{ stage: "fused", stoodIn: false, portable: figures, native: figures, unnamed: 0, clamps: [] },
  };

  it("complains of a clamp that another form would spare, with its line", () => {
    expect(complaints([{ ...row, clamps: [clamp] }])).toEqual([
      expect.stringMatching(/stage is clamped at line 7: stage\[t & 63u\] = x;$/),
    ]);
  });

  it("takes indexes from memory, arrays of unknown length and the ledger as they are", () => {
    const fine: PlacedClamp[] = [
      { ...clamp, origin: "data" },
      { ...clamp, bound: "runtime" },
      { ...clamp, array: "treeKey" },
    ];
    expect(complaints([{ ...row, clamps: fine }])).toEqual([]);
    expect(complaints([{ ...row, kernel: "fft", clamps: [fine[2]!] }])).toHaveLength(1);
  });

  it("takes the forms of the experiments as they are, of either half of a kernel", () => {
    const clamped = (variant: string) => complaints([{ ...row, variant, clamps: [clamp] }]);
    for (const form of ["index=mask", "unroll=false", "coarseIndex=mask", "refineUnroll=false"])
      expect(clamped(`two-kernel/${form}`)).toEqual([]);
    expect(clamped("fused/index=modulo")).toHaveLength(1);
  });

  it("complains of loops with a counter, checked divisors and instructions without a name", () => {
    const guarded = { ...row, portable: { ...figures, guardedLoops: 1, checkedDivisions: 2 }, unnamed: 3 };
    expect(complaints([guarded])).toEqual([
      expect.stringMatching(/not proven to end/),
      expect.stringMatching(/divisor/),
      expect.stringMatching(/3 instructions .* no name/),
    ]);
  });

  it("complains of an entry of the ledger that nothing answers to", () => {
    expect(forgotten([row])[0]).toMatch(/treeKey, treeAt, partial that are gone/);
    expect(forgotten([{ ...row, clamps: [{ ...clamp, array: "partial" }] }])).toHaveLength(KNOWN.length - 1);
  });
});

describe("the published page", () => {
  it("is what its figures and the published tables give", async () => {
    const root = requireCheckout();
    const data = await readData(root);
    const tables = await tablesBelow(join(root, "tables"));
    const page = spirvPage(data, tables, await readToggleTimes(root)).markdown();
    expect(page).toBe(await readFile(join(root, PAGE), "utf8"));
  });

  it("has nothing of a kernel that ships that another form would spare, beyond the ledger, and no instruction without a name", async () => {
    const { rows } = await readData(requireCheckout());
    const ship = shippingKernels(rows);
    expect([...ship]).toEqual(expect.arrayContaining(["fft", "matched-filter", "eigh"]));
    const ours = rows.filter(({ kernel }) => ship.has(kernel));
    expect(ours.length).toBeGreaterThan(80);
    for (const { kernel, variant, stage, stays, unnamed, portable } of ours) {
      // The forms of the experiments are clamped, as their parameters say.
      if (isExperiment({ variant })) continue;
      const wrong = stays.filter(({ kind, array }) => kind === "avoidable" && !knownFor(kernel, { array }));
      expect(wrong, variant).toEqual([]);
      const loops = loopsKnown(kernel, stage) ? 0 : portable.guardedLoops;
      expect([unnamed, loops, portable.checkedDivisions], variant).toEqual([0, 0, 0]);
    }
  });
});

describe("lab spirv", () => {
  it("refuses words that do not go together", async () => {
    for (const [words, why] of [
      [["spirv"], /name a kernel/],
      [["spirv", "fft", "--report"], /leave the kernel out/],
      [["spirv", "fft", "four-step", "--shipped"], /leave the variant out/],
      [["spirv", "fft", "--sample", "0"], /--sample takes 1/],
      [["spirv", "nothing"], /unknown kernel/],
    ] as const) {
      const { code, notes } = await lab(words);
      expect([code, notes]).toEqual([2, expect.stringMatching(why)]);
    }
  });

  it.skipIf(!embedded)(
    "prints a variant's functions and clamps by line, and the same as JSON",
    async () => {
      const words = ["spirv", "matched-filter", "fused/radix=8,workgroup=8", "--problem", "n=64"];
      const { code, out } = await lab(words);
      expect(code).toBe(0);
      expect(out).toMatch(/main_inner/);
      expect(out).toMatch(
        /3 of workgroup treeKey: % and \/ by constants would spare it\n {4}line \d+: let otherKey = treeKey\[t \+ 4u\];/,
      );
      const json = JSON.parse((await lab([...words, "--profile", "native", "--json"])).out);
      expect(json).toMatchObject({
        kernel: "matched-filter",
        profile: "native",
        texts: [{ stage: "fused", stoodIn: false }],
      });
      expect(json.texts[0].inspection.clamps).toEqual([]);
    },
    GPU_MS,
  );
});
