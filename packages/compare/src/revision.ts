import { Fault } from "@tunelab/contract";
import type { Git } from "./git.ts";

/** The word that names the uncommitted work of the checkout. */
export const WORKTREE = "worktree";

/** What one side of a comparison is made from. */
export interface Revision {
  /** As the user wrote it. */
  readonly text: string;
  /** Full hash; for `worktree` that of the HEAD it stands on. */
  readonly commit: string;
  /** Whether files differ from the commit: only `worktree` can. */
  readonly dirty: boolean;
  readonly kind: "commit" | "worktree";
}

/** Folders whose files take part in a comparison. */
export const SOURCE_FOLDERS = ["packages", "kernels"] as const;

const inSources = (path: string): boolean => SOURCE_FOLDERS.some((folder) => path.startsWith(`${folder}/`));

/**
 * The revision that a text names. @throws Fault `usage` when there is none (a shallow clone is told apart), when sources
 * lie in a submodule that a checkout would leave empty, or when a submodule's work is uncommitted.
 */
export async function resolveRevision(git: Git, root: string, text: string): Promise<Revision> {
  if (text === WORKTREE) return worktree(git, root);
  // A word that begins with a dash would be an option of git's.
  const named = text.startsWith("-") ? undefined : await commitOf(git, root, text);
  if (named === undefined) throw await unknownRevision(git, root, text);
  const inner = await submodules(git, root, named);
  if (inner.length > 0) {
    throw new Fault(
      "usage",
      `${text} keeps ${inner[0]} in a submodule, which a comparison does not check out: compare it in a checkout of its own with ${WORKTREE}`,
      { submodules: inner },
    );
  }
  return { text, commit: named, dirty: false, kind: "commit" };
}

async function commitOf(git: Git, root: string, text: string): Promise<string | undefined> {
  try {
    return (
      await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${text}^{commit}`], root)
    ).trim();
  } catch (error) {
    if (error instanceof Fault && error.kind === "environment" && /not installed/.test(error.message))
      throw error;
    await insideRepository(git, root);
    return undefined;
  }
}

/** @throws Fault `usage` outside a repository. */
async function insideRepository(git: Git, root: string): Promise<void> {
  await git(["rev-parse", "--git-dir"], root).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Fault("usage", `${root} is no git repository that can be read (${why}): compare in a clone`);
  });
}

async function unknownRevision(git: Git, root: string, text: string): Promise<Fault> {
  const shallow = (await git(["rev-parse", "--is-shallow-repository"], root)).trim() === "true";
  const next = shallow
    ? "this clone is shallow: `git fetch --unshallow` brings its history (in a workflow, fetch-depth: 0)"
    : `name a commit, branch or tag that \`git log\` knows, or ${WORKTREE}`;
  return new Fault("usage", `unknown revision "${text}": ${next}`, { shallow });
}

/** Submodules of a commit that hold sources. */
async function submodules(git: Git, root: string, commit: string): Promise<readonly string[]> {
  const listed = await git(["ls-tree", "-r", "-z", commit, ...SOURCE_FOLDERS], root);
  return listed
    .split("\0")
    .filter((line) => line.startsWith("160000 "))
    .map((line) => line.slice(line.indexOf("\t") + 1));
}

async function worktree(git: Git, root: string): Promise<Revision> {
  await insideRepository(git, root);
  const commit = (await commitOf(git, root, "HEAD")) ?? "";
  const status = await git(["status", "--porcelain=v2", "-z", "--ignore-submodules=none"], root);
  const entries = status.split("\0").filter(Boolean);
  for (const entry of entries) {
    const [, , submodule = "N...", path = ""] = /^[12u] (..) (\S+) .* (\S+)$/.exec(entry) ?? [];
    if (submodule.startsWith("S") && /[MU]/.test(submodule) && inSources(path)) {
      throw new Fault(
        "usage",
        `the submodule ${path} has uncommitted work, so nobody could say later what was compared: commit it there first`,
      );
    }
  }
  return { text: WORKTREE, commit, dirty: entries.length > 0, kind: "worktree" };
}
