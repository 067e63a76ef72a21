import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { Fault, firstLine } from "@tunelab/contract";

/** Runs git with these words in a folder and resolves to what it printed; rejects with a Fault. Tests give a fake. */
export type Git = (words: readonly string[], folder: string) => Promise<string>;

/** Variables by which a hook that calls us points git at its own repository. */
const INHERITED = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_PREFIX",
  "GIT_OBJECT_DIRECTORY",
] as const;

/** Largest answer of git in bytes: a tree of 100,000 files lists in 10 MB. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * The installed git: never asks, never runs hooks or downloads large files, and takes no lock that is not needed, so that a
 * `status` writes nothing into the user's checkout.
 */
export const git: Git = async (words, folder) => {
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LFS_SKIP_SMUDGE: "1",
  };
  for (const name of INHERITED) delete environment[name];
  const settings = ["-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"];
  try {
    const { stdout } = await promisify(execFile)("git", [...settings, ...words], {
      cwd: folder,
      env: environment,
      maxBuffer: MOST_BYTES,
    });
    return stdout;
  } catch (error) {
    // Node says ENOENT for a missing working folder as for a missing program.
    if (!existsSync(folder))
      throw new Fault("usage", `there is no folder ${folder}: name a clone with --repo`);
    throw gitFault(error, words);
  }
};

/** What git's failure means: the machine's (no git, no space) or the words' it was given. */
export function gitFault(error: unknown, words: readonly string[]): Fault {
  if (error instanceof Fault) return error;
  const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
  if (code === "ENOENT")
    return new Fault(
      "environment",
      "git is not installed: a packed comparison (`lab pack --compare`) needs none",
    );
  const told = telling(stderr) ?? (error instanceof Error ? firstLine(error.message) : String(error));
  const kind =
    code === 128 && !/no space left|disk quota|read-only file system/i.test(stderr) ? "usage" : "environment";
  return new Fault(kind, `git ${words[0]}: ${told}`, { stderr, words });
}

/** The line of git's words that says why; `fatal:` follows what led to it. */
function telling(stderr: string): string | undefined {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const full = lines.find((line) => /no space left|disk quota|read-only file system/i.test(line));
  return (full ?? lines.find((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1))?.replace(
    /^(fatal|error): /,
    "",
  );
}
