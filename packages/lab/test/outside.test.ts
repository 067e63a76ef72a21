import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { embeddedFiles } from "@tunelab/devices";
import { parseTable } from "@tunelab/selection";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

const example = fileURLToPath(new URL("../../../examples/my-kernel/my-kernel.ts", import.meta.url));
const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-outside-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const GOOD = await readFile(example, "utf8");

describe("a kernel from outside", () => {
  it("is looked at like any other", async () => {
    const { code, out } = await lab(["space", example]);
    expect(code).toBe(0);
    expect(out).toMatch(/tiled: 24 variants of 30 combinations/);
    expect((await lab(["wgsl", example, "--variant", "tiled/tile=8"])).out).toContain(
      "var<workgroup> tile: array<f32, 64>",
    );
  });

  it.skipIf(!embedded)("is tuned, verified and put into a table", { timeout: 120_000 }, async () => {
    const words = ["--device", "swiftshader", "--problem", "n=16,matrices=4", "--trials", "6"];
    const { code, out, notes } = await lab([
      "tune",
      "--kernel",
      example,
      ...words,
      "--out",
      folder,
      "--json",
    ]);
    expect(notes).not.toContain("restarted");
    expect(code).toBe(0);
    const { files } = JSON.parse(out);
    const table = parseTable(await readFile(files[0], "utf8"));
    expect(table.operation).toBe("batched-transpose");
    const [best] = table.entries[0]!.rows;
    expect(best).toMatchObject({ algorithm: "tiled", matched: 12, total: 12, maxError: 0 });
    const { session } = JSON.parse(out);
    const shown = await lab(["results", "show", session, "--out", folder, "--json"]);
    for (const { metrics, resources, timing, work } of JSON.parse(shown.out).trials) {
      const ns = Math.min(...timing.samplesNs) / timing.repeats;
      expect(metrics.memory).toBe(resources.workgroupBytes);
      expect(metrics.bandwidth).toBeCloseTo(work.bytes / ns, 9);
    }
    // A session without the module leaves these results alone.
    const other = ["tune", "--kernel", "matched-filter", "--problem", "n=64,data=1,templates=1,pairs=1"];
    const again = await lab([...other, "--device", "swiftshader", "--trials", "2", "--out", folder]);
    expect(again.code).toBe(0);
  });
});

describe.skipIf(!embedded)(
  "a session that searches for a metric of the kernel's",
  { timeout: 180_000 },
  () => {
    it("finds the best by it, shows it with its unit, and says what the tables rank by", async () => {
      const where = [
        "--device",
        "swiftshader",
        "--problem",
        "n=16,matrices=4",
        "--out",
        join(folder, "metric"),
      ];
      // 4 of the 18 variants that n = 16 allows have the smallest tile without padding: 8 x 8 words, 256 bytes.
      const words = ["--strategy", "exhaustive", "--objective", "memory", "--trials", "26"];
      const { code, out } = await lab(["tune", "--kernel", example, ...where, ...words]);
      expect(code).toBe(0);
      expect(out).toMatch(/best by memory +time +bandwidth \(GB\/s\) +memory \(bytes\)\n/);
      expect(out).toMatch(/tiled\/tile=8,rows=\d,padding=0 .* 256\n/);
      expect(out).toContain("Searched for memory; tables rank by time all the same.");
    });

    it("is refused with what there is, when the kernel has no such metric", async () => {
      const { code, notes } = await lab(["tune", "--kernel", example, "--objective", "joules"]);
      expect([code, notes.split("\n").at(-1)]).toEqual([
        2,
        'tunelab: batched-transpose has no metric "joules": there is time, bandwidth, memory',
      ]);
    });
  },
);

describe.skipIf(!embedded)("a session whose only trial fails", { timeout: 120_000 }, () => {
  it("ends with exit 1 and one line that names the variant and the reason, and keeps the trial", async () => {
    const path = join(folder, "doubling.ts");
    await writeFile(path, GOOD.replace("= tile[local.x", "= 2.0 * tile[local.x"));
    const where = [
      "--device",
      "swiftshader",
      "--problem",
      "n=16,matrices=4",
      "--out",
      join(folder, "failing"),
    ];
    const { code, out, notes } = await lab(["tune", "--kernel", path, ...where, "--trials", "1"]);
    expect(code).toBe(1);
    expect(notes.split("\n").at(-1)).toMatch(
      /^tunelab: nothing was verified: tiled\/tile=16,rows=8,padding=0: wrong, seed 1: 0\/4 right: matrix 0: .* not /,
    );
    expect(out).toMatch(/matrices=4,n=16 .* no verified variant: 1 wrong\n/);
    expect(out).toContain("  tiled/tile=16,rows=8,padding=0: wrong, seed 1");
    const [, session] = /Next: .*results show (\S+) has every trial/.exec(out)!;
    const shown = await lab(["results", "show", session!, "--out", join(folder, "failing"), "--json"]);
    expect(JSON.parse(shown.out).trials).toMatchObject([{ status: "wrong" }]);
  });
});

const WRONG: readonly (readonly [what: string, text: string, says: RegExp])[] = [
  [
    "exports nothing by default",
    "export const suite = {};",
    /exports no operation: its default export must be a suite/,
  ],
  ["exports something else", "export default 7;", /exports no operation/],
  [
    "exports half a suite",
    "export default { operation: { name: 'x' }, epoch: 1 };",
    /lacks inputs, oracle, .*operation\.ports/,
  ],
  [
    "is of another contract",
    GOOD.replace("contract: 1,", "contract: 0,"),
    /was written for contract 0, this laboratory speaks 1/,
  ],
  [
    "throws",
    "const a = 1;\n\nthrow new Error('not today');\nexport default a;",
    /:3 throws when it is loaded: not today/,
  ],
  ["is no TypeScript", "const a = 1;\nexport default {{;\n", /:2 throws when it is loaded: /],
  [
    "cannot plan",
    GOOD.replace("const bytes = n", "throw new Error('no plan'); const bytes = n"),
    /my-\d+\.ts:\d+ cannot plan its default: no plan/,
  ],
  [
    "has a constraint that throws",
    GOOD.replace("holds: ({ tile }) => n % tile === 0", "holds: () => {\n throw new Error('no rule'); }"),
    /my-\d+\.ts:\d+ .*: no rule/,
  ],
  [
    "has a constraint on a parameter that there is not",
    GOOD.replace('parameters: ["tile", "rows"]', 'parameters: ["tile", "rowz"]'),
    /the space of tiled: constraint rows-fit-tile reads the unknown parameter rowz/,
  ],
  [
    "has a parameter without values",
    GOOD.replace("values: [0, 1]", "values: []"),
    /the space of tiled: parameter padding has no values/,
  ],
  [
    "takes another's name",
    GOOD.replace('name: "batched-transpose"', 'name: "matched-filter"'),
    /matched-filter is a kernel of the laboratory/,
  ],
];

describe("a module that is no kernel", () => {
  it.each(WRONG)("because it %s is named with the cause in one line, exit 2", async (what, text, says) => {
    const path = join(folder, `my-${WRONG.findIndex(([one]) => one === what)}.ts`);
    await writeFile(path, text);
    for (const command of [
      ["tune", "--kernel", path],
      ["space", path],
    ]) {
      const { code, notes } = await lab(command);
      expect(code).toBe(2);
      expect(notes).toContain(path);
      expect(notes).toMatch(says);
      expect(notes.trim().split("\n")).toHaveLength(1);
    }
  });

  it("because a module that it imports throws is named with that module's line", async () => {
    await writeFile(
      join(folder, "helper.ts"),
      "const a = 1;\nthrow new Error('helpless');\nexport default a;",
    );
    const path = join(folder, "importing.ts");
    await writeFile(path, 'import "./helper.ts";\nexport default {};');
    const { code, notes } = await lab(["space", path]);
    expect([code, notes]).toEqual([
      2,
      expect.stringMatching(/helper\.ts:2 throws when it is loaded: helpless$/),
    ]);
  });

  it("for a function of it that throws later is named with the function and its line", async () => {
    const path = join(folder, "later.ts");
    await writeFile(
      path,
      GOOD.replace("const bytes = n", "if (config.tile === 8) throw 1;\nconst bytes = n"),
    );
    const { code, notes } = await lab(["space", path]);
    expect([code, notes]).toEqual([2, expect.stringMatching(/later\.ts tiled\.plan throws: 1$/)]);
  });

  it.each([
    [
      "no tile hangs over the edge",
      ["holds: ({ tile }) => n % tile === 0", "holds: () => false"],
      /tile-divides-n .* holds for no/,
    ],
    [
      "bounds that contradict",
      [
        "constraints: [",
        'constraints: [{ name: "few", doc: "", parameters: ["rows"], holds: ({ rows }) => rows < 4 }, { name: "many", doc: "", parameters: ["rows"], holds: ({ rows }) => rows > 4 },',
      ],
      /many removes the last; few .*, many .* contradict one another/,
    ],
  ])(
    "with %s, so that no variant is valid, is refused before a device is opened",
    async (what, [from, to], says) => {
      const path = join(folder, `${what.split(" ").at(-1)}.ts`);
      await writeFile(path, GOOD.replace(from!, to!));
      const { code, notes } = await lab(["tune", "--kernel", path, "--device", "swiftshader"]);
      expect(code).toBe(2);
      expect(notes).toMatch(says);
      expect(notes).not.toContain("Device ");
    },
  );

  it("because it is not there says so", async () => {
    const { code, notes } = await lab(["tune", "--kernel", "./nowhere/kernel.ts"]);
    expect([code, notes]).toEqual([2, expect.stringContaining("there is no kernel at ./nowhere/kernel.ts")]);
  });
});

describe("new-kernel", () => {
  it("makes an operation of that name that the laboratory takes as it is, with its test", async () => {
    const out = join(folder, "prefix-sum");
    const made = await lab(["new-kernel", "prefix-sum", "--out", out, "--json"]);
    expect(made.code).toBe(0);
    const files: string[] = JSON.parse(made.out);
    const names = files.map((file) => file.slice(out.length + 1));
    expect(names).toEqual(
      expect.arrayContaining(["package.json", "prefix-sum.ts", "test/prefix-sum.test.ts"]),
    );
    for (const file of files) expect(await readFile(file, "utf8")).not.toMatch(/my-kernel|transpos/i);
    expect(await readFile(join(out, "prefix-sum.ts"), "utf8")).toContain("what it computes is a stand-in");
    // By itself too: it imports types alone.
    await copyFile(join(out, "prefix-sum.ts"), join(folder, "prefix-sum.ts"));
    const { out: printed } = await lab(["space", join(folder, "prefix-sum.ts")]);
    expect(printed).toContain("prefix-sum.ts, matrices=16,n=64");
  });

  it.each([
    [["Prefix Sum"], /is no kernel's name/],
    [["matched-filter"], /there is a kernel matched-filter already/],
    [["two", "--out", "/tmp"], /\/tmp exists already/],
  ])("refuses %j in one line", async (words, says) => {
    const { code, notes } = await lab(["new-kernel", ...words]);
    expect(code).toBe(2);
    expect(notes).toMatch(says);
  });
});
