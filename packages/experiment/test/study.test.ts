import {
  type Config,
  DEFAULT_CAPABILITIES,
  type Problem,
  type StudyCell,
  type StudyColumn,
  type StudyResult,
  type StudyTable,
  type TrialOutcome,
} from "@tunelab/contract";
import { chartSvg, gridText, reportFiles, studyChart, studyGrid, studyPage } from "@tunelab/report";
import { fold, foldStudies, studyPath, studyPlanOf, studyResult, withoutStudies } from "@tunelab/selection";
import { describe, expect, it } from "vitest";
import { planStudy, studyStale, studySubject } from "../src/index.ts";
import { at, measured, study, suite, THREADS, timed } from "./solver.ts";

const resultOf = async (...words: Parameters<typeof measured>): Promise<StudyResult> => {
  const { evidence } = await measured(...words);
  return studyResult(evidence, studyPlanOf(evidence)!);
};
const texts = (result: StudyResult): readonly (readonly string[])[] => studyGrid(result).rows;

const GONE: StudyCell = { status: "hung", reason: "no answer" };

describe("a study's table", () => {
  it("has the document's row of two backends: medians, and the ratio of the slower to the faster", async () => {
    const ms = { 96: { scalar: 60.779, block: 44.922 }, 256: { scalar: 456.355, block: 181.459 } } as const;
    const result = await resultOf(study(), ({ algorithm, problem }) =>
      Number(ms[problem.n as 96][algorithm as "scalar"]),
    );
    expect(texts(result)).toEqual([
      ["96", "64", "60.8 ms", "44.9 ms", "block 1.35x", "8/8", "1.5e+0"],
      ["256", "1", "456 ms", "181 ms", "block 2.51x", "8/8", "1.5e+0"],
    ]);
  });

  it("has threads as columns, an auto rule beside them, its regret, and `--` beyond the budget without running it", async () => {
    const columns: readonly StudyColumn[] = [
      ...THREADS.map((threads) => ({
        name: `t=${threads}`,
        doc: `${threads} threads a matrix`,
        variant: () => ({ algorithm: "scalar", config: { threads } }),
      })),
      {
        name: "auto",
        doc: "six items a thread",
        variant: ({ batch }) => ({
          algorithm: "scalar",
          config: { threads: Number(batch) > 1 ? 512 : 1024 },
        }),
      },
    ];
    const table: Partial<StudyTable> = {
      id: "threads",
      rows: [at(128, 1), at(256, 1), at(512, 1)],
      columns,
      budgetMs: 1_800,
      derived: [{ kind: "ratio", name: "auto over best", of: "auto", over: THREADS.map((t) => `t=${t}`) }],
    };
    // The M1 document's figures: t=32 is 8344 at batch 256, where the watchdog would kill it.
    const ms: Readonly<Record<number, readonly number[]>> = {
      128: [259.382, 136.214, 69.77, 36.62, 26.071, 15.234],
      256: [2075, 1090, 532.139, 260.6, 156.93, 108.57],
      512: [0, 0, 0, 0, 1811.007, 1017.754],
    };
    const { evidence, asked } = await measured(
      study(table),
      ({ config, problem }) => ms[Number(problem.n)]![THREADS.indexOf(Number(config.threads))]!,
    );
    const result = studyResult(evidence, studyPlanOf(evidence)!);
    const rows = texts(result);
    expect(rows[0]!.slice(2, 10)).toEqual([
      "259 ms",
      "136 ms",
      "69.8 ms",
      "36.6 ms",
      "26.1 ms",
      "15.2 ms",
      "15.2 ms",
      "tied (1.00x)",
    ]);
    // 257 ms (the least sample) times eight is over the budget: not run. So is 512 at every setting whose 256 took over 225 ms.
    expect(rows[1]![2]).toBe("--");
    expect(rows[2]!.slice(2, 6)).toEqual(["--", "--", "--", "--"]);
    expect(rows[2]!.slice(6, 9)).toEqual(
      ["1.81 s", "1.02 s", "1.02 s"].map((text) => expect.stringMatching(/ s$|--/) && text),
    );
    expect(asked.some(({ problem, config }) => problem.n === 512 && config.threads === 32)).toBe(false);
    const page = studyPage(result, { stale: [] }, "x").markdown();
    expect(page).toContain(
      "1800 ms a run: it should take longer (n=256,batch=1: t=32; n=512,batch=1: t=32, t=64",
    );
    const hung = (row: number, ...columns: readonly number[]) => ({
      ...result,
      rows: result.rows.map((one, index) => ({
        ...one,
        cells: one.cells.map((cell, column) => (index === row || columns.includes(column) ? GONE : cell)),
      })),
    });
    // A setting that never ran is named once, and so is a row in which none of the others did.
    const without = studyPage(hung(2, 0, 1), { stale: [] }, "x").markdown();
    expect(without).toContain("- hung: no answer (t=32 in every row; t=64 in every row; n=512,batch=1)\n");
  });

  it("scales what a cell should take from the same shape where one was run, for another shape's rate may be far off", async () => {
    // 1000 ms for one of n = 64 and 1 ms for one of n = 32: a batch of 100 of n = 32 takes 100 ms, not 12 s.
    const { asked } = await measured(study({ rows: [at(32, 1), at(64, 1), at(32, 100)] }), ({ problem }) =>
      problem.n === 64 ? 1000 : Number(problem.batch),
    );
    expect(asked.filter(({ problem }) => problem.batch === 100)).toHaveLength(2);
  });

  it("believes a cost model where there is one, before anything of the column was run", async () => {
    const { asked } = await measured(
      study({ expectedMs: (_problem, { algorithm }) => (algorithm === "scalar" ? 5_000 : 1) }),
      () => 1,
    );
    expect(asked.map(({ algorithm }) => algorithm)).toEqual(["block", "block"]);
  });

  it("does not run a setting again on more work once it hung", async () => {
    const { asked, evidence } = await measured(study({ rows: [at(96, 1), at(96, 8)] }), ({ algorithm }) =>
      algorithm === "scalar" ? { status: "hung", reason: "no answer in 30 s" } : 3,
    );
    expect(asked.filter(({ algorithm }) => algorithm === "scalar")).toHaveLength(1);
    expect(evidence.trials.map(({ status }) => status)).toEqual(["hung", "ok", "refused", "ok"]);
  });

  it("calls two settings tied whose samples overlap, or that are closer than the device tells apart", async () => {
    const samples = (...us: readonly number[]): Partial<TrialOutcome> => ({
      ...timed(1),
      status: "ok",
      timing: { clock: "gpu", tickNs: 1, repeats: 1, samplesNs: us.map((one) => one * 1000), rejected: {} },
    });
    const derived: StudyTable["derived"] = [
      { kind: "faster", name: "faster", of: ["scalar", "block"] },
      { kind: "ratio", name: "scalar over block", of: "scalar", over: ["block"] },
    ];
    const rows = [at(96, 1), at(128, 1), at(160, 1)];
    const us: Readonly<Record<number, readonly [scalar: readonly number[], block: readonly number[]]>> = {
      96: [
        [99, 100, 130],
        [129, 150, 151],
      ],
      128: [
        [99, 100, 130],
        [131, 150, 151],
      ],
      160: [[1000], [1004]],
    };
    const answer = ({ problem, algorithm }: { problem: Problem; algorithm: string }) =>
      samples(...us[Number(problem.n)]![algorithm === "scalar" ? 0 : 1]);
    const result = await resultOf(study({ rows, derived }), answer);
    expect(result.floor).toBe(0.005);
    expect(texts(result).map((row) => row.slice(4, 6))).toEqual([
      ["scalar, tied (1.50x)", "tied (0.667x)"],
      ["scalar 1.50x", "0.667x"],
      ["scalar, tied (1.00x)", "tied (0.996x)"],
    ]);
    expect(studyPage(result, { stale: [] }, "x").markdown()).toMatch(/Tied: within 0\.500%/);
  });

  it("shows a probe in parentheses: inner sweeps with the outer ones they took", async () => {
    const columns = [1, 2, 3, 4].map((inner) => ({
      name: `inner=${inner}`,
      doc: "",
      variant: () => ({ algorithm: "block", config: { inner } }),
    }));
    const result = await resultOf(
      study({ id: "inner", columns, derived: [], shows: "sweeps", rows: [at(64, 1)] }),
      ({ config }) => ({
        status: "ok",
        probes: { sweeps: config.inner === 1 ? 6 : 5 },
        ...{ timing: { clock: "gpu", tickNs: 1, repeats: 2, samplesNs: [29_462_000], rejected: {} } },
        verdict: { matched: 1, total: 1, sampled: 1, maxError: 0, nearTies: 0 },
      }),
    );
    expect(texts(result)[0]!.slice(2, 6)).toEqual([
      "14.7 ms (6)",
      "14.7 ms (5)",
      "14.7 ms (5)",
      "14.7 ms (5)",
    ]);
  });

  it("times the CPU's own way in a column beside the GPU's, and does not time it where it is wrong", async () => {
    const host = (matched: number) => ({
      run: () => {},
      verdict: () => ({ matched, total: 4, sampled: 4, maxError: 1e-9, nearTies: 0 }),
    });
    const columns: readonly StudyColumn[] = [
      { name: "gpu", doc: "", variant: () => ({ algorithm: "scalar", config: {} }) },
      { name: "cpu", doc: "", host: ({ n }) => host(n === 96 ? 4 : 3) },
    ];
    const derived = [{ kind: "faster", name: "faster", of: ["gpu", "cpu"] }] as const;
    const result = await resultOf(study({ columns, derived }), () => 8);
    // The fake clock moves 2 ms a look, so a call of nothing takes 2 ms.
    expect(texts(result)[0]!.slice(2, 5)).toEqual(["8.00 ms", "2.00 ms", "cpu 4.00x"]);
    expect(texts(result)[1]!.slice(2, 5)).toEqual(["8.00 ms", "--", "gpu only"]);
    expect(result.rows[1]!.cells[1]).toMatchObject({ status: "wrong", reason: "3 of 4 are right" });
  });

  it("gives a wrong variant no time, however fast, and an absent one an empty cell", async () => {
    const result = await resultOf(
      study({
        columns: [
          ...study().columns.slice(0, 1),
          {
            name: "block",
            doc: "",
            variant: ({ n }) => (n === 96 ? { algorithm: "block", config: {} } : undefined),
          },
        ],
      }),
      ({ algorithm }) =>
        algorithm === "scalar"
          ? 5
          : {
              status: "ok",
              timing: { clock: "gpu", tickNs: 1, repeats: 1, samplesNs: [1], rejected: {} },
              verdict: { matched: 3, total: 4, sampled: 4, maxError: 1, nearTies: 0 },
            },
    );
    expect(texts(result).map((row) => row.slice(2, 5))).toEqual([
      ["5.00 ms", "--", "scalar only"],
      ["5.00 ms", "", "scalar only"],
    ]);
  });
});

describe("what a study chooses", () => {
  const columns = THREADS.map((threads) => ({
    name: `t=${threads}`,
    doc: "",
    variant: () => ({ algorithm: "scalar", config: { threads } }),
  }));
  const chooses = {
    of: columns.map(({ name }) => ({ name, columns: [name] })),
    parameters: ["threads"],
    ordered: true,
  };
  const rows = [16, 32, 64, 128].flatMap((n) => [at(n, 1), at(n, 64)]);
  /** n threads a matrix are best, each doubling away costs half as much again. */
  const ms = ({ problem, config }: { problem: Problem; config: Config }): number =>
    1.5 ** Math.abs(Math.log2(Number(config.threads) / Number(problem.n)));

  it("stands as a column `auto` with what the rule takes and costs, and the rule with its regret below", async () => {
    const result = await resultOf(study({ columns, derived: [], chooses, rows }), ms);
    expect(
      studyGrid(result)
        .columns.map(({ title }) => title)
        .slice(8, 10),
    ).toEqual(["auto", "auto over the best"]);
    expect(texts(result).map((row) => row.slice(8, 10))).toEqual(
      [32, 32, 32, 32, 64, 64, 128, 128].map((count) => [`t=${count}`, "1.00x"]),
    );
    expect(result.auto!.rule.options[1]).toEqual({
      name: "t=64",
      algorithm: "scalar",
      config: { threads: 64 },
    });
    const page = studyPage(result, { stale: [], chooses }, "x").markdown();
    expect(page).toMatch(/the rule that these times give: `t=32; t=64 from n = 45.25; t=128 from n = 90.51`/);
    expect(page).toMatch(/median 1.00x, worst 1.00x over 8 rows. Each n left out of the fit in turn: median/);
  });

  it("may be a group of columns of which the fastest counts", async () => {
    const groups = {
      of: [
        { name: "few", columns: ["t=32", "t=64"] },
        { name: "many", columns: ["t=128", "t=256", "t=512", "t=1024"] },
      ],
      parameters: [],
      ordered: false,
    };
    const result = await resultOf(study({ columns, derived: [], chooses: groups, rows }), ms);
    expect(result.auto!.rows.map(({ option }) => option)).toEqual([
      ...Array<string>(6).fill("few"),
      ...["many", "many"],
    ]);
  });

  it("counts a whole call against the CPU: the kernel, the round trip and what travels", async () => {
    const host: NonNullable<StudyColumn["host"]> = () => ({
      run: () => {},
      verdict: () => ({ matched: 1, total: 1, sampled: 1, maxError: 0, nearTies: 0 }),
    });
    const crossing: StudyTable = study({
      columns: [
        { name: "cpu", doc: "", host },
        { name: "gpu", doc: "", variant: () => ({ algorithm: "scalar", config: {} }) },
      ],
      derived: [
        { kind: "call", name: "whole", of: ["gpu"] },
        { kind: "ratio", name: "cpu over gpu", of: "cpu", over: ["whole"] },
      ],
      chooses: {
        of: ["cpu", "gpu"].map((name) => ({ name, columns: [name] })),
        parameters: [],
        ordered: false,
      },
      rows: [at(8, 1), at(64, 1)],
    });
    // The fake clock makes any CPU call 2 ms; the fake trip is 1 ms, and 1 us a byte of which the operation's ports have none.
    const result = await resultOf(crossing, ({ problem }) => (problem.n === 8 ? 1.5 : 0.5));
    expect(result.trip).toEqual({ roundTripMs: 1, msPerByte: 1e-3 });
    expect(texts(result).map((row) => row.slice(2, 8))).toEqual([
      ["2.00 ms", "1.50 ms", "gpu 2.50 ms", "0.800x", "cpu", "1.00x"],
      ["2.00 ms", "500 µs", "gpu 1.50 ms", "1.33x", "gpu", "1.00x"],
    ]);
    expect(studyPage(result, { stale: [] }, "x").markdown()).toMatch(/adds a round trip of 1.00 ms/);
  });

  it("refuses an option that is no column", async () => {
    const wrong = { ...chooses, of: [{ name: "x", columns: ["t=7"] }, ...chooses.of] };
    const subject = await studySubject(suite.operation);
    expect(() =>
      planStudy(study({ columns, derived: [], chooses: wrong, rows }), subject, DEFAULT_CAPABILITIES),
    ).toThrow(/option x is t=7, which is no column/);
  });
});

describe("a study's session", () => {
  it("keeps what was measured when it is interrupted, and says what was not", async () => {
    const controller = new AbortController();
    let count = 0;
    const { evidence, whole } = await measured(
      study(),
      () => {
        if (++count === 2) controller.abort();
        return 5;
      },
      { signal: controller.signal },
    );
    expect([whole, evidence.trials.length]).toEqual([false, 2]);
    expect(texts(studyResult(evidence, studyPlanOf(evidence)!))[1]!.slice(2, 5)).toEqual(["--", "--", "--"]);
  });

  it("is taken by no tuning table; its newest whole word is the published one, the older's when that is retracted", async () => {
    const first = await measured(study(), () => 5);
    const second = await measured(study(), () => 3, { id: "01M8NK35J90W05MHZT83MKSP67" });
    const sessions = [first.evidence, second.evidence];
    expect(fold(withoutStudies(sessions), { bounds: { solve: 10 } })).toEqual([]);
    const [newest, ...others] = foldStudies(sessions);
    expect([newest!.rows[0]!.cells[0]!.us, others.length]).toEqual([3000, 0]);
    expect(studyPath(newest!)).toBe("nvidia-h200/tint-vulkan.portable/studies/solve-backends.json");
    const retracted = [{ session: second.evidence.header.id, reason: "the fan had stopped" }];
    expect(foldStudies(sessions, retracted)[0]!.rows[0]!.cells[0]!.us).toBe(5000);
  });
});

describe("a study's definition", () => {
  const subject = studySubject(suite.operation);
  const WRONG: readonly (readonly [string, Partial<StudyTable>, RegExp])[] = [
    [
      "two columns of a name",
      { columns: [study().columns[0]!, study().columns[0]!] },
      /two columns are named scalar/,
    ],
    ["no row", { rows: [] }, /no rows/],
    ["a bad problem", { rows: [at(0, 1)] }, /n is 0/],
    ["an unknown dimension", { dimensions: ["size"] }, /no dimension "size": there is n, batch/],
    [
      "a derived column of nothing",
      { derived: [{ kind: "faster", name: "x", of: ["cpu"] }] },
      /made of cpu, which is no column/,
    ],
    [
      "an unknown algorithm",
      {
        columns: [{ name: "scalar", doc: "", variant: () => ({ algorithm: "qr", config: {} }) }],
        derived: [],
      },
      /no algorithm "qr", only scalar, block/,
    ],
    [
      "a value that the parameter cannot take",
      {
        columns: [{ name: "a", doc: "", variant: () => ({ algorithm: "scalar", config: { threads: 3 } }) }],
        derived: [],
      },
      /column a at batch=64,n=96: threads cannot be 3/,
    ],
    ["a column of neither kind", { columns: [{ name: "a", doc: "" }], derived: [] }, /one of the two/],
    ["a bad name", { id: "../x" }, /is no name/],
    ["no budget", { budgetMs: 0 }, /lets nothing run/],
  ];
  it.each(WRONG)("with %s is refused in one line that names the study", async (_what, more, says) => {
    const one = study(more);
    const plan = async () =>
      planStudy(one, await subject, (await import("@tunelab/contract")).DEFAULT_CAPABILITIES);
    await expect(plan()).rejects.toThrow(says);
    await expect(plan()).rejects.toThrow(`study solve/${one.id}: `);
  });

  it("that changed, a kernel that changed, an epoch that rose or a study that is gone make the published one stale", async () => {
    const result = await resultOf(study(), () => 5);
    expect(await studyStale(result, study(), await subject, 1)).toEqual([]);
    expect(await studyStale(result, study(), await subject, 2)).toEqual([
      "it was measured at epoch 1 and the suite is at 2",
    ]);
    expect(await studyStale(result, study({ rows: [at(96, 64)] }), await subject, 1)).toEqual([
      "its rows or columns are defined otherwise now",
    ]);
    const other = study({
      columns: [
        study().columns[0]!,
        { name: "block", doc: "", variant: () => ({ algorithm: "block", config: { inner: 2 } }) },
      ],
    });
    expect(await studyStale(result, other, await subject, 1)).toEqual([
      "2 cells were measured with kernels that have changed since",
    ]);
    expect(await studyStale(result, undefined, undefined, undefined)).toHaveLength(1);
  });
});

describe("a study's page", () => {
  it("shows the document's own figures as theirs, with their device, and says why it is stale", async () => {
    const result = await resultOf(study(), () => 5);
    const reference = {
      source: "eigh launch tuning",
      device: "Apple M1",
      rows: [
        { problem: at(96, 64), figures: { scalar: 60_779, block: 44_922 } },
        { problem: at(512, 1), figures: { scalar: "--", block: 112_100 } },
      ],
    };
    const page = studyPage(result, { stale: ["it is old"], reference }, "solve-backends");
    const text = page.markdown();
    expect(text).toContain("Theirs, for comparison, and not measured here: eigh launch tuning, on Apple M1.");
    expect(text).toContain("| 96 | 64 | 60.8 ms | 44.9 ms | block 1.35x |");
    expect(text).toContain("| 512 | 1 | -- | 112 ms | block only |");
    expect(text).toMatch(/\*\*Stale:\*\* it is old.*--only solve\/backends --device nvidia-h200/);
    expect(text).toContain("](solve-backends.svg)");
  });

  it("draws a panel for each combination of the other dimensions, the same bytes again, and nothing without a time", async () => {
    const result = await resultOf(study({ rows: [at(8, 1), at(16, 1), at(8, 4)] }), ({ problem }) =>
      Number(problem.n),
    );
    const spec = studyChart(result)!;
    expect(await chartSvg(spec)).toBe(await chartSvg(spec));
    expect(await chartSvg(spec)).toContain("batch=4");
    const five = [...result.columns, ...["c", "d", "e"].map((name) => ({ name, doc: "" }))];
    const rows = result.rows.map((row) => ({
      ...row,
      cells: five.map((_, index) => ({ ...row.cells[0]!, us: 10 * (index + 1) })),
    }));
    // The legend's two rows are full but for the last: three columns, read down each in the order of the settings.
    const drawn = await chartSvg(studyChart({ ...result, columns: five, rows })!);
    const entries = drawn.slice(drawn.indexOf("role-legend-entry"));
    const placed = [
      ...entries.matchAll(/translate\((\d+),(\d+)\)"><path class="background".*?>([a-z]+)<\/text>/g),
    ];
    const entriesAt = placed.map(([, x, y, name]) => [name, Number(x), Number(y)] as const);
    const down = entriesAt.toSorted(([, x1, y1], [, x2, y2]) => x1 - x2 || y1 - y2);
    expect(down.map(([name]) => name)).toEqual(["scalar", "block", "c", "d", "e"]);
    const none = await resultOf(study(), () => ({ status: "crashed", reason: "<script>" }));
    expect(studyChart(none)).toBeUndefined();
    const page = studyPage(none, { stale: [] }, "x").markdown();
    expect(page).not.toMatch(/<script|NaN|undefined/);
    expect(gridText(studyGrid(none))).toContain("--");
  });
});

it("is linked from the index, from its operation's page though there is no table, and from its device's part of that profile", async () => {
  const { evidence } = await measured(study(), () => 5);
  const result = studyResult(evidence, studyPlanOf(evidence)!);
  const native = { ...evidence.header, id: "01M8NK35J90W05MHZT83MKSP67", profile: "native" as const };
  const input = {
    ...{ evidence: [evidence, { ...evidence, header: native }], retracted: [], tables: [] },
    ...{ isStale: () => false, operations: [], studies: [result] },
  };
  const files = await reportFiles(input);
  const path = "tables/nvidia-h200/tint-vulkan.portable/studies/solve-backends.md";
  expect(files.get("README.md")).toMatch(new RegExp(`\\]\\(\\.\\./${path}\\)`));
  expect(files.get("operations/solve/README.md")).toContain(`](../../../${path})`);
  const [first, second] = files.get("devices/nvidia-h200/README.md")!.split(/^## /m).slice(1);
  expect([first, second].map((one) => one!.split("\n")[0])).toEqual([
    expect.stringContaining("profile native"),
    expect.stringContaining("profile portable"),
  ]);
  expect(first).not.toContain(path);
  expect(second).toContain(`- [solve: scalar against block](../../../${path})`);
});
