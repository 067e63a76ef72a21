import type { Problem, StudyCell, StudyColumn, StudyTable, TrialOutcome } from "@tunelab/contract";
import { studyPage } from "@tunelab/report";
import { studyPlanOf, studyResult } from "@tunelab/selection";
import { describe, expect, it } from "vitest";
import { at, measured, resultOf, study, THREADS, texts, timed } from "./solver.ts";

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

  it("scales what a new shape should take from the same batch, for a full batch's rate says nothing of one item", async () => {
    // One of n = 256 takes 700 ms, 256 of n = 128 take 100 ms: one of n = 512, with a quarter of their work, takes 5.6 s, not 25 ms.
    const { asked } = await measured(
      study({ rows: [at(128, 256), at(256, 1), at(512, 1)] }),
      ({ problem }) => (problem.batch === 256 ? 100 : 700),
    );
    expect(asked.filter(({ problem }) => problem.n === 512)).toEqual([]);
    expect(asked).toHaveLength(4);
  });

  it("expects no more of a batch that does not fill the device than it took on another shape, and all of its work of a CPU", async () => {
    // 700 ms for one of n = 256, whatever the batch up to 16, as for n = 128: 16 times as long would be over the budget of 2 s.
    const rows = [at(128, 1), at(128, 16), at(256, 1), at(256, 16)];
    const free = await measured(study({ rows }), ({ problem }) => (problem.n === 256 ? 700 : 90));
    expect(free.asked.filter(({ problem }) => problem.n === 256 && problem.batch === 16)).toHaveLength(2);
    const serial = await measured(
      study({ rows }),
      ({ problem }) => (problem.n === 256 ? 700 : 90) * Number(problem.batch),
    );
    expect(serial.asked.filter(({ problem }) => problem.n === 256 && problem.batch === 16)).toEqual([]);
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
