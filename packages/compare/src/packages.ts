import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@tunelab/contract";

/** A workspace package of a source tree. */
export interface SourcePackage {
  readonly name: string;
  readonly folder: string;
  /** Whether it holds an operation: it lies under kernels/ and exports a suite. */
  readonly isOperation: boolean;
  /** Source files by export, e.g. `.` and `./suite`. */
  readonly entries: Readonly<Record<string, string>>;
  /** Versions that it declares to run with, by name. */
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The condition under which this repository's manifests name their TypeScript sources. */
const SOURCE_CONDITION = "@tunelab/source";

/**
 * Packages of a tree by name, read from their manifests: nothing is installed and no code of the tree runs.
 * @throws Fault `usage` when the tree is no checkout of this repository.
 */
export async function packagesOf(root: string): Promise<ReadonlyMap<string, SourcePackage>> {
  const found = new Map<string, SourcePackage>();
  for (const parent of ["packages", "kernels"]) {
    for (const folder of (await readdir(join(root, parent)).catch(() => [])).sort()) {
      const path = join(root, parent, folder);
      const one = await packageAt(path, parent === "kernels");
      if (one) found.set(one.name, one);
    }
  }
  if (!found.has("@tunelab/contract"))
    throw new Fault(
      "usage",
      `${root} has no package @tunelab/contract: it is no checkout of this laboratory`,
    );
  return found;
}

async function packageAt(folder: string, inKernels: boolean): Promise<SourcePackage | undefined> {
  const path = join(folder, "package.json");
  if (!(await stat(path).catch(() => undefined))) return undefined;
  let manifest: {
    name?: string;
    exports?: Record<string, Record<string, string>>;
    dependencies?: Record<string, string>;
  };
  try {
    manifest = JSON.parse(await readFile(path, "utf8")) as typeof manifest;
  } catch (error) {
    throw new Fault(
      "data",
      `${path} is no JSON (${error instanceof Error ? error.message : error}): mend it`,
    );
  }
  if (!manifest.name) return undefined;
  const entries: Record<string, string> = {};
  for (const [key, conditions] of Object.entries(manifest.exports ?? {})) {
    const file = conditions?.[SOURCE_CONDITION];
    if (typeof file === "string") entries[key] = join(folder, file);
  }
  const { name, dependencies = {} } = manifest;
  return { name, folder, isOperation: inKernels && "./suite" in entries, entries, dependencies };
}
