import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Comparison } from "@tunelab/contract";
import { dawnPath, type Environment, embeddedDriver } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

const driver: Environment | undefined = await embeddedDriver().catch(() => undefined);
const hasHistory = await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd: import.meta.dirname }).then(
  () => true,
  () => false,
);

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), "tunelab-compare-deep-"));
});
afterAll(() => rm(out, { recursive: true, force: true }));

const SMALL = ["--kernel", "matched-filter", "--problem", "n=64,data=4,templates=16,pairs=64"];

describe.skipIf(!driver || !hasHistory)("comparing on the embedded GPU", { timeout: 600_000 }, () => {
  const device = ["--device", "swiftshader"];
  const compare = async (...words: string[]): Promise<{ code: number; comparison: Comparison }> => {
    const { code, out: text } = await lab(["compare", ...words, ...device, "--out", out, "--json"]);
    return { code, comparison: JSON.parse(text) as Comparison };
  };

  it("calls HEAD against HEAD identical in every row, as its own shipped tables select", async () => {
    const { code, comparison } = await compare("HEAD", "HEAD");
    expect(code).toBe(0);
    expect(comparison.rows.length).toBeGreaterThanOrEqual(3);
    for (const { verdict, routes } of comparison.rows) {
      expect(verdict).toBe("identical");
      expect(routes.base).toEqual(routes.candidate);
    }
    // Without the shipped tables every route would be a default.
    const from = comparison.rows.map(({ routes: { base } }) => ("from" in base ? base.from : base.refused));
    expect(from.filter((text) => text.includes("matched-filter.json"))).not.toEqual([]);
  });

  it("claims no change of HEAD against HEAD when timing is forced", async () => {
    const { code, comparison } = await compare("HEAD", "HEAD", "--force-timing", "--looks", "16", ...SMALL);
    expect(code).toBe(0);
    const judged = comparison.rows.map(({ judgement }) => judgement?.verdict);
    expect(judged.filter((verdict) => verdict === "changed")).toEqual([]);
    expect(judged.every((verdict) => verdict !== undefined)).toBe(true);
    expect(comparison.control?.verdict).not.toBe("changed");
  });

  it("pairs two variants and two profiles in one process", async () => {
    const variants = await lab([
      "ab",
      "fused/radix=4",
      "fused/radix=8,workgroup=8",
      ...SMALL,
      ...device,
      "--out",
      out,
      "--json",
      "--looks",
      "16",
    ]);
    const ab = JSON.parse(variants.out) as Comparison;
    expect(ab.rows[0]!.outcomes[0]!.sides.base?.variant).toContain("radix=4");
    expect(ab.rows[0]!.outcomes[0]!.sides.candidate?.variant).toContain("radix=8");
    expect(ab.rows[0]!.verdict).not.toBe("invalid");
    const profiles = await lab([
      "ab",
      "selected",
      "selected",
      "--profiles",
      "portable,native",
      ...SMALL,
      ...device,
      "--out",
      out,
      "--json",
      "--looks",
      "16",
    ]);
    const two = JSON.parse(profiles.out) as Comparison;
    expect(two.rows[0]).toMatchObject({ outcomes: [{ identical: false }] });
    // Sixteen quads after the one that warms up; should they show a change, six placements judge.
    const { quads, placements } = two.rows[0]!.outcomes[0]!.total!;
    expect(quads).toHaveLength(17);
    expect(two.rows[0]!.judgement!.count).toBe(placements?.length ?? 16);
  });

  it("runs packed, without git, and its record is taken in", async () => {
    const folder = join(out, "packed");
    const packed = await lab(["pack", "--out", folder, "--no-dawn", "--compare", "HEAD", "HEAD"]);
    expect(packed.code).toBe(0);
    const elsewhere = await mkdtemp(join(out, "cwd-"));
    const record = join(elsewhere, "record.json");
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(folder, "lab.mjs"),
        "compare",
        ...device,
        ...SMALL,
        "--record",
        record,
        "--force-timing",
        "--looks",
        "16",
      ],
      {
        cwd: elsewhere,
        env: { PATH: "/nowhere", HOME: elsewhere, TUNELAB_DAWN: dawnPath(), ...driver } as NodeJS.ProcessEnv,
      },
    );
    expect(stdout).toMatch(/1 identical/);
    const imported = await lab(["comparisons", "import", record, "--out", out, "--json"]);
    expect(imported.code).toBe(0);
    const { id } = JSON.parse(imported.out) as { id: string };
    const shown = await lab(["comparisons", "show", id, "--out", out]);
    expect(stdout).toContain(shown.out);
    expect((await readFile(record, "utf8")).length).toBeGreaterThan(1_000);
  });
});
