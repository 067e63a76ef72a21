import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "@tunelab/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pruneCheckouts, withCheckout } from "../src/checkout.ts";
import { type Git, git, gitFault } from "../src/git.ts";
import { resolveRevision } from "../src/revision.ts";
import { FixtureRepository } from "./fixture.ts";

let repository: FixtureRepository;
let folder: string;
let first: string;
beforeAll(() => {
  repository = new FixtureRepository();
  folder = mkdtempSync(join(tmpdir(), "tunelab-revision-"));
  first = repository.commit("first");
  repository.git("tag", "v1");
});
afterAll(() => {
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

const worktrees = (): string => repository.git("worktree", "list", "--porcelain");
const indexBytes = (): string => readFileSync(join(repository.root, ".git", "index"), "base64");

describe("a revision", () => {
  it.each(["HEAD", "main", "v1", "v1^{commit}"])("%s names a commit by its full hash", async (text) => {
    expect(await resolveRevision(git, repository.root, text)).toEqual({
      text,
      commit: first,
      dirty: false,
      kind: "commit",
    });
  });

  it("that exists nowhere is refused with what to name instead", async () => {
    await expect(resolveRevision(git, repository.root, "nowhere")).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/unknown revision "nowhere": name a commit.*worktree/),
    });
  });

  it("that looks like an option is never handed to git as one", async () => {
    await expect(resolveRevision(git, repository.root, "--exec=id")).rejects.toMatchObject({ kind: "usage" });
  });

  it("beyond the depth of a shallow clone is told apart from one that never was", async () => {
    repository.commit("second");
    const clone = join(folder, "shallow");
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${repository.root}`, clone]);
    await expect(resolveRevision(git, clone, first)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/shallow.*git fetch --unshallow.*fetch-depth: 0/),
    });
    expect((await resolveRevision(git, clone, "HEAD")).kind).toBe("commit");
  });

  it("outside a repository is refused as such", async () => {
    const bare = mkdtempSync(join(folder, "none-"));
    await expect(resolveRevision(git, bare, "HEAD")).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("no git repository"),
    });
  });

  it("in a folder that does not exist names the folder, not a missing git", async () => {
    const absent = join(folder, "absent");
    await expect(resolveRevision(git, absent, "HEAD")).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining(`there is no folder ${absent}`),
    });
  });

  it("worktree stands on HEAD and says whether anything is uncommitted", async () => {
    const head = repository.commit("clean");
    expect(await resolveRevision(git, repository.root, "worktree")).toMatchObject({
      commit: head,
      dirty: false,
    });
    repository.write("notes.txt", "new");
    expect(await resolveRevision(git, repository.root, "worktree")).toMatchObject({
      commit: head,
      dirty: true,
    });
  });

  it("whose kernels lie in a submodule is refused; so is a worktree whose submodule has uncommitted work", async () => {
    const outer = new FixtureRepository();
    try {
      const inner = new FixtureRepository();
      inner.commit("inner");
      outer.commit("outer");
      outer.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        inner.root,
        "kernels/borrowed",
      );
      outer.commit("with a submodule");
      await expect(resolveRevision(git, outer.root, "HEAD")).rejects.toMatchObject({
        kind: "usage",
        message: expect.stringContaining("kernels/borrowed in a submodule"),
      });
      expect((await resolveRevision(git, outer.root, "worktree")).dirty).toBe(false);
      outer.write("kernels/borrowed/kernels/window-sum/src/suite.ts", "// changed");
      await expect(resolveRevision(git, outer.root, "worktree")).rejects.toMatchObject({
        kind: "usage",
        message: expect.stringContaining("submodule kernels/borrowed has uncommitted work"),
      });
      inner.remove();
    } finally {
      outer.remove();
    }
  });
});

describe("a checkout for bundling", () => {
  it("gives the commit's files and leaves the user's checkout, index and worktrees as they were", async () => {
    repository.write("kernels/window-sum/src/suite.ts", "// uncommitted");
    const before = {
      index: indexBytes(),
      trees: worktrees(),
      status: repository.git("status", "--porcelain"),
    };
    const text = await withCheckout(git, repository.root, join(folder, "cache"), first, async (tree) =>
      readFileSync(join(tree, "kernels/window-sum/src/suite.ts"), "utf8"),
    );
    expect(text).toContain("window-sum");
    const after = {
      index: indexBytes(),
      trees: worktrees(),
      status: repository.git("status", "--porcelain"),
    };
    expect(after).toEqual(before);
    expect(readdirSync(join(folder, "cache", "trees"))).toEqual([]);
  });

  it("does not run the user's hooks", async () => {
    repository.write(".git/hooks/post-checkout", `#!/bin/sh\ntouch ${join(folder, "hooked")}\n`);
    execFileSync("chmod", ["+x", join(repository.root, ".git/hooks/post-checkout")]);
    await withCheckout(git, repository.root, join(folder, "cache"), first, async () => {});
    expect(readdirSync(folder)).not.toContain("hooked");
  });

  it("is removed when what reads it fails", async () => {
    const trees = worktrees();
    const failing = withCheckout(git, repository.root, join(folder, "cache"), first, async () => {
      throw new Error("read error");
    });
    await expect(failing).rejects.toThrow("read error");
    expect(worktrees()).toBe(trees);
  });

  it("on a full disk says so and leaves nothing behind", async () => {
    const full: Git = async (words, at) => {
      if (words[1] !== "add") return git(words, at);
      // As git does: part of the tree is there when it gives up.
      await git(words, at);
      throw gitFault(
        { code: 128, stderr: "error: unable to write file a\nfatal: No space left on device\n" },
        words,
      );
    };
    const trees = worktrees();
    await expect(
      withCheckout(full, repository.root, join(folder, "cache"), first, async () => {}),
    ).rejects.toMatchObject({
      kind: "environment",
      message: expect.stringMatching(/No space left.*make room/),
    });
    expect(worktrees()).toBe(trees);
    expect(readdirSync(join(folder, "cache", "trees"))).toEqual([]);
  });

  it("left by a killed process is pruned, one of a living process is not", async () => {
    const cache = join(folder, "crashed");
    const gone = 2 ** 22 - 3; // above every Linux default of pid_max
    const left = (pid: number): string => join(cache, "trees", `${pid}-abc`);
    for (const pid of [gone, process.pid]) {
      await git(["worktree", "add", "--quiet", "--detach", join(left(pid), "tree"), first], repository.root);
    }
    await pruneCheckouts(git, repository.root, cache);
    expect(readdirSync(join(cache, "trees"))).toEqual([`${process.pid}-abc`]);
    expect(worktrees()).not.toContain(left(gone));
    expect(worktrees()).toContain(left(process.pid));
    await git(["worktree", "remove", "--force", join(left(process.pid), "tree")], repository.root);
  });
});

describe("a failure of git", () => {
  it("without git is the machine's", () => {
    const fault = gitFault({ code: "ENOENT" }, ["status"]);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind: "environment", message: expect.stringContaining("not installed") });
  });
});
