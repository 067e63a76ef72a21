import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { Fault } from "@tunelab/contract";

/** Variables a process must be started with; an undefined value removes the variable. */
export type Environment = Readonly<Record<string, string | undefined>>;

const ARCHIVE = join("bin", "swiftshader.tar.br");
const MANIFEST = "vk_swiftshader_icd.json";
/** The archive also carries Chromium's GL libraries (8 MB); on LD_LIBRARY_PATH they could shadow the system's. */
const WANTED: ReadonlySet<string> = new Set([MANIFEST, "libvk_swiftshader.so", "libvulkan.so.1"]);

/** Variables that would turn the Vulkan loader away from the driver that is asked for. */
export const LOADER_OVERRIDES: readonly string[] = [
  "VK_ICD_FILENAMES",
  "VK_ADD_DRIVER_FILES",
  "VK_LOADER_DRIVERS_SELECT",
  "VK_LOADER_DRIVERS_DISABLE",
  "VK_LOADER_DEVICE_SELECT",
];

/** The environment in which the Vulkan loader sees one driver only, and finds itself in `loaderFolder` when given. */
export function forcedDriver(manifest: string, loaderFolder?: string): Environment {
  const cleared = Object.fromEntries(LOADER_OVERRIDES.map((name) => [name, undefined]));
  return {
    ...cleared,
    VK_DRIVER_FILES: manifest,
    ...(loaderFolder ? { LD_LIBRARY_PATH: libraryPath([loaderFolder], []) } : {}),
  };
}

/** LD_LIBRARY_PATH with folders before and after what is set now. */
export function libraryPath(before: readonly string[], after: readonly string[]): string {
  const now = (process.env.LD_LIBRARY_PATH ?? "").split(":").filter(Boolean);
  return [...before, ...now, ...after].join(":");
}

/** Where SwiftShader and the Vulkan loader that came with the install lie unpacked. */
export interface EmbeddedFiles {
  readonly folder: string;
  readonly manifest: string;
}

let unpacked: Promise<EmbeddedFiles> | undefined;

/** Unpacks the embedded software GPU once a machine and says where it is. Rejects with an environment Fault off x64 Linux. */
export function embeddedFiles(): Promise<EmbeddedFiles> {
  unpacked ??= unpack(cacheRoots()).catch((error: unknown) => {
    unpacked = undefined;
    throw error;
  });
  return unpacked;
}

/** The environment a process needs before it starts to use the embedded software GPU (SwiftShader) and nothing else. */
export async function embeddedDriver(): Promise<Environment> {
  const { folder, manifest } = await embeddedFiles();
  return forcedDriver(manifest, folder);
}

/** Folders to try in turn: the user's cache, then a temporary one of this user (a read-only home still works). */
export function cacheRoots(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const cache = environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), ".cache");
  return [join(cache, "tunelab"), join(tmpdir(), `tunelab-${process.getuid?.() ?? "user"}`)];
}

/** Unpacks into the first root that can be written, under a name made of the archive's hash, and renames into place. */
export async function unpack(roots: readonly string[]): Promise<EmbeddedFiles> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Fault(
      "environment",
      `the embedded software GPU exists for x64 Linux only, not ${process.arch} ${process.platform}: use a hardware adapter`,
    );
  }
  const { archive, extract } = await findArchive();
  const name = `swiftshader-${createHash("sha256").update(archive).digest("hex").slice(0, 16)}`;
  const refusals: string[] = [];
  for (const root of roots) {
    const folder = join(root, name);
    try {
      await mkdir(root, { recursive: true, mode: 0o700 });
      const { uid } = await stat(root);
      const user = process.getuid?.() ?? uid;
      // Libraries are loaded from here: a folder that another user prepared in /tmp is not trusted.
      if (uid !== user && uid !== 0) throw new Error(`belongs to user ${uid}`);
      if (!existsSync(join(folder, MANIFEST))) await unpackInto(folder, root, archive, extract);
      return { folder, manifest: join(folder, MANIFEST) };
    } catch (error) {
      refusals.push(`${root}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Fault(
    "environment",
    `the embedded GPU cannot be unpacked (${refusals.join("; ")}): set XDG_CACHE_HOME to a folder that can be written`,
  );
}

type Extract = (
  folder: string,
  options: { chown: boolean; ignore: (path: string, header?: { name: string }) => boolean },
) => Writable;

async function findArchive(): Promise<{ archive: Buffer; extract: Extract }> {
  try {
    const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
    let root = dirname(entry);
    while (!existsSync(join(root, ARCHIVE))) {
      const up = dirname(root);
      if (up === root) throw new Error(`${ARCHIVE} is missing beside ${entry}`);
      root = up;
    }
    // tar-fs comes with the archive's own package, which reads the archive by it too.
    const { extract } = createRequire(entry)("tar-fs") as { extract: Extract };
    return { archive: await readFile(join(root, ARCHIVE)), extract };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new Fault(
      "environment",
      `the embedded software GPU is not installed (${reason}): install @sparticuz/chromium or use a hardware adapter`,
    );
  }
}

async function unpackInto(folder: string, root: string, archive: Buffer, extract: Extract): Promise<void> {
  const draft = await mkdtemp(join(root, "unpack-"));
  try {
    await pipeline(
      Readable.from([archive]),
      createBrotliDecompress(),
      extract(draft, {
        chown: false,
        ignore: (_path, header) => header !== undefined && !WANTED.has(header.name.replace(/^\.\//, "")),
      }),
    );
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have been first: a folder under the final name is complete by construction.
    if (!existsSync(join(folder, MANIFEST))) throw error;
  }
}
