import { expect, test } from "vitest";
import {
  bestRow,
  escapeMarkdown,
  gridMarkdown,
  gridText,
  summaryTable,
  tableMarkdown,
  tablePage,
} from "../src/index.ts";
import { codeSpan } from "../src/markdown.ts";
import { entry, row, table, WIDE } from "./tables.ts";

test("the summary has a row for each problem, by n as a number, with speed-ups, shares and verification", () => {
  const { columns, rows } = summaryTable(WIDE);
  expect(rows.map(([problem]) => problem)).toEqual([
    "n=64,pairs=32768",
    "n=1024,pairs=32768",
    "n=4096,pairs=32768",
    "n=1048576,pairs=32768",
  ]);
  expect(rows[2]).toEqual([
    "n=4096,pairs=32768",
    "fused/radix=2,workgroup=256",
    "380 µs",
    "2.00x",
    "3.00x",
    "35.2%",
    "4.10%",
    "61.0%",
    "512/512",
    "3.2e-7",
    "resolved",
  ]);
  expect(columns).toHaveLength(rows[0]!.length);
});

test("first place says how many tie for it, and whether the device was noisy or the entry is old", () => {
  const tied = entry(64, [1, 1.001, 1.002, 2]);
  const rows = tied.rows.map((one, index) => ({ ...one, tie: index === 1 || index === 2 }));
  const words = (more: object, noisy = false) =>
    summaryTable(table([{ ...tied, rows, ...more }], { noisy })).rows[0]!.at(-1);
  expect(words({})).toBe("tie of 3");
  expect(words({ rows: [row(1, 5)] })).toBe("only one");
  expect(words({ rows: [row(1, 5), row(2, 6), row(3, 6, { tie: true })] })).toBe("resolved");
  expect(words({ agedOn: "driver 570" }, true)).toBe("tie of 3, noisy, aged");
  expect(words({ rows: [], measured: 7 })).toBe("none of 7 ran");
});

test("a problem without a default time shows dashes, not NaN or Infinity", () => {
  const bare = { ...entry(64, [0]), rows: [row(1, 0)] };
  const text = gridText(summaryTable(table([{ ...bare, defaultUs: undefined } as never])));
  expect(text).toContain("--");
  expect(text).not.toMatch(/NaN|Infinity|undefined/);
});

test("rank decides which row is best, not its place in the file", () => {
  const shuffled = entry(64, [1, 2, 3]);
  expect(bestRow({ ...shuffled, rows: [...shuffled.rows].reverse() })?.minUs).toBe(1);
});

test("text grids align their columns and leave no trailing space", () => {
  const text = gridText(summaryTable(WIDE));
  const at = (line: string) => [...line].join("").indexOf("512/512");
  const lines = text.split("\n");
  expect(lines).toHaveLength(6);
  expect(new Set(lines.slice(2).map(at)).size).toBe(1);
  for (const line of lines) expect(line).toBe(line.trimEnd());
});

test("an empty table says so instead of an empty grid", () => {
  expect(tableMarkdown(table([]))).toBe("## matched-filter\n\nNothing has been measured yet.\n");
});

test("markup in names is escaped, in text and in code", () => {
  const nasty = "a|b`c`*d*_e_<img src=x>[f](g)\n# h\u202e";
  const escaped = escapeMarkdown(nasty);
  expect(escaped).toBe("a\\|b\\`c\\`\\*d\\*\\_e\\_&lt;img src=x&gt;\\[f\\](g) \\# h");
  expect(codeSpan("a|b`c")).toBe("`` a\\|b`c ``");
  const grid = { columns: [{ title: "x|y", align: "left" as const }], rows: [[nasty]] };
  expect(gridMarkdown(grid).split("\n")).toHaveLength(3);
});

test("stale rows are marked where they stand, counted above, and their first place is no longer simply resolved", () => {
  const stale = (_: unknown, problem: { n?: number | string }, variant: string) =>
    problem.n === 4096 && variant.includes("radix=2,");
  const page = tablePage(WIDE, stale as never);
  expect(page).toContain("**Stale:** 1 of 9 rows");
  expect(page.match(/stale \|/g)).toHaveLength(2); // the summary's first place, and the row itself
  expect(summaryTable(WIDE, stale as never).rows[2]!.at(-1)).toBe("resolved, stale");
  expect(tablePage(WIDE)).not.toMatch(/stale/i);
});

test("a share over 100% of the multiply-adds is said to count work that was not done", () => {
  const pageOf = (fractionOfFma: number) =>
    tablePage(table([{ ...entry(64, [10]), rows: [row(1, 10, { fractionOfFma })] }]));
  expect(pageOf(3.8)).toContain(
    "Over 100% of FMA: a share counts the operations of the problem done in full",
  );
  expect(pageOf(1.01)).not.toContain("Over 100%");
});

test("a table's page names who measured it and holds every candidate", () => {
  const page = tablePage(WIDE);
  expect(page.split("\n")[0]).toBe("# matched-filter on NVIDIA H200");
  expect(page).toContain("| driver | 580.95.05 |");
  expect(page.match(/^\| \d+ \|/gm)).toHaveLength(9);
  expect(page).not.toMatch(/NaN|undefined/);
});

test("a best that is the default, or that shows no difference to it, says so in words instead of a factor", () => {
  const cellOf = (rows: readonly ReturnType<typeof row>[], defaultUs = 9) =>
    summaryTable(table([{ ...entry(64, [10]), defaultUs, rows }])).rows[0]![3];
  const slower = row(2, 9, { tie: true, isDefault: true });
  expect(cellOf([row(1, 10), slower])).toBe("tied (0.900x)");
  expect(cellOf([row(1, 10), row(2, 10.1, { tie: true }), row(3, 9, { tie: true, isDefault: true })])).toBe(
    "tied (0.900x)",
  );
  expect(cellOf([row(1, 10), row(2, 20, { isDefault: true })], 20)).toBe("2.00x");
  // Kept for being the default, far behind: the tie is with a row that is not in the table.
  expect(
    cellOf([row(1, 10), row(2, 10, { tie: true }), row(30, 20, { tie: true, isDefault: true })], 20),
  ).toBe("2.00x");
  expect(cellOf([row(1, 10, { isDefault: true })], 10)).toBe("the default");
});

test("problems that a session could not put into a table stand in the summary with the reason, table or none", () => {
  const absent = [{ problem: { n: 512 }, why: "no verified variant: 3 refused (3 plan)" }];
  const { columns, rows } = summaryTable(table([entry(64, [1])]), undefined, absent);
  expect(rows.map(([problem]) => problem)).toEqual(["n=64,pairs=32768", "n=512"]);
  expect(rows[1]).toHaveLength(columns.length);
  expect(rows[1]!.at(-1)).toBe("no verified variant: 3 refused (3 plan)");
  expect(summaryTable(undefined, undefined, absent).rows).toHaveLength(1);
});
