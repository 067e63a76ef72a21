import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault } from "@tunelab/contract";
import { packed } from "./build.ts";
import type { Io } from "./io.ts";

/** The checkout's root, or undefined in a packed laboratory. */
export const checkout: string | undefined = packed
  ? undefined
  : resolve(fileURLToPath(new URL("../../..", import.meta.url)));

/** Module that device hosts run. */
export const hostEntry: URL = packed
  ? new URL("./host.mjs", import.meta.url)
  : new URL("./host-main.ts", import.meta.url);

/** Published tables and evidence. @throws Fault `usage` in a packed laboratory. */
export function tablesDir(): string {
  return join(requireCheckout(), "tables");
}

export function requireCheckout(): string {
  if (!checkout)
    throw new Fault("usage", "this command needs a checkout of tunelab: a packed laboratory only measures");
  return checkout;
}

/**
 * Where a user's own sessions and tables go: `--out`, else TUNELAB_LAB_DIR, else `.lab` in the checkout (the current folder when
 * packed), else, where that is read-only, a folder of the user's, said aloud. @throws Fault `environment` when none can be written.
 */
export function labDir(out: string | undefined, io: Io): string {
  const wanted = out ?? process.env.TUNELAB_LAB_DIR;
  if (wanted) {
    const folder = resolve(wanted);
    if (writable(folder)) return folder;
    throw new Fault(
      "environment",
      `${folder} cannot be written: choose another with --out DIR or TUNELAB_LAB_DIR`,
    );
  }
  const local = localLab();
  if (writable(local)) return local;
  for (const folder of elsewhere()) {
    if (!writable(folder)) continue;
    io.note(`${local} cannot be written: results go to ${folder} (choose with --out DIR)`);
    return folder;
  }
  throw new Fault(
    "environment",
    `${local} cannot be written: choose a folder with --out DIR or TUNELAB_LAB_DIR`,
  );
}

const localLab = (): string => join(checkout ?? process.cwd(), ".lab");

/** Where results go when the checkout cannot be written. */
const elsewhere = (): readonly string[] => [
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "tunelab", "lab"),
  join(tmpdir(), "tunelab-lab"),
];

/**
 * The folder to read sessions from, which reading neither makes nor needs leave to write: a named one as it is, absent too; else
 * the checkout's, as `folderToRead` says. Says so when later sessions lie elsewhere.
 */
export function labDirToRead(out: string | undefined, io: Io): string {
  const named = out ?? process.env.TUNELAB_LAB_DIR;
  if (named) return resolve(named);
  const { folder, also } = folderToRead(localLab(), elsewhere(), { exists: existsSync, mayWrite: allowed });
  if (also) io.note(`${folder} cannot be written: what was measured since is in ${also} (--out ${also})`);
  return folder;
}

/** What `folderToRead` asks of a file system. */
interface Leave {
  exists(path: string): boolean;
  mayWrite(path: string): boolean;
}

/**
 * `local` where there is one, read-only too; else, where it could not be made, the first of the others that there is. `also`: the
 * folder to which results go beside a `local` that cannot be written.
 */
export function folderToRead(
  local: string,
  others: readonly string[],
  { exists, mayWrite }: Leave,
): { readonly folder: string; readonly also?: string } {
  const here = exists(local);
  const other = mayWrite(here ? local : dirname(local)) ? undefined : others.find(exists);
  if (!here) return { folder: other ?? local };
  return other === undefined ? { folder: local } : { folder: local, also: other };
}

function writable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    return allowed(folder);
  } catch {
    return false;
  }
}

function allowed(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
