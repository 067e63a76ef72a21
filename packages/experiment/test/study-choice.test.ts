import {
  type Config,
  DEFAULT_CAPABILITIES,
  type Problem,
  type StudyColumn,
  type StudyTable,
} from "@tunelab/contract";
import { studyGrid, studyPage } from "@tunelab/report";
import { describe, expect, it } from "vitest";
import { planStudy, studySubject } from "../src/index.ts";
import { at, resultOf, study, suite, THREADS, texts } from "./solver.ts";

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
