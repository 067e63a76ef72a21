import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), "tunelab-compare-cli-"));
});
afterAll(() => rm(out, { recursive: true, force: true }));

const checkout = spawnSync("git", ["rev-parse", "HEAD"]).status === 0;

async function wronglyUsed(words: readonly string[], message: RegExp): Promise<void> {
  const place = words[0] === "pack" ? [] : ["--out", out];
  const { code, notes } = await lab([...words, ...place]);
  expect(code).toBe(2);
  const lines = notes.split("\n").filter((line) => line.startsWith("tunelab:"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(message);
}

describe("compare, wrongly used", () => {
  it.each([
    [["compare"], /takes two revisions/],
    [["compare", "HEAD"], /takes two revisions/],
    [["compare", "HEAD", "HEAD", "--looks", "3"], /--looks takes rising numbers/],
    [["compare", "HEAD", "HEAD", "--looks", "32,16"], /--looks takes rising numbers/],
    [["compare", "HEAD", "HEAD", "--published", "--processes", "2"], /at least 6 processes/],
    [["compare", "HEAD", "HEAD", "--processes", "6", "--looks", "8,16"], /--looks takes one number/],
    [["compare", "HEAD", "HEAD", "--executor", "theirs"], /unknown executor "theirs": there is shared, own/],
    [["compare", "HEAD", "HEAD", "--variant", "a", "--all-shipped"], /exclude each other/],
    [["compare", "HEAD", "HEAD", "--parity-only", "--force-timing"], /exclude each other/],
    [["compare", "HEAD", "HEAD", "--json", "--markdown"], /exclude each other/],
    [["compare", "HEAD", "HEAD", "--problem", "n=64"], /name it with --kernel/],
    [
      ["compare", "HEAD", "HEAD", "--kernel", "fft", "--problem", "gemm:n=64"],
      /names a kernel that --kernel leaves out/,
    ],
    [
      ["compare", "HEAD", "HEAD", "--sample", "3", "--all-shipped"],
      /--all-shipped and --sample exclude each other/,
    ],
    [["compare", "HEAD", "HEAD", "--sample", "0"], /--sample takes 1 to 1000/],
    [["compare", "HEAD", "HEAD", "--workload", "huge"], /unknown workload "huge"/],
    [["compare", "HEAD", "HEAD", "--devices", "a"], /--devices takes two names/],
    [["compare", "HEAD", "HEAD", "--devices", "a,b", "--method", "paired"], /a and b share no process/],
    [["compare", "HEAD", "HEAD", "--method", "guess"], /unknown method "guess": there is paired, reference/],
    [["compare", "HEAD", "HEAD", "--reference", "copy"], /--reference belongs to --method reference/],
    [["compare", "HEAD", "HEAD", "--method", "reference", "--reference", "a"], /there is fma, copy/],
    [["compare", "HEAD", "HEAD", "--method", "reference", "--looks", "16"], /have no --looks/],
    [["compare", "HEAD", "HEAD", "--method", "reference", "--require-parity"], /compare no bits/],
    [["compare", "HEAD", "HEAD", "--method", "reference", "--processes", "3"], /at least 4 processes/],
    [["ab", "default", "selected"], /name it with --kernel/],
    [
      ["ab", "default", "default", "--kernel", "matched-filter", "--profiles", "native"],
      /--profiles takes two names/,
    ],
    [["pack", "--out", "/tmp/never", "--compare", "HEAD"], /--compare takes two revisions or more, not 1/],
    [["comparisons", "show", "01NEVER"], /there is no comparison 01NEVER/],
    [["comparisons", "import", "/no/such/file"], /cannot be read/],
  ] as const)("%j ends with 2 and one line", wronglyUsed);

  // A copy of the repository without git or without its history has no commits to name.
  it.skipIf(!checkout).each([
    [["compare", "nowhere-at-all", "HEAD"], /unknown revision "nowhere-at-all"/],
    [
      ["compare", "HEAD", "HEAD", "--kernel", "nope"],
      /unknown kernel "nope": there is .*fft, .*matched-filter/,
    ],
    [["ab", "default", "default", "--kernel", "eigh", "--problem", "n=0"], /eigh: n is 0/],
    [["ab", "default", "default", "--kernel", "eigh", "--problem", "n=8,batch=0"], /eigh: batch is 0/],
    [["ab", "default", "default", "--kernel", "eigh", "--problem", "n=600,batch=1"], /eigh: n .*600/],
    [["ab", "default", "default", "--kernel", "fft", "--problem", "n=0", "--parity-only"], /fft: n .*0/],
    [["compare", "worktree", "worktree", "--problem", "fft:n=0"], /fft: n .*0/],
  ] as const)("%j in a git checkout ends with 2 and one line", wronglyUsed);

  it("explains its exit codes in --help", async () => {
    const { code, out: text } = await lab(["compare", "--help"]);
    expect(code).toBe(0);
    expect(text).toMatch(/0: same or faster; 1: regressed; 3: unresolved; 4: invalid/);
    expect(text).toContain("Example: pnpm compare main worktree");
  });

  it("refuses a record that is none by the file's name", async () => {
    const path = join(out, "odd.json");
    await writeFile(path, "{}");
    const { code, notes } = await lab(["comparisons", "import", path, "--out", out]);
    expect(code).toBe(1);
    expect(notes).toContain(`${path} is no record of a comparison`);
  });

  it("lists nothing where nothing was compared, and says what makes one", async () => {
    const { code, out: text } = await lab(["comparisons", "list", "--out", join(out, "empty")]);
    expect(code).toBe(0);
    expect(text).toContain("pnpm compare BASE CANDIDATE");
  });
});
