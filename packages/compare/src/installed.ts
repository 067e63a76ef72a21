import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { SourcePackage } from "./packages.ts";

/** Where a package from outside the workspace is taken from, or one line on why it is not. */
export type Found = { readonly resolveDir: string } | { readonly why: string };

/** The package of a tree in whose folder a file lies. */
export function packageOf(
  file: string,
  packages: ReadonlyMap<string, SourcePackage>,
): SourcePackage | undefined {
  return [...packages.values()].find(({ folder }) => file.startsWith(`${folder}${sep}`));
}

/** A version that names one release: what the manifest says is what must be there. */
const EXACT = /^\d+\.\d+\.\d+[\w.+-]*$/;

/**
 * Looks among installed checkouts for a package that a tree's package declares. A checkout of a commit installs nothing, but the
 * suites of the laboratory's kernels may use a library for their oracles; the same release is usually installed already.
 */
export async function findInstalled(
  name: string,
  user: SourcePackage | undefined,
  tree: string,
  installed: readonly string[],
): Promise<Found> {
  const declared = user?.dependencies[name];
  if (!user || declared === undefined)
    return {
      why: `${name} is no package of this workspace${user ? `, nor a dependency of ${user.name}` : ""}`,
    };
  const versions: string[] = [];
  for (const root of installed) {
    const resolveDir = join(root, relative(tree, user.folder));
    const version = await versionIn(resolveDir, name);
    if (version === undefined) continue;
    if (!EXACT.test(declared) || version === declared) return { resolveDir };
    versions.push(version);
  }
  const there = versions.length > 0 ? `${versions.join(", ")} is installed` : "it is not installed";
  return {
    why: `${user.name} needs ${name} ${declared}, and ${there} in this laboratory: compare in a checkout whose install has it`,
  };
}

async function versionIn(folder: string, name: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(folder, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(text) as { version?: string }).version;
  } catch {
    return undefined;
  }
}
