import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GUARDS, type Guard } from "./guards.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** What a copy of the workspace needs to run tests; the installed packages are shared. */
const COPIED = [
  "packages",
  "kernels",
  "tables",
  "test",
  "package.json",
  "vitest.shared.ts",
  "tsconfig.base.json",
];

interface Outcome {
  readonly title: string;
  readonly status: string;
}

describe("every guard, broken on purpose, turns its own tests red and no other", () => {
  let copy: string;
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "tunelab-guards-"));
    for (const name of COPIED) {
      // Links to other packages are relative: they lead into the copy.
      await cp(join(root, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
    }
    await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  }, 60_000);
  afterAll(async () => rm(copy, { recursive: true, force: true }));

  /** Titles of the tests that fail; throws when the file's tests did not run. */
  async function failing(test: string): Promise<readonly string[]> {
    const folder = join(copy, "packages", dirname(dirname(test)));
    const bin = join(root, "node_modules", "vitest", "vitest.mjs");
    const words = [bin, "run", `test/${basename(test)}`, "--reporter=json", "--outputFile=outcome.json"];
    const env = { ...process.env, TUNELAB_DEEP: "" };
    await promisify(execFile)(process.execPath, words, { cwd: folder, env, timeout: 120_000 }).catch(
      () => {},
    );
    const { testResults } = JSON.parse(await readFile(join(folder, "outcome.json"), "utf8"));
    await rm(join(folder, "outcome.json"));
    const outcomes: Outcome[] = testResults.flatMap(
      ({ assertionResults }: { assertionResults: Outcome[] }) => assertionResults,
    );
    expect(outcomes.filter(({ status }) => status === "passed").length, "no test passed").toBeGreaterThan(0);
    return outcomes.filter(({ status }) => status === "failed").map(({ title }) => title);
  }

  it("unbroken, none is red", async () => {
    for (const test of new Set(GUARDS.map((guard) => guard.test)))
      expect(await failing(test), test).toEqual([]);
  }, 300_000);

  it.each(GUARDS.map((guard) => [guard.name, guard] as const))(
    "%s",
    async (_name, guard: Guard) => {
      const path = join(copy, "packages", guard.file);
      const whole = await readFile(path, "utf8");
      expect(whole.split(guard.from), `${guard.file} holds the guard's text once`).toHaveLength(2);
      await writeFile(
        path,
        whole.replace(guard.from, () => guard.to),
      );
      try {
        expect([...(await failing(guard.test))].sort()).toEqual([...guard.red].sort());
      } finally {
        await writeFile(path, whole);
      }
    },
    150_000,
  );
});
