import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { studySchemaText, TABLE_SCHEMA_PATH, tableSchemaText } from "../src/table-schema.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const files = (await readdir(join(root, "tables"), { recursive: true })).filter(
  (file) => file.endsWith(".json") && !file.startsWith("evidence/"),
);
const published = (depth: number): readonly string[] =>
  files.filter((file) => file.split("/").length === depth).map((file) => join(root, "tables", file));
const tables = published(3);

/** A published study without its rows, on the device of a published table. */
const { device, deviceSlug, profile } = JSON.parse(await readFile(tables[0]!, "utf8"));
const STUDY = {
  ...{ schema: 1, id: "staging", operation: "matched-filter", title: "", doc: "", epoch: 1, protocol: 1 },
  ...{
    device,
    deviceSlug,
    profile,
    session: "01M8",
    commit: "",
    statistic: "median",
    budgetMs: 1,
    floor: 0.35,
  },
  ...{ dimensions: ["n"], columns: [{ name: "whole", doc: "" }], derived: [] },
};

describe("the schema of tables", { timeout: 60_000 }, () => {
  it("is the committed one, and every published table is valid under it", async () => {
    const text = await tableSchemaText(root);
    expect(await readFile(join(root, TABLE_SCHEMA_PATH), "utf8")).toBe(text);
    const valid = new Ajv({ strict: true, allowUnionTypes: true }).compile(JSON.parse(text));
    expect(tables.length).toBeGreaterThan(0);
    for (const path of tables) {
      expect(valid(JSON.parse(await readFile(path, "utf8"))), `${path}: ${valid.errors?.[0]?.message}`).toBe(
        true,
      );
    }
  });

  it("of studies holds for every published study, and for none that lost its rows", async () => {
    const valid = new Ajv({ strict: true, allowUnionTypes: true }).compile(
      JSON.parse(await studySchemaText(root)),
    );
    const made = { ...STUDY, rows: [{ problem: { n: 8 }, cells: [{ status: "ok", us: 1 }], derived: [] }] };
    expect(valid(made), valid.errors?.[0]?.message).toBe(true);
    expect(valid(STUDY)).toBe(false);
    for (const path of published(4)) expect(valid(JSON.parse(await readFile(path, "utf8"))), path).toBe(true);
  });

  it("refuses a table whose row lost its time, gained a word or names an unknown profile", async () => {
    const valid = new Ajv({ strict: true, allowUnionTypes: true }).compile(
      JSON.parse(await tableSchemaText(root)),
    );
    const table = (): { profile: string; entries: { rows: Record<string, unknown>[] }[] } => table0;
    const text = await readFile(tables[0]!, "utf8");
    let table0 = JSON.parse(text);
    expect(valid(table())).toBe(true);
    delete table().entries[0]!.rows[0]!.minUs;
    expect(valid(table())).toBe(false);
    table0 = JSON.parse(text);
    table().entries[0]!.rows[0]!.colour = "red";
    expect(valid(table())).toBe(false);
    table0 = JSON.parse(text);
    table().profile = "fast";
    expect(valid(table())).toBe(false);
  });
});

describe("what is published", () => {
  it("is rebuilt byte for byte in another time zone and language, from another folder", async () => {
    const cli = join(root, "packages/lab/src/cli.ts");
    const words = [
      ...["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx")],
      ...[cli, "tables", "--check"],
    ];
    const env = { ...process.env, TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" };
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: "/", env });
    expect(stdout).toMatch(/^\d+ files of tables and reports are what the evidence gives\./);
  }, 60_000);
});
