import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { asFault, Fault } from "@tunelab/contract";
import type { Git } from "./git.ts";

/** Folder of temporary checkouts below the cache. */
const TREES = "trees";

/**
 * Checks a commit out into a folder of its own below the cache, lets `use` read it, and removes it again whatever happens: what
 * is kept is what `use` makes of it. The user's checkout, index and branches stay as they are.
 * @throws Fault `environment` when it cannot be written (a full disk leaves nothing behind).
 */
export async function withCheckout<T>(
  git: Git,
  root: string,
  cache: string,
  commit: string,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const trees = join(cache, TREES);
  await mkdir(trees, { recursive: true });
  // The process that owns a checkout is in its name, so that leftovers of a killed one are known for what they are.
  const holder = await mkdtemp(join(trees, `${process.pid}-`));
  const folder = join(holder, "tree");
  try {
    await git(["worktree", "add", "--quiet", "--detach", folder, commit], root).catch((error: unknown) => {
      const fault = asFault(error, "environment");
      throw new Fault(
        "environment",
        `${commit.slice(0, 12)} cannot be checked out below ${cache} (${fault.message}): make room or choose another folder with --out DIR`,
        fault.details,
      );
    });
    return await use(folder);
  } finally {
    await removeTree(git, root, holder);
  }
}

async function removeTree(git: Git, root: string, holder: string): Promise<void> {
  const remove = () => git(["worktree", "remove", "--force", join(holder, "tree")], root);
  const removed = await remove().then(
    () => true,
    () => false,
  );
  await rm(holder, { recursive: true, force: true });
  // Half-made ones are refused until their folder is gone; `worktree prune` would also forget the user's own.
  if (!removed) await remove().catch(() => {});
}

/** Removes checkouts whose process is gone; those of living processes stay. */
export async function pruneCheckouts(git: Git, root: string, cache: string): Promise<void> {
  const trees = join(cache, TREES);
  for (const name of await readdir(trees).catch(() => [])) {
    const owner = Number.parseInt(name, 10);
    if (Number.isInteger(owner) && !alive(owner)) await removeTree(git, root, join(trees, name));
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/** Bytes used by folders of the cache are bounded by their number: the newest `keep` stay, by last use. */
export async function pruneOldest(
  folder: string,
  keep: number,
  spare: ReadonlySet<string>,
): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !spare.has(name));
  const aged = await Promise.all(
    names.map(async (name) => ({
      name,
      usedMs: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  const gone = aged.sort((a, b) => b.usedMs - a.usedMs || (a.name < b.name ? -1 : 1)).slice(keep);
  for (const { name } of gone) await rm(join(folder, name), { recursive: true, force: true });
  return gone.map(({ name }) => name);
}
