import { type Git, git as installed } from "@tunelab/compare";
import { packed } from "./build.ts";
import { requireCheckout } from "./places.ts";

/** What the commands themselves write: a tree that differs only there still runs the code of its commit. */
const WRITTEN: readonly string[] = [
  ":(exclude)tables",
  ":(exclude)reports",
  ...["result.json", "README.md", "*.svg"].map((name) => `:(exclude,glob)experiments/*/${name}`),
];

/** Commit of the code that runs, and whether the tree's code differs from it; empty where there is no git or no repository. */
export async function commitOf(): Promise<{ commit: string; dirty: boolean }> {
  return packed ? { commit: packed.commit, dirty: packed.dirty } : treeOf(requireCheckout());
}

/** The commit of the tree at `root`, and whether its code differs from it; empty where there is no git or no repository. */
export async function treeOf(
  root: string,
  git: Git = installed,
): Promise<{ readonly commit: string; readonly dirty: boolean }> {
  try {
    if (!(await isOwnRepository(root, git))) return { commit: "", dirty: false };
    const changed = await git(["status", "--porcelain", "--", ".", ...WRITTEN], root);
    return { commit: (await git(["rev-parse", "HEAD"], root)).trim(), dirty: changed.trim() !== "" };
  } catch {
    return { commit: "", dirty: false };
  }
}

/** A copy without git, unpacked inside somebody's repository, has none of that repository's commits. */
const isOwnRepository = async (root: string, git: Git): Promise<boolean> =>
  (await git(["rev-parse", "--show-prefix"], root)).trim() === "";

/** The commits from which the checkout came, or why nobody can tell which they are. */
export type History = { readonly commits: ReadonlySet<string> } | { readonly unknown: string };

/** What git says of the history of the checkout at `root`. */
export async function historyOf(root: string, git: Git = installed): Promise<History> {
  try {
    if (!(await isOwnRepository(root, git))) return { unknown: "this copy has no git history" };
    if ((await git(["rev-parse", "--is-shallow-repository"], root)).trim() === "true")
      return { unknown: "this clone is shallow" };
    const listed = await git(["rev-list", "HEAD"], root);
    return { commits: new Set(listed.split("\n").filter(Boolean)) };
  } catch {
    return { unknown: "this copy has no git history" };
  }
}

/** A commit that something published names as the code that made it. */
export interface Cited {
  /** What names it, as the subject of a sentence: `experiments/x/result.json, session 01M8`. */
  readonly what: string;
  /** In full, `+dirty` behind it where the tree differed from it; empty where there was no git. */
  readonly commit: string;
}

/** Digits of a commit that people read. */
const SHORT = 12;

/**
 * One line each for what names a commit that nobody who has this history can check out: the branch was rebased since, or never
 * merged. Nothing where the history is unknown.
 */
export function unreachable(history: History, cited: readonly Cited[]): readonly string[] {
  if (!("commits" in history)) return [];
  const gone = cited.filter(({ commit }) => !history.commits.has(commit.replace(/\+dirty$/, "")));
  return gone.map(({ what, commit }) =>
    commit === ""
      ? `${what} names no commit`
      : `${what} names commit ${commit.slice(0, SHORT)}, which is not in this history`,
  );
}

/** Why commits were not looked for, as a line; undefined where they were. */
export const uncheckedLine = (history: History): string | undefined =>
  "unknown" in history
    ? `Not checked: whether the commits that results name are in the history (${history.unknown})`
    : undefined;
