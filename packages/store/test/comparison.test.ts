import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  COMPARISON_SCHEMA,
  type Comparison,
  type ComparisonRow,
  DEFAULT_CAPABILITIES,
  UNKNOWN_PAIR,
} from "@tunelab/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowsOf, withSnapshot } from "../src/database.ts";
import {
  createComparison,
  decodeComparison,
  encodeComparison,
  indexSessions,
  listComparisons,
  loadPublished,
  publishComparison,
  publishedComparisons,
  queryIndex,
  readComparison,
  retractComparison,
  retractedComparisons,
} from "../src/index.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-comparisons-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const row = (more: Partial<ComparisonRow> = {}): ComparisonRow => {
  const route = { variant: "a/x=1", algorithm: "a", config: { x: 1 }, planHash: "0123", from: "default" };
  return {
    operation: "fft",
    problem: { n: 64, batch: 3 },
    routes: { base: route, candidate: { refused: "does not fit" } },
    verdict: "unresolved",
    accuracy: { bound: 1e-6, measure: "relative error" },
    judgement: {
      ...{ verdict: "unresolved", ratio: 1.25, low: 0, high: Number.POSITIVE_INFINITY },
      ...{ confidence: 0.999, p: 1, mde: Number.POSITIVE_INFINITY, count: 16 },
    },
    ns: { base: 1_000.5, candidate: 1_250 },
    outcomes: [UNKNOWN_PAIR],
    ...more,
  };
};

const none = { operations: [], problems: [], faults: [] };
const comparison = (id: string, rows: readonly ComparisonRow[]): Comparison => ({
  ...{ schema: COMPARISON_SCHEMA, id, startedAt: "2026-11-30T08:00:00.000Z", protocol: 1, contract: 1 },
  ...{
    toolVersion: "0.1.0",
    command: "compare a b",
    method: "paired",
    deviceSlug: "nobody",
    profile: "portable",
  },
  names: {
    base: { text: "a", commit: "1".repeat(40), dirty: false },
    candidate: { text: "worktree", commit: "2".repeat(40), dirty: true },
  },
  device: {
    identity: {
      ...{
        implementation: "dawn",
        implementationVersion: "0",
        compiler: "tint",
        backend: "null",
        vendor: "",
      },
      ...{ architecture: "", device: "nobody", description: "", driver: "", adapterType: "cpu" },
    },
    capabilities: DEFAULT_CAPABILITIES,
  },
  toggles: [],
  host: { platform: "linux", runtime: "node", cpu: "cpu", cores: 2, loadAverage: 0 },
  rules: { alpha: 0.001, looks: [16, 32, 64], gate: 0.005, equivalence: 0.01, processes: 1 },
  ...{ executor: "shared", requireParity: false, rows, extras: { base: none, candidate: none } },
});

describe("a stored comparison", () => {
  it("reads back as it was, infinities and withdrawn verdicts included", async () => {
    const { rows: _rows, ...header } = comparison("01A", []);
    const sink = await createComparison(folder, header);
    await sink.row(row({ verdict: "slower" }));
    const whole = comparison("01A", [row(), row({ verdict: "invalid", reason: "candidate hung" })]);
    await sink.finish(whole);
    expect(await readComparison(folder, "01A")).toEqual(whole);
  });

  it("has the figures in columns that SQL can ask for; what is not finite is NULL", async () => {
    const found = await withSnapshot(join(folder, "comparisons", "01A.duckdb"), (connection) =>
      rowsOf(
        connection,
        "SELECT problem_key, verdict, ratio, high, base_variant, candidate_variant FROM rows ORDER BY sequence",
      ),
    );
    expect(found[0]).toEqual({
      ...{ problem_key: "batch=3,n=64", verdict: "unresolved", ratio: 1.25, high: null },
      ...{ base_variant: "a/x=1", candidate_variant: null },
    });
  });

  it("that was killed has the rows that were made", async () => {
    const { rows: _rows, ...header } = comparison("01B", []);
    const sink = await createComparison(folder, header);
    await sink.row(row());
    await sink.row(row({ verdict: "same" }));
    const found = await readComparison(folder, "01B");
    expect(found.rows.map(({ verdict }) => verdict)).toEqual(["unresolved", "same"]);
    await sink.finish(comparison("01B", found.rows));
  });

  it("is listed by its id, and never written twice", async () => {
    expect(await listComparisons(folder)).toEqual(["01A", "01B"]);
    const { rows: _rows, ...header } = comparison("01A", []);
    await expect(createComparison(folder, header)).rejects.toMatchObject({ kind: "usage" });
    expect((await readComparison(folder, "01A")).rows).toHaveLength(2);
  });

  it.each(["nothing", "../../etc/passwd"])("%s is not there, and says how to list", async (id) => {
    await expect(readComparison(folder, id)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("lab comparisons list"),
    });
  });

  it("that is damaged is told by its path and kept", async () => {
    const path = join(folder, "comparisons", "01C.duckdb");
    await writeFile(path, "not a database");
    await expect(readComparison(folder, "01C")).rejects.toMatchObject({
      kind: "data",
      message: expect.stringContaining(path),
    });
  });
});

describe("a record in a file", () => {
  it("reads back as it was written", () => {
    const whole = comparison("01D", [row()]);
    expect(decodeComparison(encodeComparison(whole), "record.json")).toEqual(whole);
  });

  it.each(["{", "[]", '{"schema":1}'])("%s is refused by the file's name", (text) => {
    expect(() => decodeComparison(text, "record.json")).toThrow(/^record\.json is no /);
  });
});

describe("published comparisons", () => {
  /** A row whose quads are known: both sides drift, and the candidate takes 1.25 times the base in each. */
  const timed = (): ComparisonRow => {
    const quads = [1, 2, 3].map((drift, index) => {
      const [a, b] = [100 * drift, 125 * drift];
      return index % 2 === 0
        ? { first: "A" as const, slotsNs: [a, b, b, a] as const }
        : { first: "B" as const, slotsNs: [b, a, a, b] as const };
    });
    const total = {
      ...{
        verdict: "changed",
        ratio: 1.25,
        low: 1.2,
        high: 1.3,
        confidence: 0.999,
        p: 0,
        mde: 0.02,
        count: 2,
      },
      ...{
        clock: "gpu",
        tickNs: 1,
        repeats: { base: 1, candidate: 1 },
        quads,
        mode: "interleaved",
        rejected: {},
      },
    } as const;
    return row({ verdict: "slower", outcomes: [{ ...UNKNOWN_PAIR, total }] });
  };
  const stored = async (lab: string, whole: Comparison): Promise<void> => {
    const { rows: _rows, stopped: _stopped, ...header } = whole;
    await (await createComparison(lab, header)).finish(whole);
  };

  it("are copied once, read back as they were, and stand in the index with the laboratory's own, each once", async () => {
    const base = await mkdtemp(join(folder, "published-"));
    const [lab, tables] = [join(base, "lab"), join(base, "tables")];
    const whole = comparison("01B", [timed(), row()]);
    // As an earlier build wrote it: the placements' ratios, and no quads of them.
    const [first] = whole.rows[0]!.outcomes;
    Object.assign(first!.total!, { placements: [1.25, 1.26] });
    await stored(lab, whole);
    await stored(lab, comparison("01C", [row()]));
    const path = await publishComparison(lab, tables, "01B");
    expect(path).toBe(join(tables, "evidence", "comparisons", "01B.json"));
    expect(await publishedComparisons(tables)).toEqual([whole]);
    await expect(publishComparison(lab, tables, "01B")).rejects.toThrow("is published already");

    const { path: index, faults } = await indexSessions(lab, [join(tables, "evidence")]);
    expect(faults).toEqual([]);
    const ask = async (sql: string) => (await queryIndex(index, sql)).rows;
    expect(await ask("SELECT id, base, candidate, device_slug FROM comparisons ORDER BY id")).toEqual([
      { id: "01B", base: "a", candidate: "worktree", device_slug: "nobody" },
      { id: "01C", base: "a", candidate: "worktree", device_slug: "nobody" },
    ]);
    expect(await ask("SELECT comparison, verdict, high FROM comparison_rows ORDER BY ALL")).toHaveLength(3);
    // The first quad warmed up; in the others the candidate takes 1.25 times the base, whoever was first.
    const quads = await ask(
      "SELECT quad, exp(log_ratio) AS ratio, base_ns FROM comparison_quads ORDER BY quad",
    );
    expect(quads.map(({ ratio }) => Number(Number(ratio).toFixed(6)))).toEqual([1.25, 1.25]);
    expect(quads.map(({ base_ns }) => Math.round(Number(base_ns)))).toEqual([200, 300]);
  });

  it("stay readable when they are withdrawn, with the reason; sessions published since leave it in the list", async () => {
    const base = await mkdtemp(join(folder, "withdrawn-"));
    const [lab, tables] = [join(base, "lab"), join(base, "tables")];
    await stored(lab, comparison("01G", [row()]));
    await publishComparison(lab, tables, "01G");
    expect(await retractedComparisons(tables)).toEqual(new Map());
    await expect(retractComparison(tables, "01G", " ")).rejects.toThrow("needs a reason");
    await expect(retractComparison(tables, "../../published", "x")).rejects.toThrow("is not published");
    await expect(retractComparison(tables, "01H", "x")).rejects.toThrow("comparison 01H is not published");
    await retractComparison(tables, "01G", "the machine was busy");
    await retractComparison(tables, "01G", "again");
    expect(await retractedComparisons(tables)).toEqual(new Map([["01G", "the machine was busy"]]));
    expect((await publishedComparisons(tables)).map(({ id }) => id)).toEqual(["01G"]);
    // A reader that does not know of it would count the comparison: it must refuse the list.
    expect(JSON.parse(await readFile(join(tables, "published.json"), "utf8")).schema).toBe(2);
    expect(await loadPublished(tables)).toEqual({ evidence: [], retracted: [] });
  });

  it("that are no JSON, newer, of another id or not whole are refused by name; the index leaves them out and says so", async () => {
    const base = await mkdtemp(join(folder, "damaged-"));
    const [lab, tables] = [join(base, "lab"), join(base, "tables")];
    await stored(lab, { ...comparison("01D", [row()]), stopped: "interrupted" });
    await expect(publishComparison(lab, tables, "01D")).rejects.toThrow("is not whole (interrupted)");
    await stored(lab, comparison("01E", [row()]));
    const path = await publishComparison(lab, tables, "01E");
    const right = await readFile(path, "utf8");
    const wrong: readonly (readonly [string, string])[] = [
      [right.slice(0, 200), `${path} is no JSON`],
      [
        right.replace(`"schema":${COMPARISON_SCHEMA}`, '"schema":9'),
        `newer tunelab (schema 9, this one reads ${COMPARISON_SCHEMA})`,
      ],
      [right.replace('"id":"01E"', '"id":"01F"'), `${path} holds comparison 01F, not its own`],
      ["{}", `${path} is no record of a comparison`],
    ];
    for (const [text, says] of wrong) {
      await writeFile(path, text);
      await expect(publishedComparisons(tables)).rejects.toThrow(says);
      const { faults } = await indexSessions(lab, [join(tables, "evidence")]);
      expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining(says)]);
    }
  });
});
