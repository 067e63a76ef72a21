import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
let checkout: string;

/** A copy of this checkout whose packages are its own; only third-party packages are shared. */
beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), "tunelab-loop-"));
  const skipped = new Set([".git", ".lab", ".gpu", "node_modules", "tables", "reports"]);
  for (const entry of await readdir(root)) {
    if (skipped.has(entry)) continue;
    await cp(join(root, entry), join(checkout, entry), { recursive: true, verbatimSymlinks: true });
  }
  await symlink(join(root, "node_modules"), join(checkout, "node_modules"));
}, 120_000);

afterAll(() => rm(checkout, { recursive: true, force: true }));

/** Runs a command line of the copy; gives its standard output and exit code. */
async function lab(...words: string[]): Promise<{ text: string; code: number }> {
  const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
  const cli = join(checkout, "packages/lab/src/cli.ts");
  const options = { cwd: checkout, env: { ...process.env, TUNELAB_LAB_DIR: join(checkout, ".lab") } };
  try {
    const { stdout } = await run(
      process.execPath,
      [tsx, "--conditions=@tunelab/source", cli, ...words],
      options,
    );
    return { text: stdout, code: 0 };
  } catch (error) {
    const failed = error as { stdout: string; code: number };
    return { text: failed.stdout, code: failed.code };
  }
}

describe("the whole loop, in a checkout of its own", () => {
  it("tunes, publishes, rebuilds tables, ships, and the library runs what was shipped", async () => {
    const tuned = await lab(
      ...["tune", "--device", "swiftshader", "--kernel", "matched-filter", "--algorithm", "fused"],
      ...["--problem", "n=2048,data=8,templates=3,pairs=24", "--trials", "8", "--budget", "150s", "--json"],
    );
    expect(tuned.code).toBe(0);
    const { session, tables } = JSON.parse(tuned.text) as {
      session: string;
      tables: { entries: { rows: { variant: string; matched: number; total: number }[] }[] }[];
    };
    const best = tables[0]!.entries[0]!.rows[0]!;
    expect(best.matched).toBe(best.total);

    // A user's own results are no part of what the checkout publishes: with nothing published that is an empty index and the schema.
    expect(JSON.parse((await lab("tables", "--json")).text).written).toEqual([
      "reports/README.md",
      "reports/selection/auto.md",
      "reports/selection/own-devices.md",
      "tables/table.schema.json",
    ]);
    expect((await lab("tables", "--check")).code).toBe(0);
    // On a machine that others use the anchors may drift: whether they did is not what this looks at.
    expect((await lab("results", "publish", session, "--despite-drift")).code).toBe(0);
    expect((await lab("tables", "--check")).code).toBe(0);
    expect((await lab("ship", "--check")).code).toBe(1);
    expect((await lab("ship")).code).toBe(0);
    expect((await lab("ship", "--check")).code).toBe(0);

    const example = join(checkout, "examples/node-matched-filter");
    const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
    const { stdout } = await run(process.execPath, [tsx, "--conditions=@tunelab/source", "src/main.ts"], {
      cwd: example,
    });
    expect(stdout).toContain("8 of 8 echoes found");
    expect(stdout).toContain(`ran ${best.variant}`);
    expect(stdout).toMatch(/why: rank 1 of [\d.]+ us on this device/);

    // What is retracted leaves the tables and what ships, and stays on the device's page with its reason.
    const page = join(checkout, "reports/devices/swiftshader/README.md");
    expect(await readFile(page, "utf8")).toContain(`| \`${session}\` |`);
    expect((await lab("results", "retract", session, "--reason", "a rehearsal")).code).toBe(0);
    expect(await readFile(page, "utf8")).toMatch(
      new RegExp(`~~\`${session}\`~~.*~~retracted: a rehearsal~~`),
    );
    expect((await lab("tables", "--check")).code).toBe(0);
    expect((await lab("ship", "--check")).code).toBe(1);
    const left = await readdir(join(checkout, "tables"), { recursive: true });
    expect(left.filter((file) => file.endsWith(".json")).sort()).toEqual([
      "published.json",
      "table.schema.json",
    ]);
  }, 600_000);
});
