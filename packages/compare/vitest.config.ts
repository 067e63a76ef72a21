import { spawnSync } from "node:child_process";
import { configDefaults, mergeConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

// Comparing commits needs git; the README's test command promises to pass on a machine with Node alone.
const git = spawnSync("git", ["--version"]).status === 0;
if (!git)
  console.warn("compare: git is not installed, so the tests that make and compare commits are skipped");

export default mergeConfig(shared, {
  test: git
    ? {}
    : { exclude: [...configDefaults.exclude, "test/{commits,revision,side}.test.ts", "test/*.deep.test.ts"] },
});
