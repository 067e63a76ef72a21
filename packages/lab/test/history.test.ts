import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { historyOf, treeOf, uncheckedLine, unreachable } from "../src/history.ts";

const hasGit = ((): boolean => {
  try {
    execFileSync("git", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

let folder: string;
let root: string;
const git = (words: readonly string[], at = root): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: at, encoding: "utf8" });
const commit = (text: string): string => {
  git(["add", "-A"]);
  git(["commit", "-qm", text]);
  return git(["rev-parse", "HEAD"]).trim();
};

describe.skipIf(!hasGit)("a history (needs git)", () => {
  let first: string;
  let rebased: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tunelab-history-"));
    root = join(folder, "own");
    await mkdir(join(root, "experiments/2026-01-01-x"), { recursive: true });
    await mkdir(join(root, "tables"));
    git(["init", "-q", "-b", "main"]);
    await writeFile(join(root, "code.ts"), "1");
    await writeFile(join(root, "experiments/2026-01-01-x/experiment.ts"), "1");
    await writeFile(join(root, "experiments/2026-01-01-x/result.json"), "1");
    first = commit("first");
    await writeFile(join(root, "code.ts"), "2");
    rebased = commit("second, that main never had");
    git(["reset", "-q", "--hard", first]);
    await writeFile(join(root, "code.ts"), "3");
    commit("second");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("has the commits that HEAD came from, and not one that was rebased away though its objects are still there", async () => {
    const history = await historyOf(root);
    expect(uncheckedLine(history)).toBeUndefined();
    expect(git(["cat-file", "-t", rebased]).trim()).toBe("commit");
    const lines = unreachable(history, [
      { what: "a", commit: first },
      { what: "b", commit: `${first}+dirty` },
      { what: "c", commit: rebased },
      { what: "d", commit: `${rebased}+dirty` },
      { what: "e", commit: "" },
    ]);
    expect(lines).toEqual([
      `c names commit ${rebased.slice(0, 12)}, which is not in this history`,
      `d names commit ${rebased.slice(0, 12)}, which is not in this history`,
      "e names no commit",
    ]);
  });

  it("of a shallow clone or a copy without git is unknown: said, and nothing is called gone", async () => {
    git(["clone", "-q", "--depth", "1", `file://${root}`, join(folder, "shallow")], folder);
    await mkdir(join(folder, "copy"));
    const inside = join(root, "unpacked");
    await mkdir(inside);
    for (const [at, says] of [
      [join(folder, "shallow"), /this clone is shallow/],
      [join(folder, "copy"), /no git history/],
      // Somebody else's repository around a copy says nothing of the copy.
      [inside, /no git history/],
    ] as const) {
      const history = await historyOf(at);
      expect(uncheckedLine(history)).toMatch(says);
      expect(unreachable(history, [{ what: "a", commit: rebased }])).toEqual([]);
    }
    expect(await treeOf(inside)).toEqual({ commit: "", dirty: false });
    await rm(inside, { recursive: true });
  });

  it("calls a tree changed by its code and its definitions, not by the results that commands write", async () => {
    const head = git(["rev-parse", "HEAD"]).trim();
    expect(await treeOf(root)).toEqual({ commit: head, dirty: false });
    for (const written of ["result.json", "README.md", "swiftshader.svg"])
      await writeFile(join(root, "experiments/2026-01-01-x", written), "2");
    await writeFile(join(root, "tables/published.json"), "2");
    expect(await treeOf(root)).toEqual({ commit: head, dirty: false });
    await writeFile(join(root, "experiments/2026-01-01-x/experiment.ts"), "2");
    expect(await treeOf(root)).toEqual({ commit: head, dirty: true });
    git(["checkout", "-q", "experiments/2026-01-01-x/experiment.ts"]);
    await writeFile(join(root, "code.ts"), "4");
    expect((await treeOf(root)).dirty).toBe(true);
  });
});
