import { mkdtemp, rm, writeFile } from "node:fs/promises";
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
  listComparisons,
  readComparison,
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
