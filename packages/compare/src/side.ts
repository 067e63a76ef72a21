import { createHash } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CONTRACT_VERSION, Fault } from "@tunelab/contract";
import { BUNDLE_FORMAT, bundleOperations, readBundle } from "./bundle.ts";
import { pruneCheckouts, pruneOldest, withCheckout } from "./checkout.ts";
import { contractDifference, contractOf, type Declarations } from "./declared.ts";
import { type Described, describeBundle } from "./describe.ts";
import type { Git } from "./git.ts";
import { packagesOf } from "./packages.ts";
import type { Revision } from "./revision.ts";

/** One operation of a side: its bundle, below the side's folder, and what it says about itself. */
export interface SideOperation extends Described {
  readonly package: string;
  readonly file: string;
  readonly sha256: string;
}

/** A side as its folder records it. */
export interface SideManifest {
  readonly format: number;
  readonly revision: Revision;
  /** Declarations of its contract, so that a difference can be named later. */
  readonly declarations: Declarations;
  readonly operations: readonly SideOperation[];
  /** Packages whose code gives no operation, and why. */
  readonly faults: readonly { readonly package: string; readonly reason: string }[];
}

/** A manifest with the folder that it lies in. */
export interface Side extends SideManifest {
  readonly folder: string;
}

const MANIFEST = "side.json";

/** Folder of cached bundles below the cache, and how many sides it keeps: each is about 0.2 MB an operation. */
const BUNDLES = "bundles";
const KEPT = 24;

export interface SideOptions {
  readonly git: Git;
  /** The user's repository: read, never written. */
  readonly root: string;
  /** Checkouts whose installed packages may be used beside the repository's own, e.g. this laboratory's. */
  readonly installed?: readonly string[];
  /** Folder that may be written: checkouts come and go there, bundles stay. */
  readonly cache: string;
}

/**
 * Bundles of a revision's operations. A commit's are cached by its hash; the worktree's by their contents.
 * @throws Fault `environment` when the cache cannot be written, `usage` when the tree is no laboratory.
 */
export async function prepareSide(revision: Revision, options: SideOptions): Promise<Side> {
  const { git, root, cache } = options;
  const make = (tree: string): Promise<Side> =>
    makeSide(revision, { tree, installed: [root, ...(options.installed ?? [])] }, cache);
  if (revision.kind === "worktree") return make(root);
  const known = await readSide(join(cache, BUNDLES, nameOf(revision))).catch(() => undefined);
  if (known) {
    const now = new Date();
    await utimes(known.folder, now, now).catch(() => {});
    return { ...known, revision };
  }
  await pruneCheckouts(git, root, cache);
  return withCheckout(git, root, cache, revision.commit, make);
}

const nameOf = ({ commit }: Revision): string => `${commit}.${BUNDLE_FORMAT}`;

interface Source {
  readonly tree: string;
  readonly installed: readonly string[];
}

async function makeSide(revision: Revision, source: Source, cache: string): Promise<Side> {
  const bundles = join(cache, BUNDLES);
  await mkdir(bundles, { recursive: true });
  const made = await mkdtemp(join(bundles, ".new-"));
  try {
    const manifest = await fill(made, revision, source);
    await writeManifest(made, manifest);
    const name = manifest.faults.length === 0 ? finalName(manifest) : `faulty-${finalName(manifest)}`;
    const folder = join(bundles, name);
    // What another process made meanwhile has the same contents by its name.
    await rename(made, folder).catch(async () => {
      await rm(folder, { recursive: true, force: true });
      await rename(made, folder);
    });
    await pruneOldest(bundles, KEPT, new Set([name]));
    return { ...manifest, folder };
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw spaceFault(error, cache);
  }
}

/** Sides with a fault are made again every time: what failed to load may have failed for lack of time. */
function finalName({ revision, operations }: SideManifest): string {
  if (revision.kind === "commit") return nameOf(revision);
  const contents = operations.map(({ sha256 }) => sha256).join(" ");
  return `worktree-${createHash("sha256").update(contents).digest("hex").slice(0, 16)}.${BUNDLE_FORMAT}`;
}

function spaceFault(error: unknown, cache: string): unknown {
  const code = (error as { code?: string }).code;
  if (code !== "ENOSPC" && code !== "EDQUOT" && code !== "EROFS" && code !== "EACCES") return error;
  return new Fault(
    "environment",
    `bundles cannot be written below ${cache} (${code}): make room or choose another folder with --out DIR`,
  );
}

async function fill(folder: string, revision: Revision, { tree, installed }: Source): Promise<SideManifest> {
  const packages = await packagesOf(tree);
  const operations: SideOperation[] = [];
  const faults: { package: string; reason: string }[] = [];
  for (const bundled of await bundleOperations({ root: tree, packages, installed })) {
    if ("fault" in bundled) {
      faults.push({ package: bundled.package, reason: bundled.fault });
      continue;
    }
    const file = `${bundled.package.replace(/^@[^/]+\//, "").replace(/[^\w.-]+/g, "-")}.mjs`;
    await writeFile(join(folder, file), bundled.text);
    const described = await describeBundle(join(folder, file));
    if ("fault" in described) faults.push({ package: bundled.package, reason: described.fault });
    else operations.push({ ...described, package: bundled.package, file, sha256: bundled.sha256 });
  }
  return { format: BUNDLE_FORMAT, revision, declarations: await contractOf(tree), operations, faults };
}

const writeManifest = (folder: string, manifest: SideManifest): Promise<void> =>
  writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);

/**
 * Copies a side to a folder that anybody may read, under the name by which it was asked for: a cached one's own is that of
 * whoever made it.
 */
export async function copySide({ folder, ...manifest }: Side, to: string): Promise<void> {
  await cp(folder, to, { recursive: true });
  await chmod(to, 0o755);
  await writeManifest(to, manifest);
}

/** Reads a side back from its folder. @throws Fault `data` when it is damaged or of another format. */
export async function readSide(folder: string): Promise<Side> {
  const manifest = JSON.parse(await readFile(join(folder, MANIFEST), "utf8")) as SideManifest;
  if (manifest.format !== BUNDLE_FORMAT)
    throw new Fault(
      "data",
      `${folder} holds bundles of format ${manifest.format}, this laboratory reads ${BUNDLE_FORMAT}`,
    );
  for (const { file, sha256 } of manifest.operations) await readBundle(join(folder, file), sha256);
  return { ...manifest, folder };
}

/** The contract that this laboratory speaks. */
export interface OwnContract {
  readonly version: number;
  readonly declarations: Declarations;
}

/** Why a side's plans cannot run here, one line that names what differs; undefined when they can. */
export function contractRefusal(side: Side, name: string, own: OwnContract): string | undefined {
  const other = side.operations.find(({ contract }) => contract !== own.version);
  if (!other) return undefined;
  const difference = contractDifference(side.declarations, own.declarations);
  return (
    `${name} speaks contract ${other.contract}, this laboratory ${own.version}` +
    `${difference ? ` (${difference})` : ""}: compare from a checkout whose laboratory speaks ${other.contract}`
  );
}

/** The contract of the laboratory in a checkout. */
export async function ownContract(root: string): Promise<OwnContract> {
  return { version: CONTRACT_VERSION, declarations: await contractOf(root) };
}
