import type { StudyTable } from "@tunelab/contract";
import { chartSvg, gridText, reportFiles, studyChart, studyGrid, studyPage } from "@tunelab/report";
import { fold, foldStudies, studyPath, studyPlanOf, studyResult, withoutStudies } from "@tunelab/selection";
import { describe, expect, it } from "vitest";
import { planStudy, studyStale, studySubject } from "../src/index.ts";
import { at, measured, resultOf, study, suite, texts } from "./solver.ts";

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
