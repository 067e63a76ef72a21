import { access, type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asFault, Fault } from "@tunelab/contract";
import writeFileAtomic from "write-file-atomic";

/** Errors of a place that cannot be written: permission, read-only or full disk, a file where a folder should be. */
const UNWRITABLE = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR", "EEXIST", "ENOENT"]);

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** The error as a Fault; one that comes from an unwritable place names it and says how to choose another. */
export function writeFault(error: unknown, directory: string): Fault {
  const code = errorCode(error);
  // DuckDB gives no codes: a full disk is known by its words alone. Nothing is damaged by it and nothing stored is lost.
  if (code === "ENOSPC" || /no space left|disk quota/i.test(asFault(error, "environment").message))
    return new Fault(
      "environment",
      `cannot write in ${directory}: its disk is full; what is stored stays: make room, or choose another directory with --out DIR or TUNELAB_LAB_DIR`,
      { directory },
    );
  if (!code || !UNWRITABLE.has(code)) return asFault(error, "environment");
  return new Fault(
    "environment",
    `cannot write in ${directory} (${code}): choose another directory with --out DIR or TUNELAB_LAB_DIR`,
    { directory, code },
  );
}

/** Makes the directory and its parents. Throws `Fault` environment naming it when it cannot be made or written. */
export async function ensureDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    const probe = join(directory, `.writable.${process.pid}`);
    await (await open(probe, "w")).close();
    await rm(probe, { force: true });
  } catch (error) {
    throw writeFault(error, directory);
  }
}

/** Replaces a file in one step: readers see the old contents or the new, never a part. Makes its folder. */
export async function writeWhole(path: string, contents: string | Buffer): Promise<void> {
  await ensureDirectory(dirname(path));
  try {
    await writeFileAtomic(path, contents);
  } catch (error) {
    throw writeFault(error, dirname(path));
  }
}

/** Puts a finished temporary file in its place, durably: contents first, then the name. */
export async function moveIntoPlace(temporary: string, path: string): Promise<void> {
  try {
    await synced(temporary);
    await rename(temporary, path);
    await synced(dirname(path));
  } catch (error) {
    throw writeFault(error, dirname(path));
  }
}

async function synced(path: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    // Windows cannot open a directory to sync it; the rename there is durable enough.
    if (errorCode(error) !== "EISDIR" && errorCode(error) !== "EPERM") throw error;
  } finally {
    await handle?.close();
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Names in a directory, sorted by code unit; empty when it does not exist. */
export async function listNames(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw asFault(error, "environment");
  }
}

/** Where a lab keeps one session: the file being written and the sealed one. */
export interface SessionPaths {
  readonly database: string;
  readonly sealed: string;
}

export function sessionPaths(labDir: string, session: string): SessionPaths {
  const base = join(labDir, "sessions", session);
  return { database: `${base}.duckdb`, sealed: `${base}.parquet` };
}
